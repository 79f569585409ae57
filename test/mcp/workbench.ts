/** One temporary home, and every Cairn process and SDK client a test starts on it. `end` ends them all. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

export const program = fileURLToPath(new URL('../../dist/cairn.js', import.meta.url));

export const MODERN = '2026-07-28';

/** How a client finds out which protocol to speak, and which versions of the older era it knows. */
export interface Dialect {
  readonly mode: 'legacy' | 'auto' | { readonly pin: string };
  readonly versions?: string[];
}

export const legacy: Dialect = { mode: 'legacy' };
export const auto: Dialect = { mode: 'auto' };
export const pinned: Dialect = { mode: { pin: MODERN } };

export interface Connection {
  readonly client: Client;
  readonly transport: Transport;
}

/** No child of a test outlives this, whatever happens to the test. */
const LIFETIME_MS = 120_000;

/** Settings of the developer's own shell must not reach a server under test. */
export function bareEnvironment(home: string): Record<string, string> {
  return { PATH: process.env.PATH ?? '', HOME: home };
}

export class Workbench {
  readonly home: string;
  readonly #folder: string;
  readonly #endings: (() => Promise<void>)[] = [];

  private constructor(folder: string) {
    this.#folder = folder;
    this.home = join(folder, 'home');
  }

  static async open(): Promise<Workbench> {
    return new Workbench(await mkdtemp(join(tmpdir(), 'cairn-mcp-')));
  }

  async end(): Promise<void> {
    for (const ending of this.#endings.splice(0).reverse()) await ending();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** An SDK client on a `cairn serve` of its own, over stdio. */
  stdio(dialect: Dialect, ...flags: string[]): Promise<Connection> {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [program, 'serve', '--home', this.home, ...flags],
      env: this.#environment(),
      stderr: 'ignore',
    });
    return this.#connect(transport, dialect);
  }

  /** An SDK client of the HTTP server at `url`. */
  http(url: string, dialect: Dialect): Promise<Connection> {
    return this.#connect(new StreamableHTTPClientTransport(new URL(url)), dialect);
  }

  /** Starts `cairn serve --http` on a free port and answers the address of its MCP endpoint, as it prints it. */
  async serveHttp(...flags: string[]): Promise<string> {
    const child = this.#spawn('serve', '--http', '127.0.0.1:0', ...flags);
    for await (const line of createInterface({ input: child.stdout })) {
      const url = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(line)?.[0];
      if (url === undefined) continue;
      child.stdout.resume();
      return url;
    }
    throw new Error(`cairn serve --http ended without an address (exit code ${child.exitCode})`);
  }

  /** The answer of the raw JSON-RPC door to one request without `initialize`. */
  async raw(method: string, params: Record<string, unknown>): Promise<unknown> {
    const child = this.#spawn('serve');
    child.stdin.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}\n`);
    const answer = JSON.parse(await text(child.stdout)) as { result?: unknown; error?: unknown };
    return answer.result ?? answer.error;
  }

  async #connect(transport: Transport, { mode, versions }: Dialect): Promise<Connection> {
    const client = new Client(
      { name: 'cairn-tests', version: '1.0.0' },
      { versionNegotiation: { mode }, ...(versions && { supportedProtocolVersions: versions }) },
    );
    this.#endings.push(() => client.close());
    await client.connect(transport, { timeout: 20_000 });
    return { client, transport };
  }

  #spawn(...args: string[]) {
    const child = spawn(process.execPath, [program, ...args, '--home', this.home], {
      env: this.#environment(),
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: LIFETIME_MS,
      killSignal: 'SIGKILL',
    });
    this.#endings.push(() => ended(child));
    return child;
  }

  #environment(): Record<string, string> {
    return bareEnvironment(this.#folder);
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), 5000);
  await exit;
  clearTimeout(kill);
}
