/** Questions to a server as a client asks them, and what it answers with. */
import { type Answer, answerOf } from '../documents/client.ts';
import type { Server } from '../server.ts';

export const types = ['keyword', 'semantic', 'hybrid'] as const;
export type SearchType = (typeof types)[number];

/** What was answered with, and how far each part of it is. */
export function stateOf({ indexes }: Answer): ReadonlyMap<string, string> {
  if (Array.isArray(indexes)) return new Map(indexes.map((name) => [String(name), 'ready']));
  return new Map(Object.entries((indexes ?? {}) as Record<string, string>));
}

const ASK_AGAIN_MS = 500;
/** Without any progress, however slow the machine is. */
const STUCK_MS = 180_000;

/** Until all of the texts can be found by words, and if it `needs` vectors, by them; in seconds. */
export async function untilReady(server: Server, needsVectors: boolean): Promise<number> {
  const started = performance.now();
  let [last, since] = ['', started];
  for (;;) {
    const answer = await answerOf(server, 'search', { query: 'ready', limit: 1, type: 'hybrid' });
    const vector = stateOf(answer).get('vector') ?? 'absent';
    if (answer.pending === undefined && (!needsVectors || vector === 'ready'))
      return (performance.now() - started) / 1000;
    const state = `${answer.pending} ${vector}`;
    if (state !== last) [last, since] = [state, performance.now()];
    if (performance.now() - since > STUCK_MS)
      throw new Error(`The indexes do not get ready: ${JSON.stringify(answer).slice(0, 500)}`);
    if (process.stderr.isTTY) process.stderr.write(`\r  pending ${answer.pending ?? 0}, vectors ${vector}   `);
    await new Promise((resume) => setTimeout(resume, ASK_AGAIN_MS));
  }
}

export interface Ranking {
  readonly paths: readonly string[];
  readonly ms: number;
}

const PAGE = 100;

/** The paths of a search, best first; in several pages where one does not hold them. */
export async function ranking(server: Server, query: string, type: SearchType, depth: number): Promise<Ranking> {
  const paths: string[] = [];
  let firstMs: number | undefined;
  while (paths.length < depth) {
    const input = { query, type, limit: Math.min(PAGE, depth - paths.length), offset: paths.length, paths_only: true };
    const { answer, ms } = await withItsIndexes(server, input, type);
    firstMs ??= ms;
    const page = (answer.paths as readonly string[] | undefined) ?? [];
    paths.push(...page);
    if (page.length === 0 || paths.length >= Number(answer.total)) break;
  }
  return { paths, ms: firstMs ?? Number.NaN };
}

/** On a busy machine the model may be late, and words would answer alone: that is another measurement. */
async function withItsIndexes(server: Server, input: Readonly<Record<string, unknown>>, type: SearchType) {
  for (let tries = 0; ; tries++) {
    const started = performance.now();
    const answer = await answerOf(server, 'search', input);
    const ms = performance.now() - started;
    const state = stateOf(answer).get('vector') ?? '';
    // A question that the model cannot read is answered by words, here as anywhere.
    if (type === 'keyword' || state === 'ready' || state.includes('language')) return { answer, ms };
    if (tries > 20) throw new Error(`No vectors for ${JSON.stringify(input)}: ${JSON.stringify(answer.indexes)}`);
    await new Promise((resume) => setTimeout(resume, ASK_AGAIN_MS));
  }
}

/** Whether it can search by meaning at all. */
export async function hasVectors(server: Server): Promise<boolean> {
  return stateOf(await answerOf(server, 'search', { query: 'ready', limit: 1, type: 'hybrid' })).has('vector');
}
