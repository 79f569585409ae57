/** The HTTP door: MCP at /mcp and a plain health page, behind the Host, Origin and key checks. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  hostHeaderValidation,
  type NodeIncomingMessageLike,
  originValidation,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import type { AuthInfo, McpServerFactory } from '@modelcontextprotocol/server';
import { CairnError, explain, toCairnError } from '../../errors.ts';
import { call } from '../../operations/call.ts';
import type { App } from '../../service/app.ts';
import type { Principal } from '../../service/principal.ts';
import { createMcpServer, type PrincipalOf } from '../mcp/server.ts';
import { type Address, acceptedNames, isLoopback, urlOf } from './address.ts';
import { identify, keyNeeded } from './identity.ts';
import { type McpEndpoint, mcpEndpoint } from './sessions.ts';

export interface HttpDoor {
  readonly url: string;
  close(): Promise<void>;
}

/** The test suite of the protocol puts its fixtures in here; everything around them is the real thing. */
export type ServerMaker = (app: App, principalOf: PrincipalOf) => ReturnType<typeof createMcpServer>;

export async function serveOnHttp(
  app: App,
  address: Address,
  makeServer: ServerMaker = createMcpServer,
): Promise<HttpDoor> {
  if (!isLoopback(address.host) && !(await keyNeeded(app))) {
    throw new CairnError(
      'bad_configuration',
      `${address.host} can be reached from other machines, and there is no key`,
      {
        suggestion: 'Make one first (cairn keys add NAME --role agent) or set CAIRN_API_KEY; or bind 127.0.0.1.',
      },
    );
  }
  const factory: McpServerFactory = () => makeServer(app, ({ http }) => http?.authInfo?.extra?.principal as Principal);
  const endpoint = mcpEndpoint(factory, {
    maxSessions: app.config.httpSessions,
    maxBody: app.config.maxFrame,
    keepAliveMs: app.config.keepAliveMs,
    connections: app.connections,
    onerror: (error) => {
      if (app.config.logProtocol) app.log.warn('protocol', { error: error.message });
    },
  });
  const server = createServer(listener(app, address, endpoint));
  server.headersTimeout = 20_000;
  const bound = await listen(server, address);
  return {
    url: urlOf({ ...address, port: bound.port }),
    async close() {
      const stopped = new Promise<void>((resolve) => server.close(() => resolve()));
      await endpoint.close();
      server.closeAllConnections();
      await stopped;
    },
  };
}

function listener(app: App, address: Address, endpoint: McpEndpoint) {
  const acceptHost = hostHeaderValidation(acceptedNames(address.host, app.config.allowedHosts));
  const acceptOrigin = originValidation(acceptedNames(address.host, app.config.allowedOrigins));
  const mcp = toNodeHandler(endpoint, {
    maxRequestBodySize: app.config.maxFrame,
    onerror: (error) => app.log.error('http', { error: error.message }),
  });
  return async (request: IncomingMessage & { auth?: AuthInfo }, response: ServerResponse) => {
    response.setHeader('x-content-type-options', 'nosniff');
    response.setHeader('cache-control', 'no-store');
    if (!acceptHost(request, response) || !acceptOrigin(request, response)) return;
    try {
      const principal = await identify(app, request);
      const path = new URL(request.url ?? '/', 'http://localhost').pathname;
      if (path === '/mcp') {
        // What the SDK hands through to the handlers untouched; the key itself goes no further.
        request.auth = { token: '', clientId: principal.name, scopes: [principal.role], extra: { principal } };
        // The adapter's type leaves out that Node may have no method or url; it copes with that.
        await mcp(request as NodeIncomingMessageLike, response);
      } else if (path === '/health' && request.method === 'GET') {
        send(response, 200, await call(app, { operation: 'health_check', input: {}, principal }));
      } else {
        throw new CairnError('not_found', `Nothing is at ${path.slice(0, 200)}`, { suggestion: 'MCP is at /mcp.' });
      }
    } catch (thrown) {
      refuse(response, toCairnError(thrown));
    }
  };
}

function refuse(response: ServerResponse, error: CairnError): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (error.kind === 'unauthenticated') response.setHeader('www-authenticate', 'Bearer realm="cairn"');
  const { code, data } = error;
  send(response, error.status, { jsonrpc: '2.0', id: null, error: { code, message: explain(error), data } });
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function listen(server: Server, { host, port }: Address): Promise<AddressInfo> {
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
    { suggestion: taken ? 'Choose another port, or 0 for a free one.' : 'Choose another address.' },
    { cause: error },
  );
}
