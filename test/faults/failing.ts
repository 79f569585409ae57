/** The program over files that fail (failing-files.mjs): how it is started so, what it did, and what can go wrong with it. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Message, type StdioServer, serveStdio } from '../support/cairn.ts';
import type { HomeWriting } from './every-writing.ts';
import { type Ask, plain } from './writing.ts';

const layer = pathToFileURL(join(import.meta.dirname, 'failing-files.mjs')).href;
export const admin = { ...plain, CAIRN_ROLE: 'admin' };

/** Which call fails, counted from the first; none where it is absent. */
export interface Fault {
  readonly at: number;
  readonly error: string;
}

/** What the layer noted. Answers have no number: they cannot fail. */
export interface Call {
  readonly number?: number;
  readonly call: string;
  readonly path?: string;
  readonly to?: string;
  readonly synchronous?: string;
  readonly struck?: string;
}

/** What can happen to a call. Of those that read, only an opening is of interest: descriptors run out. */
export const errorsOf: Readonly<Record<string, readonly string[]>> = {
  open: ['ENOSPC', 'EACCES', 'EROFS', 'EMFILE', 'EIO'],
  'open to read': ['EMFILE'],
  write: ['ENOSPC', 'EIO', 'SHORT'],
  writeFile: ['ENOSPC', 'EIO', 'SHORT'],
  appendFile: ['ENOSPC', 'EIO', 'SHORT'],
  fsync: ['EIO', 'ENOSPC'],
  fdatasync: ['EIO'],
  rename: ['EACCES', 'EROFS', 'EIO', 'ENOSPC'],
  link: ['EACCES', 'ENOSPC'],
  mkdir: ['ENOSPC', 'EACCES', 'EROFS'],
  unlink: ['EACCES', 'EROFS', 'EIO'],
  rmdir: ['EACCES'],
  rm: ['EACCES'],
  fchmod: ['EROFS'],
  commit: ['ENOSPC', 'EIO'],
};

export function overFailingFiles(below: string, log: string, fault?: Fault): Record<string, string> {
  return { FAILING_FILES: JSON.stringify({ below, log, ...fault }), NODE_OPTIONS: `--import=${layer}` };
}

export async function callsIn(log: string): Promise<Call[]> {
  const lines = (await readFile(log, 'utf8')).split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Call);
}

export function askOf(server: StdioServer): Ask {
  return async (operation, input = {}) => {
    const { result, error } = await server.ask(operation, input);
    if (error !== undefined) {
      throw Object.assign(new Error(`${operation}: ${error.message}`), { kind: error.data?.name });
    }
    return result;
  };
}

export interface Outcome {
  readonly told: 'done' | 'refused' | 'nothing';
  readonly message: string;
  readonly calls: readonly Call[];
  /** What the same server said to the next write. */
  readonly next?: Pick<Outcome, 'told' | 'message'>;
}

export const NEXT = { type: 'other', severity: 'low', title: 'Next', description: 'The server goes on.' };

/** A write by a server of its own, and after a fault another one; then its life ends in good order: files are synced behind. */
export async function written(
  home: string,
  log: string,
  writing: HomeWriting,
  number: number,
  fault?: Fault,
): Promise<Outcome> {
  const server = serveStdio(['--home', home], { ...admin, ...overFailingFiles(home, log, fault) });
  const answer = await Promise.race([server.ask(writing.operation, writing.input(number)), server.exited]);
  if (answer === null || typeof answer === 'number')
    return { told: 'nothing', message: server.stderr(), calls: await callsIn(log) };
  const next = fault && toldBy(await server.ask('feedback_submit', NEXT));
  server.endInput();
  const code = await server.exited;
  const calls = await callsIn(log);
  const { told, message } = toldBy(answer);
  const ending = `(${code}) ${server.stderr()}`;
  return { told: code === 0 ? told : 'nothing', message: `${message} ${ending}`, calls, ...(next && { next }) };
}

/** What an answer says: done, although perhaps without what follows it, or not done. */
export function toldBy({ result, error }: Message): Pick<Outcome, 'told' | 'message'> {
  const failure = error ?? (result.status === 'error' || result.created === false ? result : undefined);
  if (failure === undefined)
    return { told: result.errorCount > 0 ? 'refused' : 'done', message: JSON.stringify(result) };
  const made = /^The change (?:is decided|was made), but/.test(String(failure.message));
  return { told: made ? 'done' : 'refused', message: String(failure.message) };
}

/** A folder for one case, gone before the next one. */
export async function inFolder<T>(folder: string, work: (home: string, log: string) => Promise<T>): Promise<T> {
  const own = await mkdtemp(join(folder, 'case-'));
  try {
    return await work(join(own, 'home'), join(own, 'log'));
  } finally {
    await rm(own, { recursive: true, force: true, maxRetries: 5 });
  }
}

const AT_ONCE = 2;

export async function inTurn<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

export async function unfinishedIn(folder: string): Promise<string[]> {
  return (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.tmp'));
}
