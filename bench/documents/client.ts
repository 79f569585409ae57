/** What the cases of documents ask a server, beyond calls whose answers nobody looks at. */
import type { Ask, Command } from '../command.ts';
import type { Server } from '../server.ts';
import type { Subject } from '../subject.ts';

const PATIENCE_MS = 1_800_000;

/** Answers may take long and be large: what is counted must be complete. */
export function patient(subject: Subject, home: string): Command {
  const command = subject.command(home);
  return { ...command, env: { ...command.env, CAIRN_MAX_RESPONSE: String(8 * 1024 * 1024) }, patienceMs: PATIENCE_MS };
}

export type Answer = Readonly<Record<string, unknown>>;

export async function answerOf(server: Server, tool: string, input: Ask['input']): Promise<Answer> {
  const { text } = await server.request('tools/call', { name: tool, arguments: input });
  const { result } = JSON.parse(text) as { result: { structuredContent: Answer } };
  return result.structuredContent;
}

export function numberIn(answer: Answer, field: string): number {
  const value = answer[field];
  if (typeof value !== 'number')
    throw new Error(`The answer has no number ${field}: ${JSON.stringify(answer).slice(0, 500)}`);
  return value;
}

export interface TakenIn {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly answer: Answer;
}

/** From the call until all of it can be found: an answer does not wait for ever until a large tree is indexed. */
export async function takeIn(server: Server, path: string, files?: number): Promise<TakenIn> {
  const started = performance.now();
  const before = server.cpuMs() ?? Number.NaN;
  const answer = await answerOf(server, 'add', { path });
  let pending = answer.pending;
  while (pending !== undefined) ({ pending } = await answerOf(server, 'search', { query: 'indexed', limit: 1 }));
  const wallMs = performance.now() - started;
  const seen = numberIn(answer, 'added') + numberIn(answer, 'updated') + numberIn(answer, 'unchanged');
  if (numberIn(answer, 'failed') > 0 || (files !== undefined && seen !== files))
    throw new Error(`Not all of ${path} was taken in: ${JSON.stringify(answer).slice(0, 1000)}`);
  return { wallMs, cpuMs: (server.cpuMs() ?? Number.NaN) - before, answer };
}
