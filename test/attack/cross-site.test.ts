/** A page of another site, in the browser of somebody who runs Cairn: it can send requests, and none of them does anything. */
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { type HttpServer, serveHttp } from '../support/cairn.ts';
import { freshHome } from '../support/home.ts';
import { entries, local, openArena, quiet } from './arena.ts';

type Headers = Record<string, string>;
interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Headers;
  readonly body?: string;
}

/** With any header, the ones too that fetch sets itself. */
function send(url: string, { method = 'POST', path, headers = {}, body }: Sent) {
  const { hostname, port } = new URL(url);
  return new Promise<{ status: number; headers: Record<string, unknown>; text: string }>((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers }, (response) => {
      let text = '';
      response.on('data', (part) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function signIn({ url, signInLink }: HttpServer): Promise<string> {
  const body = JSON.stringify({ token: signInLink.split('#')[1] });
  const headers = { origin: url, 'x-cairn-page': '1', 'content-type': 'application/json' };
  const response = await fetch(`${url}/signin`, { method: 'POST', headers, body });
  return (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

const evil = 'https://evil.example';
const form = { 'content-type': 'text/plain', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'empty' };
/** What browsers say of a request that another site caused. */
const foreign: readonly Headers[] = [
  { ...form, origin: evil, 'sec-fetch-site': 'cross-site' },
  { ...form, origin: 'null', 'sec-fetch-site': 'cross-site' },
  { ...form, origin: 'http://127.0.0.1.evil.example', 'sec-fetch-site': 'cross-site' },
  { ...form, origin: 'http://localhost.evil.example:8787' },
  { ...form, origin: 'file://' },
  { ...form, origin: 'chrome-extension://abcdefgh' },
  { ...form, 'sec-fetch-site': 'cross-site' },
  { ...form, origin: evil, 'content-type': 'application/x-www-form-urlencoded' },
  { ...form, origin: evil, 'content-type': 'multipart/form-data; boundary=x' },
  { ...form, origin: evil, 'x-cairn-page': '1', 'content-type': 'application/json' },
];

async function trail(url: string, cookie: string): Promise<number> {
  const response = await fetch(`${url}/api/v1/audit_list?limit=1000`, { headers: { cookie } });
  return ((await response.json()) as { entries: unknown[] }).entries.length;
}

describe('a page of another site', () => {
  it('runs no operation, with or without the cookie of who is signed in', { timeout: 120_000 }, async () => {
    const server = await serveHttp(['--home', await freshHome(), '--mutation'], quiet);
    const cookie = await signIn(server);
    const own = { origin: server.url, 'x-cairn-page': '1', 'content-type': 'application/json', cookie };
    const first = { entry: { id: 'first', body: 'Makes the home.' }, lax: true };
    expect(
      (await send(server.url, { path: '/api/v1/instructions_add', headers: own, body: JSON.stringify(first) })).status,
    ).toBe(200);
    const before = await trail(server.url, cookie);
    for (const { name, example } of entries) {
      const body = JSON.stringify(example.input);
      for (const [at, headers] of foreign.entries()) {
        const given = at % 2 === 0 ? headers : { ...headers, cookie };
        const { status } = await send(server.url, { path: `/api/v1/${name}`, headers: given, body });
        expect(status, `${name} ${JSON.stringify(headers)}`).toBe(403);
      }
    }
    for (const path of ['/mcp', '/record', '/signin', '/signout', '/search']) {
      for (const headers of foreign.filter(({ origin }) => origin !== undefined)) {
        const { status } = await send(server.url, { path, headers: { ...headers, cookie }, body: '{}' });
        expect(status, `${path} ${JSON.stringify(headers)}`).toBe(403);
      }
    }
    expect(await trail(server.url, cookie)).toBe(before);
  });

  it('is given no answer that a browser would hand to it: no CORS header, on any path or method', async () => {
    const { url } = await serveHttp(['--home', await freshHome()], quiet);
    for (const path of ['/', '/mcp', '/api/v1/instructions_list', '/health', '/events', '/session', '/metrics']) {
      for (const method of ['GET', 'POST', 'OPTIONS', 'HEAD']) {
        const asked = {
          origin: evil,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'x-cairn-page',
        };
        const { headers, status } = await send(url, { method, path, headers: asked });
        expect(
          Object.keys(headers).filter((name) => name.startsWith('access-control')),
          `${method} ${path}`,
        ).toEqual([]);
        expect(status, `${method} ${path}`).toBe(403);
      }
    }
  });

  it('can be one of this machine, which a session does not trust with a write either', async () => {
    const server = await serveHttp(['--home', await freshHome(), '--mutation'], quiet);
    const cookie = await signIn(server);
    const near = { ...form, origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site', cookie };
    for (const { name, example } of local.filter(({ writes }) => writes)) {
      const { status } = await send(server.url, {
        path: `/api/v1/${name}`,
        headers: near,
        body: JSON.stringify(example.input),
      });
      expect(status, name).toBe(403);
    }
  });
});

describe('a name that leads here (DNS rebinding)', () => {
  it('is not answered to, on any path, whatever else the request says', async () => {
    const { url } = await serveHttp(['--home', await freshHome()], quiet);
    const { port } = new URL(url);
    const hosts = [
      `evil.example:${port}`,
      'evil.example',
      `127.0.0.1.nip.example:${port}`,
      `localhost.evil.example:${port}`,
      `127.0.0.1:${port}@evil.example`,
      '0.0.0.0',
      '[::ffff:127.0.0.1]',
    ];
    for (const host of hosts) {
      for (const path of ['/', '/mcp', '/api/v1/instructions_list', '/health', '/session', '/events', '/metrics']) {
        const headers = { host, origin: `http://${host}`, 'x-cairn-page': '1', 'sec-fetch-site': 'same-origin' };
        for (const given of [headers, { host, 'x-forwarded-host': `127.0.0.1:${port}` }]) {
          const { status, text } = await send(url, { method: 'GET', path, headers: given });
          expect([400, 403], `${host} ${path} ${text.slice(0, 80)}`).toContain(status);
        }
      }
    }
  });
});

describe('GET', () => {
  it('runs nothing that writes or runs others, and leaves no trace of itself', async () => {
    const { home, server } = await openArena();
    await server.ask('add', { name: 'a.txt', content: 'a' });
    const { url } = await serveHttp(['--home', home, '--role', 'admin', '--mutation'], quiet);
    const entriesOf = async () => (await server.ask('audit_list', { limit: 1000 })).result.entries.length;
    const before = await entriesOf();
    for (const { name, writes, kind, example } of local) {
      const query = new URLSearchParams();
      for (const [key, value] of Object.entries(example.input))
        query.set(key, typeof value === 'string' ? value : JSON.stringify(value));
      const { status } = await send(url, { method: 'GET', path: `/api/v1/${name}?${query}` });
      if (writes || kind === 'composite') expect(status, name).toBe(405);
      else expect(status, name).not.toBe(500);
    }
    for (const query of ['outputPath=b.txt', 'outputPath=b.txt&outputPath=c.txt', 'output%50ath=b.txt'])
      expect((await send(url, { method: 'GET', path: `/api/v1/get?name=a.txt&${query}` })).status, query).toBe(405);
    for (const header of ['x-http-method-override', 'x-method-override', 'x-http-method']) {
      const { status } = await send(url, { method: 'GET', path: '/api/v1/gc', headers: { [header]: 'POST' } });
      expect(status, header).toBe(405);
    }
    expect(await entriesOf()).toBe(before);
  });
});
