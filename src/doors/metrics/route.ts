/** `GET /metrics` for Prometheus. */
import type { App } from '../../service/app.ts';
import { only, type Route } from '../http/exchange.ts';
import { callMeasures } from './calls.ts';
import { contentType, exposition, gauge } from './exposition.ts';
import { ProcessFigures } from './process.ts';
import { StoreFigures } from './store.ts';

/** What only the door knows. */
export interface DoorFigures {
  listeners(): number;
  sessions(): number;
}

export interface MetricsPage {
  readonly route: Route;
  close(): void;
}

export function metricsPage(app: App, door: DoorFigures): MetricsPage {
  const process = new ProcessFigures();
  const store = new StoreFigures(app);
  return {
    close: () => process.close(),
    route: {
      path: '/metrics',
      unlimited: true,
      async handle(exchange) {
        only(exchange, 'GET');
        const text = exposition([
          ...callMeasures(app.metrics.figures()),
          ...(await store.measures()),
          gauge('cairn_calls_running', 'Calls that run now.', app.running.count),
          gauge('cairn_event_listeners', 'Open streams of server-sent events.', door.listeners()),
          gauge('cairn_http_sessions', 'Open MCP sessions of older clients.', door.sessions()),
          ...process.measures(),
        ]);
        exchange.response.writeHead(200, { 'content-type': contentType }).end(text);
      },
    },
  };
}
