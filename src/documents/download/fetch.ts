/**
 * One download over http or https. Threat: a name may answer with a public address when it is judged and with a private one
 * when it is used, and a redirect may lead anywhere. So names are resolved here, every answer is judged, the connection goes to
 * the judged addresses alone, and every redirect begins anew. Nothing of ours goes along: no credentials, cookies or proxies.
 */
import * as http from 'node:http';
import * as https from 'node:https';
import { isIP } from 'node:net';
import { addAbortSignal, pipeline, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { CairnError } from '../../errors.ts';
import type { AddressRange } from '../../service/address.ts';
import { pinned } from '../../service/reach.ts';
import { version } from '../../version.ts';
import { Deadline } from './deadline.ts';
import { redirected } from './link.ts';
import { told } from './trouble.ts';

export interface FetchRules {
  readonly maxBytes: number;
  /** For all of it. */
  readonly timeoutMs: number;
  /** Without a byte from the other side. */
  readonly idleMs: number;
  resolve(host: string): Promise<readonly string[]>;
  /** The range of an address that may not be reached. */
  refused(address: string): AddressRange | undefined;
}

export interface Fetched {
  /** Where the redirects ended. */
  readonly url: URL;
  readonly redirects: number;
  readonly contentType?: string;
  readonly modified?: Date;
}

type Sink = (bytes: Uint8Array) => Promise<void>;

const MOST_REDIRECTS = 5;
const redirectCodes = new Set([301, 302, 303, 307, 308]);

export async function fetchTo(start: URL, sink: Sink, rules: FetchRules, signal: AbortSignal): Promise<Fetched> {
  const deadline = new Deadline(rules, signal);
  try {
    const { response, url, redirects } = await follow(start, rules, deadline);
    try {
      addAbortSignal(deadline.signal, response);
      await pour(response, url, sink, rules);
    } finally {
      response.destroy();
    }
    // A body that was cut off by one of our limits must not pass for a short one.
    deadline.check();
    return { url, redirects, ...describe(response) };
  } catch (thrown) {
    deadline.check();
    throw told(thrown, start);
  } finally {
    deadline.clear();
  }
}

async function follow(start: URL, rules: FetchRules, deadline: Deadline) {
  let url = start;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const response = await ask(url, await addressesOf(url, rules, deadline), deadline);
    if (!redirectCodes.has(response.statusCode ?? 0)) return { response, url, redirects };
    response.destroy();
    url = redirected(url, response.headers.location);
  }
  throw new CairnError('limit_exceeded', `${start.host} redirects more than ${MOST_REDIRECTS} times`, {
    suggestion: 'Give the URL at which the redirects end.',
  });
}

/** All of them public, or none is used: who answers with both kinds is up to something. */
async function addressesOf({ hostname }: URL, rules: FetchRules, deadline: Deadline): Promise<readonly string[]> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const found = isIP(host) > 0 ? [host] : await deadline.race(rules.resolve(host));
  for (const address of found) {
    const range = rules.refused(address);
    if (range !== undefined) throw denied(host, range);
  }
  if (found.length > 0) return found;
  throw new CairnError('not_found', `${host} has no address`, { suggestion: 'Check the spelling of the host.' });
}

/** Without the address: which ones a network uses inside is nobody's business. */
function denied(host: string, { what, openable }: AddressRange): CairnError {
  return new CairnError('permission_denied', `${host} leads to an address that download does not reach: ${what}`, {
    suggestion: openable
      ? 'Whoever runs the server can allow it with CAIRN_DOWNLOAD_PRIVATE=1; else fetch it yourself, and use add.'
      : 'Fetch it yourself, and use add.',
  });
}

function ask(url: URL, addresses: readonly string[], deadline: Deadline): Promise<http.IncomingMessage> {
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const asked = request(url, {
      // One connection of its own: none that was opened for another name, and none through a proxy from the environment.
      agent: false,
      lookup: pinned(addresses),
      headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': `cairn/${version}` },
      rejectUnauthorized: true,
      timeout: deadline.idleMs,
      signal: deadline.signal,
    });
    asked.on('timeout', () => deadline.idle());
    asked.on('response', resolve);
    asked.on('error', reject);
    // A server that changes the protocol ends the request without an answer and without an error.
    asked.on('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
    asked.end();
  });
}

async function pour(response: http.IncomingMessage, url: URL, sink: Sink, { maxBytes }: FetchRules): Promise<void> {
  if (response.statusCode !== 200) throw unwelcome(url, response.statusCode ?? 0);
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(url, maxBytes);
  let size = 0;
  for await (const part of decoded(response, url)) {
    size += part.length;
    if (size > maxBytes) throw tooLarge(url, maxBytes);
    await sink(part);
  }
  // Node reports this itself; a version that does not must not make a part pass for the whole.
  if (!response.complete) throw new CairnError('validation_failed', `${url.host} broke off in the middle`);
}

/** We ask for the bytes as they are. Some servers pack them all the same; the limit then holds for what is unpacked. */
function decoded(response: http.IncomingMessage, url: URL): AsyncIterable<Uint8Array> {
  const coding = (response.headers['content-encoding'] ?? '').trim().toLowerCase();
  if (coding === '' || coding === 'identity') return response;
  const decoder = decoders.get(coding);
  if (decoder === undefined) {
    throw new CairnError('validation_failed', `${url.host} sends the content packed as ${coding.slice(0, 40)}`, {
      suggestion: 'Fetch it yourself, and use add.',
    });
  }
  // What goes wrong before the decoder ends its output as an error.
  return pipeline(response, decoder(), () => {});
}

const decoders: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

function describe({ headers }: http.IncomingMessage): Pick<Fetched, 'contentType' | 'modified'> {
  const contentType = headers['content-type']?.slice(0, 200);
  const modified = new Date(headers['last-modified'] ?? Number.NaN);
  const isTime = modified.getTime() >= 0 && modified.getTime() <= Date.now();
  return { ...(contentType !== undefined && { contentType }), ...(isTime && { modified }) };
}

function unwelcome(url: URL, status: number): CairnError {
  const gone = status === 404 || status === 410;
  const words = `${status} ${http.STATUS_CODES[status] ?? ''}`.trim();
  return new CairnError(gone ? 'not_found' : 'validation_failed', `${url.host} answers ${words}`, {
    suggestion:
      status >= 500 ? 'Try again later.' : 'Check the URL; what needs a login has to be fetched by other means.',
  });
}

function tooLarge(url: URL, most: number): CairnError {
  return new CairnError('limit_exceeded', `What ${url.host} sends has more than ${most} bytes. Nothing was stored`, {
    suggestion: 'Raise max_bytes; a document may have what CAIRN_MAX_DOCUMENT says.',
  });
}
