/** HTTP by hand: clients that do what no library does, and one that only wants to be served meanwhile. */
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import type { Message } from '../support/cairn.ts';

export interface Answered {
  readonly status: number;
  readonly head: string;
  readonly body: Message;
}

/** One connection, whose bytes are sent as they are and read only when asked for. */
export class Wire {
  readonly socket: Socket;
  /** The server has nothing more to say here. Told to those that read. */
  readonly over: Promise<void>;
  #received = Buffer.alloc(0);
  #ended = false;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    this.socket.on('error', () => {});
    this.over = new Promise((resolve) => {
      for (const event of ['end', 'close']) this.socket.once(event, () => resolve());
    });
    onTestFinished(() => void this.socket.destroy());
  }

  send(text: string): this {
    this.socket.write(text);
    return this;
  }

  /** Reads from now on. */
  read(): this {
    this.socket.on('data', (part: Buffer) => {
      this.#received = Buffer.concat([this.#received, part]);
    });
    this.socket.on('end', () => {
      this.#ended = true;
    });
    return this;
  }

  get text(): string {
    return this.#received.toString();
  }

  /** The next answer, taken off. */
  async answer(withinMs = 20_000): Promise<Answered> {
    const deadline = Date.now() + withinMs;
    for (;;) {
      const next = answerIn(this.#received);
      if (next !== undefined) {
        this.#received = this.#received.subarray(next.length);
        return next.answer;
      }
      if (this.#ended || Date.now() > deadline)
        throw new Error(`No whole answer came${this.#ended ? ' before the end' : ''}: ${this.text.slice(0, 300)}`);
      await delay(2);
    }
  }
}

/** The first whole answer among the bytes, with a length or in chunks, and how many bytes it takes. */
export function answerIn(bytes: Buffer): { readonly answer: Answered; readonly length: number } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const head = bytes.subarray(0, headEnd).toString();
  const start = headEnd + 4;
  const size = /^content-length: (\d+)$/im.exec(head)?.[1];
  const body = size === undefined ? chunksIn(bytes, start) : plainIn(bytes, start, Number(size));
  if (body === undefined) return undefined;
  const json = /^data: (.+)$/m.exec(body.text)?.[1] ?? body.text;
  const status = Number(head.split(' ')[1]);
  return { answer: { status, head, body: json === '' ? {} : JSON.parse(json) }, length: body.end };
}

function plainIn(bytes: Buffer, start: number, size: number) {
  const end = start + size;
  return bytes.length < end ? undefined : { text: bytes.subarray(start, end).toString(), end };
}

function chunksIn(bytes: Buffer, start: number) {
  let text = '';
  for (let at = start; ; ) {
    const line = bytes.indexOf('\r\n', at);
    if (line < 0) return undefined;
    const size = Number.parseInt(bytes.subarray(at, line).toString(), 16);
    const end = line + 2 + size + 2;
    if (bytes.length < end) return undefined;
    if (size === 0) return { text, end };
    text += bytes.subarray(line + 2, end - 2).toString();
    at = end;
  }
}

export function posting(path: string, body: unknown, headers: readonly string[] = []): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    'content-type: application/json',
    'accept: application/json, text/event-stream',
    `content-length: ${Buffer.byteLength(text)}`,
    ...headers,
  ];
  return `${head.join('\r\n')}\r\n\r\n${text}`;
}

export const toolCall = (id: number, name: string, input: Message = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: input },
});

/** What somebody else waits at most while others misbehave; generous, since tests share the machine. */
const PROMPT_MS = 5000;

/** Asks again and again while something goes on; fails where an answer is wrong or late. */
export async function whileServed<T>(url: string, work: () => Promise<T>): Promise<T> {
  let going = true;
  const served = (async () => {
    let [calls, worst] = [0, 0];
    while (going) {
      const start = performance.now();
      const message = `bystander ${calls++}`;
      const response = await fetch(`${url}/api/v1/mcp_echo`, { method: 'POST', body: JSON.stringify({ message }) });
      expect(await response.json()).toEqual({ message });
      worst = Math.max(worst, performance.now() - start);
      await delay(20);
    }
    return { calls, worst };
  })();
  // Heard of below; not before, where the work itself fails.
  served.catch(() => {});
  try {
    return await work();
  } finally {
    going = false;
    const { calls, worst } = await served;
    expect(calls).toBeGreaterThan(0);
    expect(worst, 'another client waited too long').toBeLessThan(PROMPT_MS);
  }
}
