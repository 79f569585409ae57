/**
 * One POST to a webhook. Threat: a URL, or a name that answers otherwise by now, which leads into the network of this machine. So
 * names are resolved here, every answer is judged, the connection goes to the judged addresses alone, and no redirect is followed.
 */
import * as http from 'node:http';
import * as https from 'node:https';
import { isIP } from 'node:net';
import { rangeOf } from '../../service/address.ts';
import { pinned, resolveName } from '../../service/reach.ts';
import type { Delivery } from './hook.ts';

export interface PostRules {
  readonly timeoutMs: number;
  /** Whether private and loopback addresses may be reached. */
  readonly allowPrivate: boolean;
}

/** Resolves when it was taken; throws why it was not, in words that may be kept and shown. */
export async function post(url: URL, delivery: Delivery, rules: PostRules, signal: AbortSignal): Promise<void> {
  const late = AbortSignal.timeout(rules.timeoutMs);
  const both = AbortSignal.any([late, signal]);
  try {
    const status = await send(url, await addressesOf(url, rules, both), delivery, both);
    if (status < 200 || status > 299) throw new Error(`The receiver answered ${status}`);
  } catch (thrown) {
    if (late.aborted) throw new Error(`No answer within ${rules.timeoutMs} ms`);
    throw thrown;
  }
}

async function addressesOf({ hostname }: URL, { allowPrivate }: PostRules, signal: AbortSignal): Promise<string[]> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const found = isIP(host) > 0 ? [host] : await whileWanted(resolveName(host), signal);
  for (const address of found) {
    const range = rangeOf(address);
    if (range === undefined || (range.openable && allowPrivate)) continue;
    const remedy = range.openable ? '; CAIRN_WEBHOOK_ALLOW_PRIVATE=1 allows it' : '';
    throw new Error(`The host leads to an address that is not public (${range.what})${remedy}`);
  }
  if (found.length === 0) throw new Error('The host has no address');
  return found;
}

/** A look-up cannot be stopped: nobody waits for it any longer. */
function whileWanted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

function send(
  url: URL,
  addresses: readonly string[],
  { body, headers }: Delivery,
  signal: AbortSignal,
): Promise<number> {
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const bytes = Buffer.from(body);
    const asked = request(url, {
      method: 'POST',
      // One connection of its own: none through a proxy from the environment.
      agent: false,
      lookup: pinned(addresses),
      headers: { ...headers, 'content-length': bytes.length },
      rejectUnauthorized: true,
      signal,
    });
    asked.on('response', (response) => {
      // Nothing of the answer but its status is of interest.
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
    asked.on('error', (error: NodeJS.ErrnoException) =>
      reject(new Error(`Not delivered: ${error.code ?? 'no answer'}`)),
    );
    asked.on('close', () => reject(new Error('The connection was closed without an answer')));
    asked.end(bytes);
  });
}
