/** Who may do what at the page's door: links that work once, sessions, calls from elsewhere, and files that stay in their folder. */
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { cairn, type HttpServer, serveHttp } from '../support/cairn.ts';
import { freshHome } from '../support/home.ts';

type Headers = Record<string, string>;

/** As the page sends it. */
const own = (url: string): Headers => ({ origin: url, 'x-cairn-page': '1', 'content-type': 'application/json' });

function post(url: string, path: string, body: unknown, headers: Headers): Promise<Response> {
  return fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function signIn({ url, signInLink }: HttpServer): Promise<string> {
  const response = await post(url, '/signin', { token: signInLink.split('#')[1] }, own(url));
  expect(response.status).toBe(200);
  return (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

const entry = { entry: { id: 'by-hand', body: 'Written at the page.' }, lax: true };
const add = (url: string, headers: Headers) => post(url, '/api/v1/instructions_add', entry, headers);

describe('signing in at the page', () => {
  it('takes a link once, and gives a cookie that scripts and other sites do not get', async () => {
    const server = await serveHttp(['--home', await freshHome()]);
    const token = server.signInLink.split('#')[1] ?? '';
    expect(token).toMatch(/^[\w-]{43}$/);
    const first = await post(server.url, '/signin', { token }, own(server.url));
    expect(first.headers.get('set-cookie')).toMatch(
      /^cairn_session_\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
    );
    const second = await post(server.url, '/signin', { token }, own(server.url));
    expect([second.status, second.headers.get('set-cookie')]).toEqual([401, null]);
    expect((await post(server.url, '/signin', { token: 'guess' }, own(server.url))).status).toBe(401);
    expect((await post(server.url, '/signin', { nothing: true }, own(server.url))).status).toBe(400);
    expect((await post(server.url, '/signin', { token: 'x'.repeat(5000) }, own(server.url))).status).toBe(429);
  });

  it('lets a person change what the mutation switch keeps from agents, until they sign out', async () => {
    const server = await serveHttp(['--home', await freshHome()]);
    const { url } = server;
    expect((await add(url, { 'content-type': 'application/json' })).status).toBe(403);
    expect(await (await add(url, own(url))).json()).toMatchObject({ kind: 'permission_denied' });
    const cookie = await signIn(server);
    const me = await (await fetch(`${url}/session`, { headers: { cookie } })).json();
    expect(me).toMatchObject({ signedIn: true, role: 'admin' });
    expect((await add(url, { ...own(url), cookie })).status).toBe(200);
    expect((await post(url, '/signout', {}, { ...own(url), cookie })).status).toBe(200);
    expect((await add(url, { ...own(url), cookie })).status).toBe(403);
    expect(await (await fetch(`${url}/session`, { headers: { cookie } })).json()).toMatchObject({ signedIn: false });
  });

  it('does not let another page use a session', async () => {
    const server = await serveHttp(['--home', await freshHome()]);
    const { url } = server;
    const cookie = await signIn(server);
    const json = { 'content-type': 'application/json', cookie };
    // Another program's page on the same machine is the same site to a browser, which sends the cookie along.
    expect((await add(url, { ...json, origin: 'http://127.0.0.1:3000', 'x-cairn-page': '1' })).status).toBe(403);
    expect((await add(url, { ...json, origin: url })).status).toBe(403);
    expect((await add(url, { ...json, 'x-cairn-page': '1' })).status).toBe(403);
    expect((await add(url, { ...json, origin: 'https://evil.example', 'x-cairn-page': '1' })).status).toBe(403);
    expect((await post(url, '/signout', {}, { ...json, origin: 'http://127.0.0.1:3000' })).status).toBe(403);
    expect((await post(url, '/signin', { token: 'x' }, { 'content-type': 'application/json' })).status).toBe(403);
  });

  it('keeps to the role that the server was given, and to --read-only', async () => {
    const viewer = await serveHttp(['--home', await freshHome(), '--role', 'viewer']);
    expect((await add(viewer.url, { ...own(viewer.url), cookie: await signIn(viewer) })).status).toBe(403);
    const frozen = await serveHttp(['--home', await freshHome(), '--read-only']);
    const refused = await add(frozen.url, { ...own(frozen.url), cookie: await signIn(frozen) });
    expect(await refused.json()).toMatchObject({ kind: 'read_only' });
  });

  it('shows nothing of the home to a visitor where a key is needed, and all of it to who is signed in', async () => {
    const server = await serveHttp(['--home', await freshHome()], { CAIRN_API_KEY: 'a-long-shared-key' });
    const { url } = server;
    expect((await fetch(`${url}/`)).status).toBe(200);
    const list = (headers: Headers) => post(url, '/api/v1/instructions_list', {}, headers);
    expect((await list(own(url))).status).toBe(401);
    expect((await list({ ...own(url), 'x-api-key': 'wrong', cookie: await signIn(server) })).status).toBe(401);
  });

  it('makes another link for a server that runs', async () => {
    const home = await freshHome();
    const server = await serveHttp(['--home', home]);
    const cookie = await signIn(server);
    expect((await add(server.url, { ...own(server.url), cookie })).status).toBe(200);
    const make = () => cairn(['signin', '--home', home]);
    await expect.poll(async () => (await make()).code, { timeout: 20_000, interval: 500 }).toBe(0);
    const { link } = JSON.parse((await make()).stdout);
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/signin#[\w-]{43}$/);
    const token = link.split('#')[1];
    expect((await post(server.url, '/signin', { token }, own(server.url))).status).toBe(200);
    expect((await post(server.url, '/signin', { token }, own(server.url))).status).toBe(401);
  });
});

describe('the files of the page', () => {
  it('are cached for good where their name says what is in them, and never otherwise', async () => {
    const { url } = await serveHttp(['--home', await freshHome()]);
    const page = await fetch(`${url}/`);
    const html = await page.text();
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('content-security-policy')).toContain(
      "default-src 'none'; script-src 'self'; style-src 'self';",
    );
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect(html).not.toMatch(/<style|<script(?![^>]* src=)|style=| on\w+=/);
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(html)?.[1] ?? '';
    for (const encoding of ['br', 'gzip', 'identity']) {
      const file = await fetch(`${url}${script}`, { headers: { 'accept-encoding': encoding } });
      expect(file.headers.get('cache-control')).toContain('immutable');
      expect(file.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding);
      expect(await file.text()).toContain('cairn');
      const etag = file.headers.get('etag') ?? '';
      const again = await fetch(`${url}${script}`, { headers: { 'accept-encoding': encoding, 'if-none-match': etag } });
      expect(again.status).toBe(304);
    }
  });

  it('are all that is served: no path leaves their folder', async () => {
    const { url } = await serveHttp(['--home', await freshHome()]);
    const paths = [
      '/../cairn.js',
      '/assets/../../cairn.js',
      '/..%2fcairn.js',
      '/%2e%2e/cairn.js',
      '/assets/..%2f..%2fcairn.js',
      '/..\\cairn.js',
      '/assets',
      '/assets/',
      '//etc/passwd',
      '/index.html%00.js',
      '/index.html.br',
      '/.vite/manifest.json',
    ];
    for (const path of paths) expect([path, await statusOf(url, path)]).toEqual([path, 404]);
  });
});

/** fetch would tidy the path up. */
function statusOf(url: string, path: string): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end();
  });
}
