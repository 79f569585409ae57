/** What is served over HTTP, and where. */
import type { App } from '../../service/app.ts';
import { eventStreams } from '../events/stream.ts';
import { type MetricsPage, metricsPage } from '../metrics/route.ts';
import { openApiRoute } from '../rest/openapi-route.ts';
import { answerNamed, PREFIX } from '../rest/operation.ts';
import { seedRoutes } from '../rest/seed-paths.ts';
import type { Route } from './exchange.ts';
import { mcpRoute } from './mcp-route.ts';
import type { McpEndpoint } from './sessions.ts';

export interface Served {
  readonly routes: readonly Route[];
  /** Also for a server of its own. */
  readonly metrics: MetricsPage;
}

export function servedBy(app: App, endpoint: McpEndpoint): Served {
  const streams = eventStreams();
  const metrics = metricsPage(app, { listeners: streams.count, sessions: endpoint.sessions });
  const routes = [
    mcpRoute(app, endpoint),
    openApiRoute,
    { path: PREFIX, handle: answerNamed },
    ...streams.routes,
    ...seedRoutes,
    metrics.route,
  ];
  return { routes, metrics };
}
