/**
 * A small object store that speaks as much of S3 as Cairn does. It checks the signature of every request by the rules that AWS
 * publishes, from what came over the wire and by code of its own.
 */
import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const keys = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'not/a+real=secret',
  sessionToken: 'lent-for-a-while',
};

export interface TestBucket {
  /** For CAIRN_OBJECTS. */
  readonly address: string;
  readonly objects: Map<string, Buffer>;
  /** Requests that were answered, as `METHOD /path`. */
  readonly log: string[];
  /** Takes over an answer: gives the status, or `hang` for none at all, or nothing to go on as usual. */
  interfere: ((method: string, path: string) => number | 'hang' | 'cut' | undefined) | undefined;
  stop(): Promise<void>;
}

export async function testBucket(bucket = 'chunks', prefix = 'some/where'): Promise<TestBucket> {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  const endpoint = encodeURIComponent(`http://127.0.0.1:${port}`);
  const store: TestBucket = {
    address: `s3://${bucket}/${prefix}?endpoint=${endpoint}&region=eu-test-1`,
    objects: new Map(),
    log: [],
    interfere: undefined,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces);
    const [method = '', path = ''] = [request.method, request.url];
    const instead = store.interfere?.(method, path);
    if (instead === 'hang') return;
    if (instead === 'cut') return void request.socket.destroy();
    if (instead !== undefined) return refuse(response, instead, instead < 500 ? 'AccessDenied' : 'InternalError');
    const fault = faultOf(request, body);
    if (fault !== undefined) return refuse(response, 403, fault);
    if (!path.startsWith(`/${bucket}/`)) return refuse(response, 404, 'NoSuchBucket');
    store.log.push(`${method} ${path}`);
    if (method === 'PUT') {
      store.objects.set(path, body);
      return void response.writeHead(200).end();
    }
    const object = store.objects.get(path);
    if (method === 'DELETE') {
      store.objects.delete(path);
      return void response.writeHead(204).end();
    }
    return object === undefined ? refuse(response, 404, 'NoSuchKey') : void response.writeHead(200).end(object);
  }

  return store;
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`);
}

function faultOf(request: IncomingMessage, body: Buffer): string | undefined {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=(\S+), Signature=(\w+)$/;
  const parts = form.exec(request.headers.authorization ?? '');
  if (parts === null) return 'AccessDenied';
  const [, id, day = '', region = '', names = '', signature] = parts;
  const header = (name: string) => String(request.headers[name] ?? '');
  if (id !== keys.accessKeyId || header('x-amz-security-token') !== keys.sessionToken) return 'InvalidAccessKeyId';
  if (region !== 'eu-test-1') return 'AuthorizationHeaderMalformed';
  const list = names.split(';');
  const needed = ['host', 'x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token'];
  if (needed.some((name) => !list.includes(name))) return 'AccessDenied';
  const hash = createHash('sha256').update(body).digest('hex');
  if (header('x-amz-content-sha256') !== hash) return 'XAmzContentSHA256Mismatch';
  const canonical = `${request.method}\n${request.url}\n\n${list.map((name) => `${name}:${header(name)}\n`).join('')}\n${names}\n${hash}`;
  const time = header('x-amz-date');
  if (!time.startsWith(day) || Math.abs(timeOf(time) - Date.now()) > 900_000) return 'RequestTimeTooSkewed';
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const key = hmac(hmac(hmac(hmac(`AWS4${keys.secretAccessKey}`, day), region), 's3'), 'aws4_request');
  const digest = createHash('sha256').update(canonical).digest('hex');
  const right = hmac(key, `AWS4-HMAC-SHA256\n${time}\n${day}/${region}/s3/aws4_request\n${digest}`).toString('hex');
  return right === signature ? undefined : 'SignatureDoesNotMatch';
}

function timeOf(text: string): number {
  return Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
}
