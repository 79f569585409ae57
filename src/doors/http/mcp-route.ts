/** MCP at /mcp: the SDK answers, as whoever the door identified. */
import type { IncomingMessage } from 'node:http';
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import type { AuthInfo } from '@modelcontextprotocol/server';
import type { App } from '../../service/app.ts';
import { announcedBytes, readJson } from './body.ts';
import type { Route } from './exchange.ts';
import type { McpEndpoint } from './sessions.ts';

export function mcpRoute(app: App, endpoint: McpEndpoint): Route {
  const mcp = toNodeHandler(endpoint, {
    maxRequestBodySize: app.config.maxFrame,
    onerror: (error) => app.log.error('http', { error: error.message }),
  });
  return {
    path: '/mcp',
    async handle({ request, response, principal }) {
      const carrying: IncomingMessage & { auth?: AuthInfo } = request;
      // What the SDK hands through to the handlers untouched; the key itself goes no further.
      carrying.auth = { token: '', clientId: principal.name, scopes: [principal.role], extra: { principal } };
      // The adapter stops reading at the limit, so that whoever still sends would not hear of it.
      const within = announcedBytes(request) <= app.config.maxFrame;
      const body = request.method === 'POST' && !within ? await readJson(request, app.config.maxFrame) : undefined;
      // The adapter's type leaves out that Node may have no method or url; it copes with that.
      await mcp(carrying as NodeIncomingMessageLike, response, body);
    },
  };
}
