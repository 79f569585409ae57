/** Requests to S3 are signed with AWS Signature Version 4, with the hash of the body in it. Pure. */
import { createHmac } from 'node:crypto';
import { sha256 } from '../hash.ts';
import type { Credentials } from './bucket-address.ts';

export interface Signable {
  readonly method: string;
  readonly url: URL;
  /** With names in small letters. All are signed. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
}

/** The headers to send: those given, and what the signature adds. `host` is set by whoever sends. */
export function signed(
  { method, url, headers = {}, body }: Signable,
  { accessKeyId, secretAccessKey, sessionToken }: Credentials,
  region: string,
  now: Date,
): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '');
  const hash = sha256(body ?? '');
  const sent: Record<string, string> = {
    ...headers,
    'x-amz-content-sha256': hash,
    'x-amz-date': time,
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  };
  const all = Object.entries({ ...sent, host: url.host }).sort(byName);
  const names = all.map(([name]) => name).join(';');
  const lines = all.map(([name, value]) => `${name}:${value.trim().replace(/ +/g, ' ')}\n`).join('');
  const canonical = [method, canonicalPath(url), canonicalQuery(url), lines, names, hash].join('\n');
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`;
  const signature = keyed(signingKey(secretAccessKey, scope), text).toString('hex');
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

function signingKey(secret: string, scope: string): Buffer {
  return scope.split('/').reduce<Buffer>((key, part) => keyed(key, part), Buffer.from(`AWS4${secret}`));
}

function keyed(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function canonicalPath({ pathname }: URL): string {
  return pathname
    .split('/')
    .map((part) => encoded(decodeURIComponent(part)))
    .join('/');
}

function canonicalQuery({ searchParams }: URL): string {
  return [...searchParams]
    .map(([name, value]): [string, string] => [encoded(name), encoded(value)])
    .sort(byName)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

function byName([one]: [string, string], [other]: [string, string]): number {
  return one < other ? -1 : 1;
}

/** Everything but what RFC 3986 leaves as it is. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
