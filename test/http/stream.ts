/** A client of server-sent events that keeps what it got. */
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { Message } from '../support/cairn.ts';

export interface Told {
  readonly id: string;
  readonly event: string;
  readonly data: Message;
}

export interface Listening {
  readonly status: number;
  readonly told: readonly Told[];
  readonly comments: readonly string[];
  /** Once so many were told. */
  until(count: number): Promise<readonly Told[]>;
  readonly ended: Promise<void>;
  close(): void;
}

const WAIT_MS = 15_000;

export async function listen(
  url: string,
  path = '/api/v1/events',
  headers: Record<string, string> = {},
): Promise<Listening> {
  const leave = new AbortController();
  onTestFinished(() => leave.abort());
  const response = await fetch(`${url}${path}`, { headers, signal: leave.signal });
  const told: Told[] = [];
  const comments: string[] = [];
  let ready = () => {};
  const begun = new Promise<void>((resolve) => {
    ready = resolve;
  });
  const ended = (async () => {
    let text = '';
    for await (const part of response.body ?? []) {
      text += Buffer.from(part as Uint8Array).toString();
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? '';
        if (/^event:/m.test(block))
          told.push({ id: field('id'), event: field('event'), data: JSON.parse(field('data')) });
        else comments.push(block);
      }
      ready();
    }
  })().catch(() => {});
  if (response.status === 200) await begun;
  return {
    status: response.status,
    told,
    comments,
    ended,
    close: () => leave.abort(),
    async until(count) {
      for (const start = Date.now(); told.length < count; await delay(20))
        if (Date.now() - start > WAIT_MS) throw new Error(`Only ${told.length} of ${count} events came`);
      return told;
    },
  };
}
