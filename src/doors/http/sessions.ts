/**
 * MCP over HTTP for both eras. The newer protocol is stateless: each request gets a fresh server. Older clients open a
 * session with `initialize`; those are kept, bounded in number, the longest idle one making room. An older client that
 * sends no session id is served without one.
 */
import { randomUUID } from 'node:crypto';
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  legacyStatelessFallback,
  type McpHandlerRequestOptions,
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Connections } from '../../service/connections.ts';
import type { Principal } from '../../service/principal.ts';

export interface McpEndpointOptions {
  readonly maxSessions: number;
  readonly maxBody: number;
  readonly keepAliveMs: number;
  /** A session is a connection; a request without one belongs to none. */
  readonly connections: Connections;
  readonly onerror: (error: Error) => void;
}

export interface McpEndpoint {
  fetch(request: Request, options?: McpHandlerRequestOptions): Promise<Response>;
  /** How many are kept. */
  sessions(): number;
  close(): Promise<void>;
}

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** A session is its opener's: the id alone opens nothing to another caller. */
  readonly owner: string;
}

export function mcpEndpoint(factory: McpServerFactory, options: McpEndpointOptions): McpEndpoint {
  const { maxSessions, maxBody, keepAliveMs, connections, onerror } = options;
  const modern = createMcpHandler(factory, { legacy: 'reject', keepAliveMs, maxRequestBodySize: maxBody, onerror });
  const stateless = legacyStatelessFallback(factory, onerror, { maxRequestBodySize: maxBody });
  // In order of last use: the first is the longest idle.
  const sessions = new Map<string, Session>();

  async function open(request: Request, caller: McpHandlerRequestOptions): Promise<Response> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      keepAliveMs,
      maxRequestBodySize: maxBody,
      onsessioninitialized: (id) => {
        sessions.set(id, { transport, owner: ownerOf(caller) });
        connections.open(id);
        makeRoom();
      },
      onsessionclosed: forget,
    });
    const product = await factory({ era: 'legacy', requestInfo: request, ...caller });
    await product.connect(transport);
    return transport.handleRequest(request, caller);
  }

  function forget(id: string): void {
    sessions.delete(id);
    connections.end(id);
  }

  function makeRoom(): void {
    for (const [id, { transport }] of sessions) {
      if (sessions.size <= maxSessions) return;
      forget(id);
      transport.close().catch(onerror);
    }
  }

  function resume(id: string, caller: McpHandlerRequestOptions): Session | undefined {
    const session = sessions.get(id);
    if (session === undefined || session.owner !== ownerOf(caller)) return undefined;
    sessions.delete(id);
    sessions.set(id, session);
    return session;
  }

  async function serveLegacy(request: Request, caller: McpHandlerRequestOptions): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    if (id !== null) {
      const session = resume(id, caller);
      return session === undefined ? unknownSession() : session.transport.handleRequest(request, connected(caller, id));
    }
    return (await opensSession(request)) ? open(request, caller) : stateless(request, caller);
  }

  return {
    async fetch(request, caller = {}) {
      return (await isLegacyRequest(request, undefined, { maxRequestBodySize: maxBody }))
        ? serveLegacy(request, caller)
        : modern.fetch(request, caller);
    },
    sessions: () => sessions.size,
    async close() {
      await modern.close();
      const open = [...sessions];
      for (const [id] of open) forget(id);
      await Promise.all(open.map(([, { transport }]) => transport.close()));
    },
  };
}

function ownerOf({ authInfo }: McpHandlerRequestOptions): string {
  const principal = authInfo?.extra?.principal as Principal | undefined;
  return `${principal?.role} ${principal?.name}`;
}

/** The session id was found to be the caller's: only now it names their connection. */
function connected(caller: McpHandlerRequestOptions, connection: string): McpHandlerRequestOptions {
  const { authInfo } = caller;
  if (authInfo === undefined) return caller;
  const principal = { ...(authInfo.extra?.principal as Principal), connection };
  return { ...caller, authInfo: { ...authInfo, extra: { ...authInfo.extra, principal } } };
}

async function opensSession(request: Request): Promise<boolean> {
  if (request.method !== 'POST') return false;
  try {
    const body: unknown = await request.clone().json();
    return Array.isArray(body) ? body.some(isInitializeRequest) : isInitializeRequest(body);
  } catch {
    return false;
  }
}

/** 404 is what tells a client to open a new session. */
function unknownSession(): Response {
  const error = { code: -32001, message: 'Session not found: open a new one with initialize.' };
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 404 });
}
