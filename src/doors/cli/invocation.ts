/** What a command runs with: the app, who runs it, and how answers are shown. */
import { readFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { CairnError, toCairnError } from '../../errors.ts';
import { call } from '../../operations/call.ts';
import { refused, type SurfaceEntry } from '../../operations/surface.ts';
import { type App, createApp } from '../../service/app.ts';
import { type Config, resolveConfig } from '../../service/config.ts';
import { findHome } from '../../service/home.ts';
import type { Principal } from '../../service/principal.ts';
import { render } from '../text.ts';
import type { Flags } from './arguments.ts';
import { progressBar } from './progress.ts';

export interface Invocation {
  readonly app: App;
  readonly words: readonly string[];
  readonly flags: Flags;
  /** Text for a person rather than JSON for a program. */
  readonly human: boolean;
  print(result: unknown, asText?: () => string): void;
}

export function invocationOf(app: App, words: readonly string[], flags: Flags): Invocation {
  const human = process.stdout.isTTY === true && flags.json !== true;
  return {
    app,
    words,
    flags,
    human,
    print(result, asText) {
      const text = human ? (asText?.() ?? render(result)) : JSON.stringify(result);
      process.stdout.write(`${human ? printable(text) : text}\n`);
    },
  };
}

/** Stored text must not be able to move the cursor or rename the window of whoever reads it. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) => (character === '\n' || character === '\t' ? character : ''));
}

export async function withApp(flags: Flags, work: (app: App) => Promise<number>): Promise<number> {
  const app = openApp(flags);
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

function configFrom(flags: Flags, project = process.cwd()): Config {
  const named = typeof flags.home === 'string' ? flags.home : undefined;
  const home = findHome(named, process.env, project, homedir());
  return resolveConfig({ home, flags, env: process.env, file: configFileIn(home.path) });
}

function configFileIn(home: string): string | undefined {
  try {
    return readFileSync(join(home, 'config.json'), 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new CairnError(
      'bad_configuration',
      `config.json in ${home} cannot be read: ${toCairnError(thrown).detail.message}`,
    );
  }
}

/** A person at a terminal is an admin of their own files; anything else is an agent. See SECURITY.md for the limits of this. */
export function principalAt(config: Config): Principal {
  const human = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const role = human && config.sources.role === 'default' ? 'admin' : config.role;
  return { name: config.agentId || (human ? userInfo().username : role), role, door: 'cli', human };
}

export async function perform({ app, print }: Invocation, entry: SurfaceEntry, input: unknown): Promise<number> {
  const result = await watched(app, entry.name, input);
  const { message, reason, suggestion } = result as Refusal;
  // What went wrong, why, and what to do; the rest of such an answer is for programs.
  const told = refused(entry, result) && typeof message === 'string' ? [message, reason, suggestion] : [];
  print(result, told.length > 0 ? () => told.filter((line) => typeof line === 'string').join('\n') : undefined);
  const unwell = entry.verdict !== undefined && (result as Record<string, unknown>)[entry.verdict] === false;
  return unwell || refused(entry, result) ? 1 : 0;
}

interface Refusal {
  readonly message?: unknown;
  readonly reason?: unknown;
  readonly suggestion?: unknown;
}

/** One call as whoever runs the command: with its progress on stderr, and cancelled by Ctrl-C. */
export async function watched(app: App, operation: string, input: unknown): Promise<unknown> {
  const bar = progressBar(process.stderr);
  const cancel = new AbortController();
  const onInterrupt = () => cancel.abort();
  process.once('SIGINT', onInterrupt);
  try {
    return await call(app, {
      operation,
      input,
      principal: principalAt(app.config),
      signal: cancel.signal,
      progress: bar.show,
    });
  } finally {
    bar.clear();
    process.off('SIGINT', onInterrupt);
  }
}

let readerLeft = false;

/** Whoever reads may have read enough, as head does: no failure, and no reason to break off what is being written. */
export function allowReaderToLeave(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    readerLeft = true;
  });
}

export function hasReader(): boolean {
  return !readerLeft;
}

/** As `openApp`; where the settings are wrong, with the defaults, and what is wrong with them. */
export function openAnyway(flags: Flags): { app: App; complaints: readonly string[] } {
  try {
    return { app: openApp(flags), complaints: [] };
  } catch (thrown) {
    const error = toCairnError(thrown);
    if (error.kind !== 'bad_configuration') throw thrown;
    const named = typeof flags.home === 'string' && flags.home !== '' ? flags.home : undefined;
    const home = findHome(named, process.env, process.cwd(), homedir());
    const { complaints = [error.message] } = error.detail as { complaints?: readonly string[] };
    return { app: appWith(resolveConfig({ home, flags: {}, env: {} })), complaints };
  }
}

function appWith(config: Config): App {
  return createApp(config, new URL('./worker.js', import.meta.url));
}

/** `project` is where the home is looked for, unless the flags say it. */
export function openApp(flags: Flags, project?: string): App {
  return appWith(configFrom(flags, project));
}
