/** Binding a port, and letting go of it without cutting anybody off. */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
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
/**
 * How long a connection may rest between two requests. Common clients let theirs rest for five seconds, as Node would: then one
 * that sends its next request at that very moment finds the connection torn down.
 */
const REST_MS = 65_000;
/** How long each answer may take that somebody waits for who has closed their own half of the connection. */
const HALF_CLOSED_MS = 1000;

export async function listen(listener: RequestListener, address: Address): Promise<Bound> {
  const open = new Set<ServerResponse>();
  const server = createServer(
    inTurn((request, response) => {
      open.add(response);
      response.once('close', () => open.delete(response));
      listener(request, response);
    }),
  );
  server.headersTimeout = 20_000;
  server.keepAliveTimeout = REST_MS;
  answerHalfClosed(server);
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

/**
 * Answers of one connection are sent in the order of the questions, so they are made in that order too, each when the one before
 * is sent. Threat: a client that asks a thousand times at once, and reads nothing, would hold up all others and fill the memory.
 */
function inTurn(listener: RequestListener): RequestListener {
  const last = new WeakMap<Socket, Promise<void>>();
  return async (request, response) => {
    const { socket } = request;
    const before = last.get(socket);
    const sent = new Promise<void>((resolve) => response.once('close', () => resolve()));
    last.set(socket, sent);
    await before;
    // One that never had its turn when the connection ended has nobody to answer.
    if (!socket.destroyed) listener(request, response);
  };
}

/**
 * Who has said everything may close their half of the connection and wait for the answer; who has gone away looks the same from
 * here. So answers that come soon are sent, and then the connection is taken for one that nobody listens to. A stream is ended at
 * once: who listens to one does not close anything, and to close it is how a call is cancelled.
 */
function answerHalfClosed(server: Server): void {
  // Node's own switch, which its types leave out; without it, a half-closed connection is closed before the answer.
  Object.assign(server, { httpAllowHalfOpen: true });
  const current = new WeakMap<Socket, ServerResponse>();
  const timers = new WeakMap<Socket, NodeJS.Timeout>();
  server.on('connection', (socket: Socket) => {
    socket.once('end', () => {
      const response = current.get(socket);
      if (response !== undefined && isStream(response)) {
        socket.destroy();
        return;
      }
      const timer = setTimeout(() => socket.destroy(), HALF_CLOSED_MS);
      timers.set(socket, timer);
      socket.once('close', () => clearTimeout(timer));
    });
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    current.set(socket, response);
    response.once('finish', () => timers.get(socket)?.refresh());
  });
}

function isStream(response: ServerResponse): boolean {
  return String(response.getHeader('content-type') ?? '').startsWith('text/event-stream');
}

/** A stream that a client only listens to has no end to wait for. */
function isAnswer(response: ServerResponse): boolean {
  return !(isStream(response) && response.req.method === 'GET');
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
