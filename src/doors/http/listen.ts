/** Binding a port, and letting go of it without cutting anybody off. */
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CairnError } from '../../errors.ts';
import type { Address } from './address.ts';

export interface Bound {
  readonly port: number;
  /** Takes no more connections; resolves once every answer that was begun is sent, or the time is over. */
  settle(withinMs: number): Promise<void>;
  /** Ends what is still open. */
  close(): Promise<void>;
}

const LOOK_MS = 20;

export async function listen(listener: RequestListener, address: Address): Promise<Bound> {
  const open = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    open.add(response);
    response.once('close', () => open.delete(response));
    listener(request, response);
  });
  server.headersTimeout = 20_000;
  const { port } = await bind(server, address);
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= new Promise((resolve) => server.close(() => resolve())));
  return {
    port,
    async settle(withinMs) {
      void stop();
      const deadline = performance.now() + withinMs;
      while ([...open].some(isAnswer) && performance.now() < deadline)
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    },
    async close() {
      const done = stop();
      server.closeAllConnections();
      await done;
    },
  };
}

/** A stream that a client only listens to has no end to wait for. */
function isAnswer(response: ServerResponse): boolean {
  const streams = String(response.getHeader('content-type') ?? '').startsWith('text/event-stream');
  return !(streams && response.req.method === 'GET');
}

function bind(server: Server, { host, port }: Address): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(bindError(error, host, port)));
    server.listen(port, host, () => resolve(server.address() as AddressInfo));
  });
}

function bindError(error: NodeJS.ErrnoException, host: string, port: number): CairnError {
  const taken = error.code === 'EADDRINUSE';
  return new CairnError(
    'bad_configuration',
    taken ? `Port ${port} on ${host} is taken` : `${host}:${port} cannot be bound: ${error.message}`,
    { taken, suggestion: taken ? 'Choose another port, or 0 for a free one.' : 'Choose another address.' },
    { cause: error },
  );
}
