/** Flags and variables of the seeds that open a door. */
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cairn, type StdioServer, serveStdio } from '../support/cairn.ts';
import { freshHome } from '../support/home.ts';
import { ask, operate } from './client.ts';

/** The URL that a server writes to stderr. */
async function dashboardOf(server: StdioServer): Promise<string> {
  const found = () => /Dashboard: (http:\/\/\S+)\/$/m.exec(server.stderr())?.[1];
  await expect.poll(found, { timeout: 15_000 }).toBeDefined();
  return found() ?? '';
}

async function takenPort(): Promise<number> {
  const server = createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as { port: number }).port;
}

describe('the flags of seed 000', () => {
  it('open the dashboard beside a stdio server, on the next free port', async () => {
    const port = await takenPort();
    const flags = ['--dashboard', `--dashboard-port=${port}`, '--dashboard-host=127.0.0.1', '--dashboard-tries=20'];
    const server = serveStdio(['--home', await freshHome(), ...flags]);
    await server.initialize();
    const url = await dashboardOf(server);
    expect(Number(new URL(url).port)).toBeGreaterThan(port);
    expect((await ask(url, '/tools.json')).body.tools.length).toBeGreaterThan(50);
    await operate(url, 'feedback_submit', { type: 'issue', severity: 'low', title: 't', description: 'd' });
    // Both doors are one server.
    expect((await server.ask('feedback/list', {})).result.entries).toHaveLength(1);
    server.endInput();
    expect(await server.exited).toBe(0);
  });

  it('say when no port is free, and leave stdio as it is', async () => {
    const port = await takenPort();
    const server = serveStdio([
      '--home',
      await freshHome(),
      '--dashboard',
      `--dashboard-port=${port}`,
      '--dashboard-tries=0',
    ]);
    await server.initialize();
    await expect.poll(() => server.stderr(), { timeout: 15_000 }).toContain(`Port ${port} on 127.0.0.1 is taken`);
    expect((await server.ask('health/check')).result.status).toBe('ok');
  });

  it('open nothing by default, nor with --no-dashboard', async () => {
    const server = serveStdio(['--home', await freshHome(), '--no-dashboard'], { MCP_DASHBOARD: '1' });
    await server.initialize();
    await server.ask('health/check');
    server.kill();
    expect(await server.exited).toBe(0);
    expect(server.stderr()).not.toContain('Dashboard');
  });

  it('refuse a host that others reach without a key', async () => {
    const server = serveStdio([
      '--home',
      await freshHome(),
      '--dashboard',
      '--dashboard-port=0',
      '--dashboard-host=0.0.0.0',
    ]);
    await server.initialize();
    await expect.poll(() => server.stderr(), { timeout: 15_000 }).toContain('there is no key');
  });
});

describe('the variables of seed 001', () => {
  it('open the dashboard', async () => {
    const port = await takenPort();
    const server = serveStdio(['--home', await freshHome()], {
      MCP_DASHBOARD: '1',
      MCP_DASHBOARD_PORT: String(port),
      MCP_DASHBOARD_HOST: 'localhost',
      MCP_DASHBOARD_TRIES: '30',
    });
    await server.initialize();
    const url = await dashboardOf(server);
    expect((await ask(url, '/api/graph/mermaid')).body.success).toBe(true);
  });
});

describe('the flags of seed 003', () => {
  it('serve REST on the port that is wanted, by serve and by run', async () => {
    const port = await takenPort();
    for (const command of ['serve', 'run']) {
      const { code, stderr } = await cairn([command, '--path', await freshHome(), '--rest-port', String(port)]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(`Port ${port} on 127.0.0.1 is taken`)]);
    }
  });
});
