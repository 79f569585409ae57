/**
 * A server process behind stdio, any server: speaks raw JSON-RPC and MCP to it, one request at a time, and measures each
 * from the write to the arrival of the answer.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Ask, type Command, handshake, linesOf, type Message, message, spawnOptions } from './command.ts';
import { cpuMs, type Memory, memory, memoryOfAll } from './usage.ts';

export interface Answer {
  readonly ms: number;
  /** The whole line. */
  readonly text: string;
}

const ANSWER_LIMIT_MS = 30_000;
const END_LIMIT_MS = 3_000;

/** Starts one server for each command, and ends them all whatever becomes of the work. */
export async function withServers<T>(
  commands: readonly Command[],
  work: (servers: readonly Server[]) => Promise<T>,
): Promise<T> {
  const servers = commands.map((command) => new Server(command));
  try {
    return await work(servers);
  } finally {
    await Promise.all(servers.map((server) => server.end()));
  }
}

interface Waiting {
  readonly since: number;
  readonly timer: NodeJS.Timeout;
  resolve(answer: Answer): void;
  reject(reason: Error): void;
}

export class Server {
  readonly #name: string;
  readonly #patienceMs: number;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #closed: Promise<unknown>;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;
  #rest = '';
  #complaints = '';
  /** Why no further answer will come. */
  #over: string | undefined;

  constructor(command: Command) {
    const [program, ...rest] = command.argv;
    this.#name = command.argv.join(' ');
    this.#patienceMs = command.patienceMs ?? ANSWER_LIMIT_MS;
    this.#child = spawn(program, rest, { ...spawnOptions(command), stdio: 'pipe' });
    this.#closed = once(this.#child, 'close').catch(() => undefined);
    this.#child.stdout.setEncoding('utf8').on('data', (chunk: string) => this.#receive(chunk));
    this.#child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      this.#complaints = (this.#complaints + chunk).slice(-2000);
    });
    this.#child.stdin.on('error', () => {});
    this.#child.on('error', (error) => this.#fail(error.message));
    this.#child.on('exit', (code, signal) => this.#fail(`it ended with ${code ?? signal}`));
  }

  /** The opening of MCP. A server that answers raw requests can do without. */
  async initialize(): Promise<Answer> {
    const answered = this.#await(1);
    this.#nextId = 2;
    this.#child.stdin.write(linesOf(handshake));
    return answered;
  }

  request(method: string, params?: Message['params']): Promise<Answer> {
    const id = this.#nextId++;
    const line = linesOf([message(method, params, id)]);
    const answered = this.#await(id);
    this.#child.stdin.write(line);
    return answered;
  }

  /** One tool call; in milliseconds. */
  async call({ tool, input, proof }: Ask): Promise<number> {
    const { ms, text } = await this.request('tools/call', { name: tool, arguments: input });
    if (text.includes(proof)) return ms;
    throw this.#failure(`the answer of ${tool} lacks ${proof}: ${text.slice(0, 500)}`);
  }

  cpuMs(): number | undefined {
    return cpuMs(this.#pid());
  }

  memory(): Memory | undefined {
    return memory(this.#pid());
  }

  /** With the processes that it started. */
  memoryOfAll(): Memory | undefined {
    return memoryOfAll(this.#pid());
  }

  /** As a client does it: the input ends, and the server goes by itself; if not, it is killed. */
  async end(): Promise<void> {
    this.#child.stdin.end();
    const killer = setTimeout(() => this.#child.kill('SIGKILL'), END_LIMIT_MS);
    await this.#closed;
    clearTimeout(killer);
  }

  #pid(): number {
    if (this.#child.pid === undefined) throw new Error(`${this.#name} did not start`);
    return this.#child.pid;
  }

  #await(id: number): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#over !== undefined) return reject(this.#failure(this.#over));
      const timer = setTimeout(() => this.#fail(`no answer within ${this.#patienceMs} ms`), this.#patienceMs);
      this.#waiting.set(id, { since: performance.now(), timer, resolve, reject });
    });
  }

  #receive(chunk: string): void {
    const now = performance.now();
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#settle(line, now);
  }

  #settle(line: string, now: number): void {
    const { id, error, result } = this.#parse(line);
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (id === undefined || waiting === undefined) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    // An error is answered faster than the work that was meant to be measured.
    if (error !== undefined || result?.isError === true)
      waiting.reject(this.#failure(`it refused: ${line.slice(0, 500)}`));
    else waiting.resolve({ ms: now - waiting.since, text: line });
  }

  #parse(line: string): { id?: number; error?: unknown; result?: { isError?: boolean } } {
    try {
      return JSON.parse(line);
    } catch {
      this.#fail(`it wrote a line that is not JSON: ${line.slice(0, 200)}`);
      return {};
    }
  }

  #fail(reason: string): void {
    this.#over ??= reason;
    for (const { timer, reject } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(this.#failure(this.#over));
    }
    this.#waiting.clear();
  }

  #failure(reason: string): Error {
    return new Error(`${this.#name}: ${reason}\n${this.#complaints}`.trim());
  }
}
