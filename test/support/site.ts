/** A web server on loopback that counts who comes. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createRawServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Site {
  readonly url: string;
  readonly port: number;
  /** Every connection that was ever made, whether or not anything was asked for. */
  connections(): number;
}

export interface PageSite extends Site {
  readonly requests: readonly IncomingMessage[];
}

export type Page = (response: ServerResponse, request: IncomingMessage) => void;

/** Pages by their path; others are not found. */
export async function site(pages: Readonly<Record<string, Page>>): Promise<PageSite> {
  const requests: IncomingMessage[] = [];
  const listener: RequestListener = (request, response) => {
    requests.push(request);
    const page = pages[(request.url ?? '').split('?')[0] ?? ''];
    if (page === undefined) response.writeHead(404).end('nothing here');
    else page(response, request);
  };
  return { ...(await listening(createServer(listener))), requests };
}

/** Says the same bytes to everyone, then closes the connection. */
export function rawSite(answer: string | Buffer): Promise<Site> {
  return listening(
    createRawServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(answer));
    }),
  );
}

export async function listening(server: Server): Promise<Site> {
  const open = new Set<Socket>();
  let count = 0;
  server.on('connection', (socket: Socket) => {
    count++;
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, port, connections: () => count };
}

/** A page of fixed content. */
export function saying(content: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): Page {
  return (response) => void response.writeHead(200, headers).end(content);
}

export function leadingTo(location: string, status = 302): Page {
  return (response) => void response.writeHead(status, { location, 'set-cookie': 'id=1' }).end('elsewhere');
}

/** Goes on until the other side leaves. */
export function endless(headers: Readonly<Record<string, string>> = {}): Page {
  return (response) => {
    response.writeHead(200, headers);
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(16 * 1024, 'x')));
    };
    response.on('drain', more);
    more();
  };
}
