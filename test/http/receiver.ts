/** A receiver of webhooks on loopback, that takes or refuses what it is sent as the test wants. */
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Message } from '../support/cairn.ts';
import { listening } from '../support/site.ts';

export interface Received {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly body: Message;
}

export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  connections(): number;
  /** What it answers from now on. */
  answer(status: number, headers?: Record<string, string>): void;
  until(count: number): Promise<readonly Received[]>;
}

const WAIT_MS = 20_000;

export async function receiver(): Promise<Receiver> {
  const received: Received[] = [];
  let answered: [number, Record<string, string>] = [200, {}];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    received.push({ headers: request.headers, text, body: JSON.parse(text) });
    const [status, headers] = answered;
    // 0 stands for no answer at all.
    if (status > 0) response.writeHead(status, headers).end();
  });
  const { url, connections } = await listening(server);
  return {
    url: `${url}/hook`,
    received,
    connections,
    answer(status, headers = {}) {
      answered = [status, headers];
    },
    async until(count) {
      for (const start = Date.now(); received.length < count; await delay(20))
        if (Date.now() - start > WAIT_MS) throw new Error(`Only ${received.length} of ${count} came`);
      return received;
    },
  };
}
