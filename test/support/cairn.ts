/** The real program as a child process: one command, or a server on stdio. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { serverFor } from './engine.ts';

export const program = join(import.meta.dirname, '../../dist/cairn.js');

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string;
  /** Ends it in the middle, with SIGKILL. */
  readonly killAfterMs?: number;
}

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end; its stdin and stdout are pipes, so it acts as an agent. */
export async function cairn(
  args: readonly string[],
  { env, cwd, input = '', killAfterMs }: RunOptions = {},
): Promise<Outcome> {
  const child = launch(args, env, cwd);
  if (killAfterMs !== undefined) setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  const stdout = gather(child.stdout);
  const stderr = gather(child.stderr);
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const code = await exitOf(child);
  return { code, stdout: await stdout, stderr: await stderr };
}

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted on field by field, which is the check
export type Message = Record<string, any>;

export interface StdioServer {
  readonly pid: number;
  readonly stderr: () => string;
  /** Writes a line as it is. */
  write(line: string): void;
  /** A request, and the whole message that answers it. */
  ask(method: string, params?: unknown): Promise<Message>;
  notify(method: string, params?: unknown): void;
  /** Everything on stdout so far that answers no request asked through `ask`. */
  readonly unasked: readonly Message[];
  initialize(protocolVersion?: string): Promise<Message>;
  endInput(): void;
  kill(signal?: NodeJS.Signals): void;
  readonly exited: Promise<number | null>;
}

const ANSWER_MS = 20_000;

export function serveStdio(args: readonly string[], env: Readonly<Record<string, string>> = {}): StdioServer {
  const child = launch(['serve', ...args], env);
  const waiting = new Map<number, (message: Message) => void>();
  const unasked: Message[] = [];
  let stderr = '';
  let lastId = 0;
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdin.on('error', () => {});
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as Message;
    const answer = waiting.get(message.id);
    if (answer === undefined || 'method' in message) unasked.push(message);
    else answer(message);
  });
  const exited = exitOf(child);
  onTestFinished(() => void child.kill('SIGKILL'));
  const write = (line: string) => void child.stdin.write(`${line}\n`);

  function ask(method: string, params?: unknown): Promise<Message> {
    const id = 1_000_000 + ++lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`No answer to ${method}. ${stderr}`)), ANSWER_MS);
      waiting.set(id, (message) => {
        clearTimeout(timer);
        waiting.delete(id);
        resolve(message);
      });
      write(JSON.stringify({ jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) }));
    });
  }

  const notify = (method: string, params?: unknown) =>
    write(JSON.stringify({ jsonrpc: '2.0', method, ...(params !== undefined && { params }) }));

  return {
    pid: child.pid ?? 0,
    stderr: () => stderr,
    write,
    ask,
    notify,
    unasked,
    async initialize(protocolVersion = '2025-06-18') {
      const clientInfo = { name: 'test', version: '1' };
      const answer = await ask('initialize', { protocolVersion, capabilities: {}, clientInfo });
      notify('notifications/initialized');
      return answer;
    },
    endInput: () => void child.stdin.end(),
    kill: (signal = 'SIGTERM') => void child.kill(signal),
    exited,
  };
}

export interface HttpServer {
  readonly pid: number;
  readonly url: string;
  /** The one that the terminal shows. */
  readonly signInLink: string;
  stop(): Promise<number | null>;
}

/** `cairn serve --http` on a free port, once it has said where. */
export async function serveHttp(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<HttpServer> {
  const child = launch(['serve', '--http', '127.0.0.1:0', ...args], env);
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = exitOf(child);
  const stderr = gather(child.stderr);
  const shown = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (text.includes('Stop with')) resolve(text);
    });
    void exited.then(async (code) => reject(new Error(`The server ended with ${code}: ${await stderr}`)));
  });
  return {
    pid: child.pid ?? 0,
    url: /MCP +(http:\/\/\S+)\/mcp/.exec(shown)?.[1] ?? '',
    signInLink: /http:\/\/\S+\/signin#\S+/.exec(shown)?.[0] ?? '',
    stop() {
      child.kill('SIGTERM');
      return exited;
    },
  };
}

function launch(args: readonly string[], env: Readonly<Record<string, string>> = {}, cwd?: string) {
  const all = { ...process.env, ...serverFor(args, env, cwd), ...env };
  return spawn(process.execPath, [program, ...args], { env: all, ...(cwd && { cwd }) });
}

function exitOf(child: ChildProcessWithoutNullStreams): Promise<number | null> {
  return new Promise((resolve) => child.on('close', (code) => resolve(code)));
}

async function gather(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += chunk;
  return text;
}
