/** A URL that is told of changes: what it is called where others can read it, and what is sent to it. */
import { createHmac } from 'node:crypto';
import { sha256 } from '../../store/hash.ts';
import type { AuditEntry } from '../../store/store.ts';
import { version } from '../../version.ts';
import { type KindOf, noticeOf } from '../notice.ts';

export interface Hook {
  readonly id: string;
  readonly url: URL;
  /** Without what a URL may hold of secrets. */
  readonly address: string;
}

export function hookOf(text: string): Hook {
  const url = new URL(text);
  return { id: sha256(url.href).slice(0, 16), url, address: shownAddress(url) };
}

/** Some services put the secret into the path: parts of it that are long enough for one are cut. */
export function shownAddress({ origin, pathname }: URL): string {
  const parts = pathname.split('/').map((part) => (part.length < 16 ? part : `${part.slice(0, 4)}…`));
  return `${origin}${parts.join('/')}`;
}

export interface Delivery {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The same entry has the same delivery id however often it is sent, so that a receiver can tell. */
export function deliveryOf(hook: Hook, entry: AuditEntry, kindOf: KindOf, secret: string, nowMs: number): Delivery {
  const { seq, ...facts } = noticeOf(entry, kindOf);
  const body = JSON.stringify({ id: seq, ...facts });
  const timestamp = String(Math.floor(nowMs / 1000));
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': `cairn/${version}`,
      'x-cairn-delivery': sha256(`${hook.id} ${entry.hash}`).slice(0, 32),
      'x-cairn-timestamp': timestamp,
      ...(secret !== '' && { 'x-cairn-signature': signatureOf(secret, timestamp, body) }),
    },
  };
}

/** Over the time too: an old request cannot be sent again as a new one. */
export function signatureOf(secret: string, timestamp: string, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
}

export const MOST_ATTEMPTS = 8;

/** Twice as long after each attempt, less a random part, so that many do not come back at once. */
export function pauseAfter(attempts: number, baseMs: number, random: number): number {
  return Math.round(baseMs * 2 ** (attempts - 1) * (1 - random / 2));
}

/** One that is due later than that was put off under a clock that was wrong. */
export function longestPause(baseMs: number): number {
  return pauseAfter(MOST_ATTEMPTS, baseMs, 0);
}
