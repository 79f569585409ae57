/** How often somebody may come, and how a server goes. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { cairn, serveHttp, serveStdio } from '../support/cairn.ts';
import { freshHome } from '../support/home.ts';
import { site } from '../support/site.ts';
import { ask, operate } from './client.ts';

const key = { 'x-api-key': 'a-long-shared-key' };

async function statuses(times: number, one: () => Promise<{ status: number }>): Promise<number[]> {
  const seen: number[] = [];
  for (let call = 0; call < times; call++) seen.push((await one()).status);
  return seen;
}

/** So many at once that a slow machine makes no difference. */
function many(one: () => ReturnType<typeof operate>) {
  return Promise.all(Array.from({ length: 40 }, one));
}

describe('the rate of calls', () => {
  it('is limited as said, with how long to wait, on REST and on MCP together', async () => {
    const { url } = await serveHttp(['--home', await freshHome()], { CAIRN_HTTP_RATE: '1' });
    const mcp = () =>
      ask(url, '/mcp', {
        headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
        body: { jsonrpc: '2.0', id: 1, method: 'ping' },
      });
    const calls = await many(() => operate(url, 'health_check'));
    expect(new Set(calls.map(({ status }) => status))).toEqual(new Set([200, 429]));
    const over = calls.find(({ status }) => status === 429);
    expect([over?.type, over?.headers.get('retry-after')]).toEqual(['application/problem+json', '1']);
    expect(over?.body).toMatchObject({ kind: 'limit_exceeded', retry_after_ms: expect.any(Number) });
    const refused = (await many(mcp)).find(({ status }) => status === 429);
    expect(refused?.body).toMatchObject({ error: { code: -32001 } });
    // What watches over the server goes on.
    expect(await statuses(5, () => ask(url, '/health'))).toEqual([200, 200, 200, 200, 200]);
    expect((await ask(url, '/metrics')).status).toBe(200);
    await delay(1500);
    expect((await operate(url, 'health_check')).status).toBe(200);
  });

  it('counts each key on its own', async () => {
    const home = ['--home', await freshHome()];
    const made: string[] = [];
    for (const name of ['ann', 'bob']) {
      const { stdout } = await cairn(['call', 'keys_add', JSON.stringify({ name }), '--role', 'admin', ...home]);
      made.push(JSON.parse(stdout).key);
    }
    const [ann = '', bob = ''] = made;
    const { url } = await serveHttp(home, { CAIRN_HTTP_RATE: '1' });
    const calls = await many(() => operate(url, 'health_check', {}, { 'x-api-key': ann }));
    expect(calls.map(({ status }) => status)).toContain(429);
    expect(await statuses(2, () => operate(url, 'health_check', {}, { 'x-api-key': bob }))).toEqual([200, 200]);
  });
});

describe('wrong keys', () => {
  it('close the door to an address after ten of them', async () => {
    const { url } = await serveHttp(['--home', await freshHome()], { CAIRN_API_KEY: key['x-api-key'] });
    const guess = () => operate(url, 'health_check', {}, { 'x-api-key': 'a-guess' });
    expect(await statuses(9, guess)).toEqual(Array(9).fill(401));
    // None at all is no guess.
    expect(await statuses(5, () => operate(url, 'health_check'))).toEqual(Array(5).fill(401));
    expect((await operate(url, 'health_check', {}, key)).status).toBe(200);
    expect((await guess()).status).toBe(401);
    const closed = await guess();
    expect([closed.status, Number(closed.headers.get('retry-after'))]).toEqual([429, expect.any(Number)]);
    expect((await operate(url, 'health_check', {}, key)).status).toBe(429);
  });
});

describe('a server that is told to stop', () => {
  /** A download that lasts until the test lets it end. */
  async function slowPage() {
    let asked = () => {};
    const begun = new Promise<void>((resolve) => {
      asked = resolve;
    });
    let end = () => {};
    const page = await site({
      '/slow.txt': (response) => {
        response.writeHead(200).write('the beginning');
        end = () => response.end(', and the end');
        asked();
      },
    });
    return { url: `${page.url}/slow.txt`, begun, finish: () => end() };
  }
  const env = { CAIRN_DOWNLOAD_PRIVATE: '1' };

  it('lets a call over HTTP end, takes no new one, and exits with 0', async () => {
    const server = await serveHttp(['--home', await freshHome()], env);
    const slow = await slowPage();
    const answer = operate(server.url, 'download', { url: slow.url });
    await slow.begun;
    const stopped = server.stop();
    await delay(300);
    await expect(operate(server.url, 'health_check')).rejects.toThrow();
    slow.finish();
    expect(await answer).toMatchObject({ status: 200, body: { size: 'the beginning, and the end'.length } });
    expect(await stopped).toBe(0);
  });

  it('lets a call over stdio end', async () => {
    const server = serveStdio(['--home', await freshHome()], env);
    await server.initialize();
    const slow = await slowPage();
    const answer = server.ask('download', { url: slow.url });
    await slow.begun;
    server.kill('SIGTERM');
    await delay(300);
    slow.finish();
    expect((await answer).result).toMatchObject({ size: 'the beginning, and the end'.length });
    expect(await server.exited).toBe(0);
  });

  it('does not wait for ever', { timeout: 60_000 }, async () => {
    const server = await serveHttp(['--home', await freshHome()], env);
    const slow = await slowPage();
    const answer = operate(server.url, 'download', { url: slow.url }).catch(() => 'cut off');
    await slow.begun;
    const start = Date.now();
    expect(await server.stop()).toBe(0);
    expect(Date.now() - start).toBeLessThan(30_000);
    await answer;
  });
});
