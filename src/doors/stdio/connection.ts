/**
 * The stdio connection: one stream of lines that carries MCP and raw JSON-RPC side by side. Lines that are neither are
 * answered with -32700 or -32600 and harm nothing.
 */
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import { type CairnError, toCairnError } from '../../errors.ts';
import { version } from '../../version.ts';
import { type Frame, parseFrame } from './frame.ts';
import { splitLines } from './lines.ts';
import type { RawDoor } from './raw.ts';
import { Turns } from './turns.ts';

/** How long requests in flight may still finish after stdin has ended; the process is gone within a second. */
const DRAIN_MS = 700;
/** Methods that wait for no other. */
const urgent = new Set(['ping', 'exit']);

export class StdioConnection {
  /** Takes the messages that are MCP. */
  onmessage: (message: JSONRPCMessage) => void = () => {};
  onclose: () => void = () => {};
  /** Resolves when the connection is over, however it ended. */
  readonly ended: Promise<void>;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #raw: RawDoor;
  readonly #maxFrame: number;
  readonly #ending = new AbortController();
  /** Requests that were read and are not answered yet, by door and id. */
  readonly #turns: Turns;
  #initializeId: RequestId | undefined;
  #closed = false;
  #end: () => void = () => {};

  constructor(input: Readable, output: Writable, raw: RawDoor, maxFrame: number) {
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#input = input;
    this.#output = output;
    this.#raw = raw;
    this.#maxFrame = maxFrame;
    this.#turns = new Turns(input, output);
  }

  start(): void {
    const lines = splitLines(
      this.#maxFrame,
      (line) => this.#receive(parseFrame(line), line.length),
      () => this.#writeError(null, -32600, `Invalid Request: a frame is larger than ${this.#maxFrame} bytes`),
    );
    this.#input.on('data', (chunk: Buffer) => lines.push(chunk));
    this.#input.on('end', () => void this.#drain());
    this.#input.on('close', () => void this.#drain());
    this.#input.on('error', () => void this.#drain());
    // The client stopped reading: nobody is left to answer.
    this.#output.on('error', () => void this.close());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const written = this.#write(message);
    if ('id' in message && !('method' in message) && message.id !== undefined) {
      const ended = () => this.#turns.end(keyOf('mcp', message.id));
      written.then(ended, ended);
    }
    if ('result' in message && message.id === this.#initializeId) {
      this.#initializeId = undefined;
      void this.#write({ jsonrpc: '2.0', method: 'server/ready', params: { version } }).catch(() => {});
    }
    await written;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#turns.close();
    this.#ending.abort();
    this.#input.removeAllListeners('data');
    this.#input.pause();
    this.onclose();
    this.#end();
  }

  #receive(frame: Frame, bytes: number): void {
    if (frame.kind === 'bad') {
      this.#answerError(frame.id, frame.error);
    } else if (frame.kind === 'raw') {
      const key = keyOf('raw', frame.id);
      const answer = () => void this.#answerRaw(frame).finally(() => this.#turns.end(key));
      if (urgent.has(frame.method)) answer();
      else this.#turns.begin(key, bytes, answer);
    } else if (frame.id !== undefined) {
      this.#turns.begin(keyOf('mcp', frame.id), bytes, () => this.#deliver(frame));
    } else {
      this.#deliver(frame);
    }
  }

  #deliver(frame: Extract<Frame, { kind: 'mcp' }>): void {
    if (frame.method === 'initialize') this.#initializeId = frame.id;
    if (frame.method === 'notifications/cancelled') this.#forget(frame.message);
    this.onmessage(frame.message);
  }

  async #answerRaw({ method, params, id }: Extract<Frame, { kind: 'raw' }>): Promise<void> {
    try {
      const result = await this.#raw.answer(method, params, this.#ending.signal);
      if (id !== undefined) await this.#write({ jsonrpc: '2.0', id, result });
    } catch (thrown) {
      if (id !== undefined) this.#answerError(id, toCairnError(thrown));
    }
  }

  /** A cancelled request gets no answer, so nobody must wait for one. */
  #forget(message: JSONRPCMessage): void {
    const id = 'params' in message ? (message.params as { requestId?: RequestId } | undefined)?.requestId : undefined;
    this.#turns.cancel(keyOf('mcp', id));
  }

  async #drain(): Promise<void> {
    const deadline = performance.now() + DRAIN_MS;
    while (!this.#turns.idle && !this.#closed && performance.now() < deadline) await delay(5);
    await this.close();
  }

  #answerError(id: RequestId | null, error: CairnError): void {
    this.#writeError(id, error.code, error.message, error.data);
  }

  #writeError(id: RequestId | null, code: number, message: string, data?: unknown): void {
    this.#write({ jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } }).catch(() => {});
  }

  #write(message: unknown): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new Error('The connection is closed'));
      this.#output.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }
}

function keyOf(door: 'mcp' | 'raw', id: RequestId | undefined): string {
  return `${door} ${typeof id} ${id}`;
}
