/** `/metrics` on a port of its own, for whoever keeps the port of the calls to themselves. */
import type { App } from '../../service/app.ts';
import type { MetricsPage } from '../metrics/route.ts';
import { type Address, urlOf } from './address.ts';
import { listen } from './listen.ts';
import { listenerOf } from './listener.ts';

export interface MetricsDoor {
  readonly url: string;
  close(): Promise<void>;
}

export async function serveMetrics(app: App, address: Address, page: MetricsPage): Promise<MetricsDoor> {
  const listener = listenerOf({
    app,
    address,
    routes: [page.route],
    closing: app.closing,
    principalOf: async () => undefined,
  });
  const bound = await listen(listener, address);
  return { url: `${urlOf({ ...address, port: bound.port })}/metrics`, close: () => bound.close() };
}
