/** `cairn serve`: the stdio door, or with --http the HTTP door, until told to stop. */
import { toCairnError } from '../errors.ts';
import type { App } from '../service/app.ts';
import type { Principal } from '../service/principal.ts';
import { deliverWebhooks, metricsDoor, openBeside } from './beside.ts';

export async function serve(app: App): Promise<number> {
  const endReflection = reflectRegularly(app);
  const endWebhooks = await deliverWebhooks(app);
  try {
    return await serveDoor(app);
  } finally {
    endReflection();
    await endWebhooks();
  }
}

/** Makes proposals of what keeps coming up. Idempotent, so that several servers of one home do no harm. */
function reflectRegularly(app: App): () => void {
  const { reflectMinutes, readOnly, role } = app.config;
  if (reflectMinutes === 0 || readOnly) return () => {};
  const principal: Principal = { name: 'schedule', role, door: 'mcp', human: false };
  const timer = setInterval(async () => {
    try {
      const { call } = await import('../operations/call.ts');
      await call(app, { operation: 'reflect', input: { all_namespaces: true }, principal });
    } catch (thrown) {
      app.log.warn('Reflection did not run', { reason: toCairnError(thrown).message });
    }
  }, reflectMinutes * 60_000).unref();
  return () => clearInterval(timer);
}

/** How long calls that run may take to end when the process is told to stop. */
const STOP_MS = 10_000;

async function serveDoor(app: App): Promise<number> {
  if (app.config.http === '') {
    const { serveOnStdio } = await import('./stdio/serve.ts');
    const stdio = serveOnStdio(app).then(() => false);
    const close = openBeside(app);
    const signalled = await Promise.race([stdio, stopSignal().then(() => true)]);
    if (signalled) await app.running.idle(STOP_MS);
    await close();
    return 0;
  }
  const [{ serveOnHttp }, { parseAddress }, { welcome }] = await Promise.all([
    import('./http/serve.ts'),
    import('./http/address.ts'),
    import('./http/welcome.ts'),
  ]);
  const address = parseAddress(app.config.http);
  const door = await serveOnHttp(app, address);
  const metrics = app.config.metricsPort > 0 ? await metricsDoor(app, address.host, door.metrics) : undefined;
  process.stdout.write(welcome(door.url, door.signInLink(), app.config));
  await stopSignal();
  await door.close();
  await metrics?.close();
  return 0;
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
}
