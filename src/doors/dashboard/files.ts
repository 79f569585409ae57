/**
 * The files of the page. Threat: a path that leaves their folder. So paths are never joined to it: the folder is listed once,
 * and only what was found in it is served.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, relative, sep } from 'node:path';
import { securityHeaders } from './security.ts';

interface PageFile {
  readonly type: string;
  /** Where it lies, by the name of the encoding; `identity` is always there. */
  readonly places: ReadonlyMap<string, string>;
}

export type PageFiles = ReadonlyMap<string, PageFile>;

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.md': 'text/plain; charset=utf-8',
};
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** Everything in the folder by its path in a URL; nothing where there is no folder. */
export async function readPageFiles(folder: string): Promise<PageFiles> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  const places = new Set(entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)));
  const files = new Map<string, PageFile>();
  for (const place of places) {
    const type = types[extname(place)];
    if (type === undefined) continue;
    const packed = encodings.flatMap(([name, suffix]): [string, string][] =>
      places.has(place + suffix) ? [[name, place + suffix]] : [],
    );
    const path = `/${relative(folder, place).split(sep).join('/')}`;
    files.set(path, { type, places: new Map([['identity', place], ...packed]) });
  }
  return files;
}

export async function sendPageFile(
  request: Pick<IncomingMessage, 'method' | 'headers'>,
  response: ServerResponse,
  path: string,
  file: PageFile,
): Promise<void> {
  const encoding = encodingFor(request.headers['accept-encoding'], file);
  const body = await readFile(file.places.get(encoding) ?? '');
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  const headers = {
    ...securityHeaders(path),
    // A name with a hash in it never stands for another content.
    'cache-control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-store',
    vary: 'Accept-Encoding',
    etag,
  };
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304, headers).end();
    return;
  }
  response.writeHead(200, {
    ...headers,
    'content-type': file.type,
    'content-length': body.length,
    ...(encoding !== 'identity' && { 'content-encoding': encoding }),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

function encodingFor(accepted: string | string[] | undefined, file: PageFile): string {
  const wanted = String(accepted ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => !/;\s*q=0(?:\.0*)?$/.test(part))
    .map((part) => part.replace(/\s*;.*$/, ''));
  return encodings.find(([name]) => file.places.has(name) && wanted.includes(name))?.[0] ?? 'identity';
}
