/**
 * One request to the endpoint that the operator named, and what its refusals mean. Threat: texts of the store and the key
 * go out here, so they go to that address alone. Redirects are not followed, and what comes back is limited in size.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { version } from '../../version.ts';

export interface Timing {
  readonly timeoutMs: number;
  /** Of one request, the first among them. */
  readonly attempts: number;
  /** Before the second attempt; four times as long before each further one. */
  readonly backoffMs: number;
  /** Who asks for more patience than this is left alone for that time instead. */
  readonly longestWaitMs: number;
}

export class EndpointError extends Error {
  readonly remedy: string;
  /** Not the endpoint but this one request is at fault. */
  readonly refused: boolean;
  /** How long the endpoint wants to be left alone. */
  readonly pauseMs: number;

  constructor(message: string, remedy: string, { refused = false, pauseMs = 0 } = {}) {
    super(message);
    this.remedy = remedy;
    this.refused = refused;
    this.pauseMs = pauseMs;
  }
}

export interface Post {
  readonly url: URL;
  readonly body: unknown;
  readonly key: string;
  readonly signal: AbortSignal;
}

const MOST_BYTES = 64 * 1024 * 1024;
const MOST_WORDS = 200;
const REACH = 'Check that the endpoint runs and that CAIRN_EMBEDDINGS_URL is right. It is tried again by itself.';

/** The JSON of the answer. Rejects with an EndpointError, or as `signal` says. */
export async function post(request: Post, timing: Timing): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    const { answer, problem, again = false, waitMs } = await once(request, timing);
    if (problem === undefined) return answer;
    request.signal.throwIfAborted();
    const wait = waitMs ?? timing.backoffMs * 4 ** (attempt - 1) * (0.75 + Math.random() / 2);
    if (wait > timing.longestWaitMs) throw new EndpointError(problem.message, problem.remedy, { pauseMs: wait });
    if (!again || attempt >= timing.attempts) throw problem;
    await sleep(wait, undefined, { signal: request.signal });
  }
}

interface Outcome {
  readonly answer?: unknown;
  readonly problem?: EndpointError;
  readonly again?: boolean;
  /** As the endpoint asked for. */
  readonly waitMs?: number;
}

async function once({ url, body, key, signal }: Post, { timeoutMs }: Timing): Promise<Outcome> {
  const late = AbortSignal.timeout(timeoutMs);
  let status: number;
  let headers: Headers;
  let text: string;
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.any([signal, late]),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'user-agent': `cairn/${version}`,
        ...(key !== '' && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify(body),
    });
    ({ status, headers } = response);
    text = await limited(response);
  } catch (thrown) {
    if (thrown instanceof EndpointError) return { problem: thrown };
    if (late.aborted) return { problem: new EndpointError(`${url.host} gave no answer in ${timeoutMs} ms`, REACH) };
    return { problem: new EndpointError(`${url.host} cannot be reached (${causeOf(thrown)})`, REACH), again: true };
  }
  if (status === 200) return readJson(text, url);
  const problem = refusal(status, said(text, key), url, headers.get('location'));
  const waitMs = waitOf(headers.get('retry-after'));
  return { problem, again: status === 429 || status >= 500, ...(waitMs !== undefined && { waitMs }) };
}

async function limited(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > MOST_BYTES) throw new EndpointError(`The endpoint sends more than ${MOST_BYTES} bytes`, REACH);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function readJson(text: string, url: URL): Outcome {
  try {
    return { answer: JSON.parse(text) };
  } catch {
    return { problem: new EndpointError(`${url.host} answers with something that is not JSON`, REACH) };
  }
}

function refusal(status: number, words: string, { host }: URL, location: string | null): EndpointError {
  const message = `${host} answers ${status}${words === '' ? '' : `: ${words}`}`;
  if (status >= 300 && status < 400) {
    const where = location === null ? 'elsewhere' : `to ${location.slice(0, MOST_WORDS)}`;
    return new EndpointError(
      `${host} answers ${status} and redirects ${where}, which is not followed`,
      'Set CAIRN_EMBEDDINGS_URL to where the endpoint is.',
    );
  }
  if (status === 401 || status === 403) return new EndpointError(message, 'Check CAIRN_EMBEDDINGS_KEY.');
  if (status === 404) {
    return new EndpointError(
      message,
      'Check CAIRN_EMBEDDINGS_URL and CAIRN_EMBEDDINGS_MODEL; Ollama has to pull a model first.',
    );
  }
  if ([400, 413, 422].includes(status)) {
    return new EndpointError(message, 'Check CAIRN_EMBEDDINGS_MODEL and CAIRN_EMBEDDINGS_DIMENSIONS.', {
      refused: true,
    });
  }
  return new EndpointError(message, REACH);
}

/** The message of an error as the usual interfaces send it; without the key, which some of them quote. */
function said(text: string, key: string): string {
  let words = '';
  try {
    const { error, message } = JSON.parse(text);
    words = String(error?.message ?? error ?? message ?? '');
  } catch {
    // A page for people says nothing here.
  }
  const hidden = key === '' ? words : words.replaceAll(key, '…');
  return hidden.replace(/[\p{Cc}\s]+/gu, ' ').slice(0, MOST_WORDS);
}

/** Seconds or a date. */
function waitOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  const wait = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

function causeOf(thrown: unknown): string {
  const { cause } = thrown as { cause?: { code?: unknown; message?: unknown } };
  return String(cause?.code ?? cause?.message ?? (thrown instanceof Error ? thrown.message : thrown));
}
