/** `cairn serve`: the stdio door, or with --http the HTTP door, until told to stop. */
import type { App } from '../service/app.ts';

export async function serve(app: App): Promise<number> {
  if (app.config.http === '') {
    const { serveOnStdio } = await import('./stdio/serve.ts');
    await Promise.race([serveOnStdio(app), stopSignal()]);
    return 0;
  }
  const [{ serveOnHttp }, { parseAddress }, { welcome }] = await Promise.all([
    import('./http/serve.ts'),
    import('./http/address.ts'),
    import('./http/welcome.ts'),
  ]);
  const door = await serveOnHttp(app, parseAddress(app.config.http));
  process.stdout.write(welcome(door.url, app.config));
  await stopSignal();
  await door.close();
  return 0;
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
}
