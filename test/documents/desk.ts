/** A project with the real program beside it, for tests of the document store. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { type Message, type StdioServer, serveStdio } from '../support/cairn.ts';

export interface Desk {
  readonly project: string;
  readonly home: string;
  start(...flags: string[]): StdioServer;
  startWith(env: Readonly<Record<string, string>>): StdioServer;
  put(path: string, content: string): Promise<void>;
}

export async function openDesk(): Promise<Desk> {
  const project = await realpath(await mkdtemp(join(tmpdir(), 'cairn-session-')));
  onTestFinished(() => rm(project, { recursive: true, force: true, maxRetries: 5 }));
  const home = join(project, '.cairn');
  await mkdir(home);
  return {
    project,
    home,
    start: (...flags) => serveStdio(['--home', home, ...flags]),
    startWith: (env) => serveStdio(['--home', home], env),
    async put(path, content) {
      await mkdir(dirname(join(project, path)), { recursive: true });
      await writeFile(join(project, path), content);
    },
  };
}

/** The result of a method, or its error thrown. */
export async function ask(server: StdioServer, method: string, params: object = {}): Promise<Message> {
  const { result, error } = await server.ask(method, params);
  if (error !== undefined) throw Object.assign(new Error(error.message), error);
  return result;
}

export function session(server: StdioServer, action: string, params?: object): Promise<Message> {
  return ask(server, 'session', { action, ...(params !== undefined && { params }) });
}

export async function pathsOf(server: StdioServer, filter: object = {}): Promise<string[]> {
  return (await ask(server, 'list', { ...filter, paths_only: true, limit: 1000 })).paths;
}

const PATIENCE_MS = 15_000;

/** Asks again until it holds; then gives what was seen. */
export async function until<T>(
  look: () => Promise<T>,
  holds: (seen: T) => boolean,
  withinMs = PATIENCE_MS,
): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (holds(seen)) return seen;
    if (Date.now() > deadline) throw new Error(`Not within ${withinMs} ms; last seen: ${JSON.stringify(seen)}`);
    await delay(25);
  }
}
