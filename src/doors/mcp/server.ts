/**
 * One MCP server instance: handlers over the operation table. Made anew for each connection, and on HTTP for each
 * request, so it holds nothing and costs microseconds.
 */
import { Server, type ServerContext } from '@modelcontextprotocol/server';
import type { App } from '../../service/app.ts';
import type { Principal } from '../../service/principal.ts';
import type { Progress } from '../../service/workers.ts';
import { capabilities, serverInfo } from './identity.ts';
import { instructions } from './instructions.ts';
import { toolsOf } from './listing.ts';
import { completePrompt, getPrompt, listPrompts } from './prompts.ts';
import { completeResource, listResources, listTemplates, readResource } from './resources.ts';
import { callTool } from './tools.ts';

/** Who calls is known per connection on stdio and per request on HTTP. */
export type PrincipalOf = (context: ServerContext) => Principal;

const STRUCTURED_SINCE = '2025-06-18';
const HOUR = 3_600_000;
const COMPLETIONS = 100;

export function createMcpServer(app: App, principalOf: PrincipalOf): Server {
  const server = new Server(serverInfo, {
    capabilities,
    instructions,
    // What is fixed for the life of the process may be kept; prompts are files that people edit.
    cacheHints: {
      'server/discover': { ttlMs: HOUR, cacheScope: 'public' },
      'tools/list': { ttlMs: HOUR, cacheScope: 'private' },
      'resources/list': { ttlMs: HOUR, cacheScope: 'private' },
      'resources/templates/list': { ttlMs: HOUR, cacheScope: 'public' },
      'resources/read': { ttlMs: 0, cacheScope: 'private' },
      'prompts/list': { ttlMs: 0, cacheScope: 'private' },
    },
  });
  server.setRequestHandler('tools/list', () => ({ tools: toolsOf(app) }));
  server.setRequestHandler('tools/call', ({ params }, context) => {
    const progress = progressOf(context);
    return callTool(app, {
      name: params.name,
      input: params.arguments ?? {},
      principal: principalOf(context),
      signal: context.mcpReq.signal,
      structured: knowsStructured(server, context),
      ...(progress && { progress }),
    });
  });
  server.setRequestHandler('resources/list', () => listResources());
  server.setRequestHandler('resources/templates/list', () => listTemplates());
  server.setRequestHandler('resources/read', ({ params }, context) =>
    readResource(app, principalOf(context), params.uri),
  );
  const askingOf = (context: ServerContext) => ({
    app,
    principal: principalOf(context),
    signal: context.mcpReq.signal,
  });
  server.setRequestHandler('prompts/list', async (_request, context) => ({
    prompts: await listPrompts(askingOf(context)),
  }));
  server.setRequestHandler('prompts/get', ({ params }, context) =>
    getPrompt(askingOf(context), params.name, params.arguments),
  );
  server.setRequestHandler('completion/complete', async ({ params: { ref, argument, context: filled } }, context) => {
    if (ref.type === 'ref/prompt') {
      return { completion: await completePrompt(askingOf(context), ref.name, argument, filled?.arguments) };
    }
    const values = completeResource(ref.uri, argument.name, argument.value);
    return {
      completion: { values: values.slice(0, COMPLETIONS), total: values.length, hasMore: values.length > COMPLETIONS },
    };
  });
  return server;
}

function knowsStructured(server: Server, context: ServerContext): boolean {
  const negotiated = server.getNegotiatedProtocolVersion() ?? context.http?.req?.headers.get('mcp-protocol-version');
  return !negotiated || negotiated >= STRUCTURED_SINCE;
}

/** Progress of an operation becomes notifications, if the client asked for them; `progress` only ever grows. */
function progressOf({ mcpReq }: ServerContext): ((progress: Progress) => void) | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let last = -1;
  return ({ done, total, message }) => {
    if (done <= last) return;
    last = done;
    const params = {
      progressToken,
      progress: done,
      ...(total !== undefined && { total }),
      ...(message && { message }),
    };
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}
