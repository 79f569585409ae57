/** What a server does beside its door: telling webhooks, and opening the dashboard and the metrics next to stdio. */
import { CairnError, toCairnError } from '../errors.ts';
import type { App } from '../service/app.ts';
import type { HttpDoor } from './http/serve.ts';

type End = () => Promise<void>;

/**
 * One process of a home does it at a time; which one, they settle among themselves. Awaited before a door opens: where a new
 * webhook begins must be known before anybody can change something.
 */
export async function deliverWebhooks(app: App): Promise<End> {
  const { config } = app;
  if (config.webhooks.length === 0) return async () => {};
  if (config.readOnly) {
    app.log.warn('Webhooks are not told: a read-only server cannot keep how far it came');
    return async () => {};
  }
  if (config.webhookSecret === '')
    app.log.warn('Webhooks are told without a signature: CAIRN_WEBHOOK_SECRET is not set');
  try {
    const courier = await startCourier(app);
    return () => courier.stop();
  } catch (thrown) {
    app.log.error('Webhooks are not told', { reason: toCairnError(thrown).message });
    return async () => {};
  }
}

async function startCourier(app: App) {
  const { config, store, log } = app;
  const [{ Courier }, { hookOf }, { kindOfChange }] = await Promise.all([
    import('../changes/webhooks/courier.ts'),
    import('../changes/webhooks/hook.ts'),
    import('../operations/kind-of-change.ts'),
  ]);
  const courier = new Courier({
    store,
    log,
    hooks: config.webhooks.map(hookOf),
    secret: config.webhookSecret,
    retryMs: config.webhookRetryMs,
    timeoutMs: config.webhookTimeoutMs,
    allowPrivate: config.webhookAllowPrivate,
    kindOf: kindOfChange,
  });
  await courier.start();
  return courier;
}

/** Whoever speaks on stdio does not wait for it, and does not fall with it. */
export function openBeside(app: App): End {
  const opening = [openDashboard(app), openMetrics(app)].map((door) =>
    door.catch((thrown) => {
      const { message, suggestion } = toCairnError(thrown);
      app.log.error('A door beside stdio did not open', { reason: message, suggestion });
      return undefined;
    }),
  );
  return async () => {
    for (const door of opening) await (await door)?.close();
  };
}

async function openDashboard(app: App): Promise<{ close: End } | undefined> {
  const { dashboard, dashboardHost, dashboardPort, dashboardTries } = app.config;
  if (!dashboard) return undefined;
  const { serveOnHttp } = await import('./http/serve.ts');
  const door = await firstFree(dashboardPort, dashboardTries, (port) =>
    serveOnHttp(app, { host: dashboardHost, port }),
  );
  // S0: the URL goes to stderr; stdout carries the protocol.
  process.stderr.write(`Dashboard: ${door.url}/\nSign in:   ${door.signInLink()}\n`);
  return door;
}

/** The port that is wanted, or the first of the next ones that nobody has. */
async function firstFree(port: number, tries: number, open: (port: number) => Promise<HttpDoor>): Promise<HttpDoor> {
  for (let tried = 0; ; tried++) {
    try {
      return await open(port === 0 ? 0 : port + tried);
    } catch (thrown) {
      const taken = thrown instanceof CairnError && thrown.detail.taken === true;
      if (!taken || tried >= tries || port + tried >= 65_535) throw thrown;
    }
  }
}

async function openMetrics(app: App): Promise<{ close: End } | undefined> {
  if (app.config.metricsPort === 0) return undefined;
  const { metricsPage } = await import('./metrics/route.ts');
  const page = metricsPage(app, { listeners: () => 0, sessions: () => 0 });
  const door = await metricsDoor(app, '127.0.0.1', page);
  process.stderr.write(`Metrics: ${door.url}\n`);
  return door;
}

/** The page of an HTTP door on a port of its own, on the same host. */
export async function metricsDoor(app: App, host: string, page: HttpDoor['metrics']) {
  const { serveMetrics } = await import('./http/metrics-door.ts');
  return serveMetrics(app, { host, port: app.config.metricsPort }, page);
}
