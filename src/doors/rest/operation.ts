/** Every operation as `POST /api/v1/NAME`, and those that only read also as GET. The answer is the bare result. */
import { type ErrorName, errorKinds } from '../../errors.ts';
import { call } from '../../operations/call.ts';
import { type SurfaceEntry, surface } from '../../operations/surface.ts';
import { cap, jsonSize } from '../cap.ts';
import { readJson } from '../http/body.ts';
import { type Exchange, methodOf, notAllowed, sendJson } from '../http/exchange.ts';
import { inputFromQuery } from './query.ts';

export const PREFIX = '/api/v1/';

const MAX_ANSWER = 8 * 1024 * 1024;

/** Reads that write a file when they are asked to. */
const writingParameters = new Set(['outputPath']);

export async function answerNamed(exchange: Exchange): Promise<void> {
  const entry = surface.resolve(decoded(exchange.url.pathname.slice(PREFIX.length)));
  await answer(exchange, entry, await inputOf(exchange, entry));
}

export async function answer(exchange: Exchange, entry: SurfaceEntry, input: unknown): Promise<void> {
  const { response } = exchange;
  const result = await perform(exchange, entry.name, input);
  sendJson(response, statusOf(entry, result), cap(result, MAX_ANSWER, jsonSize, entry.rest).result);
}

/** One call of the operation table, ended when the client goes away. */
export function perform({ app, principal, signal }: Exchange, operation: string, input: unknown): Promise<unknown> {
  return call(app, { operation, input, principal, signal });
}

export async function inputOf({ app, request, url }: Exchange, entry: SurfaceEntry): Promise<unknown> {
  const method = methodOf(request);
  if (method === 'POST') return readJson(request, app.config.maxFrame);
  const methods = answersGet(entry) ? ['GET', 'POST'] : ['POST'];
  const writing = [...url.searchParams.keys()].find((name) => writingParameters.has(name));
  if (!methods.includes(method)) throw notAllowed(`${request.method} is not allowed for ${entry.name}`, methods);
  if (writing !== undefined) throw notAllowed(`${entry.name} with ${writing} writes a file`, ['POST']);
  return inputFromQuery(url.searchParams, entry.inputSchema);
}

/** What runs other operations may run one that writes. */
export function answersGet({ writes, kind }: Pick<SurfaceEntry, 'writes' | 'kind'>): boolean {
  return !writes && kind !== 'composite';
}

/** S3: what was refused is told in the form of the result; HTTP hears of it by the status. */
function statusOf({ envelope }: SurfaceEntry, result: unknown): number {
  const { status, error } = result as { readonly status?: unknown; readonly error?: unknown };
  const kind = String(error);
  if (!envelope || status !== 'error') return 200;
  return Object.hasOwn(errorKinds, kind) ? errorKinds[kind as ErrorName].status : 400;
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
