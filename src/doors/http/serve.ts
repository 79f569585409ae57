/** The HTTP door: one server for everything in routes.ts, behind the checks in listener.ts. */
import { setTimeout as delay } from 'node:timers/promises';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { CairnError } from '../../errors.ts';
import type { App } from '../../service/app.ts';
import type { Principal } from '../../service/principal.ts';
import { dashboardRoute, openDashboard } from '../dashboard/dashboard.ts';
import { createMcpServer, type PrincipalOf } from '../mcp/server.ts';
import type { MetricsPage } from '../metrics/route.ts';
import { type Address, isLoopback, urlOf } from './address.ts';
import { keyNeeded } from './identity.ts';
import { listen } from './listen.ts';
import { listenerOf } from './listener.ts';
import { servedBy } from './routes.ts';
import { mcpEndpoint } from './sessions.ts';

/** How long calls that run may take to end once the door closes. */
export const GRACE_MS = 10_000;
/** How long their answers may take to be sent. */
const LAST_BYTES_MS = 1000;

export interface HttpDoor {
  readonly url: string;
  /** Signs a person in at the dashboard, once. */
  signInLink(): string;
  readonly metrics: MetricsPage;
  /** Takes no new calls, lets those that run end, for a while, and then cuts off. */
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
  const ending = new AbortController();
  const dashboard = openDashboard(app);
  const served = servedBy(app, endpoint);
  const routes = [...served.routes, dashboardRoute(dashboard)];
  const { principalOf } = dashboard;
  const listener = listenerOf({ app, address, routes, closing: ending.signal, principalOf });
  const bound = await listen(listener, address).catch(async (thrown) => {
    served.metrics.close();
    await endpoint.close();
    throw thrown;
  });
  const url = urlOf({ ...address, port: bound.port });
  await dashboard.open(url);
  return {
    url,
    metrics: served.metrics,
    signInLink: () => dashboard.signInLink(url),
    async close() {
      ending.abort();
      await dashboard.close();
      const settled = bound.settle(GRACE_MS);
      await app.running.idle(GRACE_MS);
      await Promise.race([settled, delay(LAST_BYTES_MS)]);
      await endpoint.close();
      served.metrics.close();
      await bound.close();
    },
  };
}
