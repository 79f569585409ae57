/** The HTTP door: who gets in, from where, and what is served. */
import { request as rawRequest } from 'node:http';
import { describe, expect, it } from 'vitest';
import { cairn, type HttpServer, type Message, serveHttp } from '../support/cairn.ts';
import { freshHome } from '../support/home.ts';

type Headers = Record<string, string>;

const accept = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
const initialize = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
};

async function post({ url }: HttpServer, method: string, params: unknown, headers: Headers = {}, path = '/mcp') {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { ...accept, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return { status: response.status, headers: response.headers, body: bodyOf(await response.text()) };
}

function bodyOf(text: string): Message {
  const data = /^data: (.*)$/m.exec(text)?.[1];
  return JSON.parse(data ?? text);
}

/** A request whose Host header is what the caller says; fetch does not allow that. */
function withHost(url: string, host: string, headers: Headers = {}): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = rawRequest({ hostname, port, path: '/health', headers: { host, ...headers } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end();
  });
}

const callEcho = { name: 'mcp_echo', arguments: { message: 'hello' } };

describe('the HTTP door', () => {
  it('serves MCP without a session to a client that asks right away', async () => {
    const server = await serveHttp(['--home', await freshHome()]);
    const { status, body } = await post(server, 'tools/call', callEcho);
    expect(status).toBe(200);
    expect(body.result.structuredContent).toEqual({ message: 'hello' });
  });

  it('keeps a session for an older client that opens one, and forgets the longest idle beyond the limit', async () => {
    const server = await serveHttp(['--home', await freshHome()], { CAIRN_HTTP_SESSIONS: '2' });
    const open = async () => (await post(server, 'initialize', initialize)).headers.get('mcp-session-id') ?? '';
    const first = await open();
    const second = await open();
    const version = { 'mcp-protocol-version': '2025-06-18' };
    const use = (id: string) => post(server, 'tools/list', {}, { 'mcp-session-id': id, ...version });
    expect((await use(first)).status).toBe(200);
    await open();
    expect((await use(first)).status).toBe(200);
    expect((await use(second)).status).toBe(404);
    expect((await use('made-up')).status).toBe(404);
  });

  it('answers a plain health page and 404 elsewhere', async () => {
    const { url } = await serveHttp(['--home', await freshHome()]);
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'ok' });
    expect((await fetch(`${url}/../../etc/passwd`)).status).toBe(404);
  });

  it('refuses a Host that is not its own, and an Origin that is not local', async () => {
    const { url } = await serveHttp(['--home', await freshHome()], { CAIRN_ALLOWED_HOSTS: 'cairn.example' });
    const { host, port } = new URL(url);
    expect(await withHost(url, host)).toBe(200);
    expect(await withHost(url, `localhost:${port}`)).toBe(200);
    expect(await withHost(url, 'cairn.example')).toBe(200);
    expect(await withHost(url, 'evil.example')).toBe(403);
    expect(await withHost(url, `evil.example:${port}`)).toBe(403);
    expect(await withHost(url, `127.0.0.1.evil.example:${port}`)).toBe(403);
    expect(await withHost(url, host, { origin: 'http://localhost:3000' })).toBe(200);
    expect(await withHost(url, host, { origin: 'https://evil.example' })).toBe(403);
    expect(await withHost(url, host, { origin: 'null' })).toBe(403);
  });

  it('needs a key once there is one, takes it in both headers, and gives its role', async () => {
    const home = ['--home', await freshHome()];
    const admin = ['--role', 'admin'];
    const added = JSON.parse(
      (await cairn(['call', 'keys_add', '{"name":"ci","role":"viewer"}', ...admin, ...home])).stdout,
    );
    expect(added.key).toMatch(/^cairn_[\w-]{43}$/);
    const server = await serveHttp(home);
    expect((await post(server, 'tools/call', callEcho)).status).toBe(401);
    expect((await post(server, 'tools/call', callEcho, { 'x-api-key': 'wrong' })).status).toBe(401);
    expect((await post(server, 'tools/call', callEcho, { authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await fetch(`${server.url}/health`)).status).toBe(401);
    const key = { 'x-api-key': added.key };
    expect((await post(server, 'tools/call', callEcho, key)).status).toBe(200);
    expect((await post(server, 'tools/call', callEcho, { authorization: `Bearer ${added.key}` })).status).toBe(200);
    const denied = await post(
      server,
      'tools/call',
      { name: 'execute', arguments: { operations: [{ op: 'feedback_submit', params: {} }] } },
      key,
    );
    expect(denied.body.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("Capability 'write' is required") }],
    });

    // Revoked in another process, refused here at once.
    await cairn(['keys', 'revoke', added.id, ...home, ...admin]);
    expect((await post(server, 'tools/call', callEcho, key)).status).toBe(401);
    // Taking back the last key does not open the door.
    expect((await post(server, 'tools/call', callEcho)).status).toBe(401);
  });

  it('keeps keys only as digests, and out of the audit trail', async () => {
    const home = await freshHome();
    const { stdout } = await cairn(['call', 'keys_add', '{"name":"ci"}', '--role', 'admin', '--home', home]);
    const { key } = JSON.parse(stdout);
    const { readFile, readdir } = await import('node:fs/promises');
    for (const name of await readdir(home)) expect(await readFile(`${home}/${name}`, 'latin1')).not.toContain(key);
    const listed = await cairn(['keys', 'list', '--role', 'admin', '--home', home]);
    expect(listed.stdout).not.toContain(key);
    expect(listed.stdout).not.toContain('digest');
  });

  it('takes the key of the environment under both documented names', async () => {
    for (const name of ['CAIRN_API_KEY', 'LEDGERMIND_API_KEY']) {
      const server = await serveHttp(['--home', await freshHome()], { [name]: 'a-long-shared-key' });
      expect((await post(server, 'tools/call', callEcho)).status).toBe(401);
      expect((await post(server, 'tools/call', callEcho, { 'x-api-key': 'a-long-shared-key' })).status).toBe(200);
    }
  });

  it('does not let one caller use the session of another', async () => {
    const home = ['--home', await freshHome()];
    const keys: string[] = [];
    for (const name of ['ann', 'bob']) {
      const { stdout } = await cairn(['call', 'keys_add', JSON.stringify({ name }), '--role', 'admin', ...home]);
      keys.push(JSON.parse(stdout).key);
    }
    const [ann = '', bob = ''] = keys;
    const server = await serveHttp(home);
    const opened = await post(server, 'initialize', initialize, { 'x-api-key': ann });
    const session = {
      'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
      'mcp-protocol-version': '2025-06-18',
    };
    expect((await post(server, 'tools/list', {}, { ...session, 'x-api-key': ann })).status).toBe(200);
    expect((await post(server, 'tools/list', {}, { ...session, 'x-api-key': bob })).status).toBe(404);
  });

  it('refuses to bind an interface that others reach without a key', async () => {
    const { code, stderr } = await cairn(['serve', '--http', '0.0.0.0:0', '--home', await freshHome()]);
    expect(code).toBe(2);
    expect(stderr).toContain('there is no key');
  });

  it('says when a port is taken', async () => {
    const { url } = await serveHttp(['--home', await freshHome()]);
    const { code, stderr } = await cairn(['serve', '--http', new URL(url).host, '--home', await freshHome()]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('is taken')]);
  });

  it('refuses a body over the limit', async () => {
    const server = await serveHttp(['--home', await freshHome()], { CAIRN_MAX_FRAME: '65536' });
    const { status } = await post(server, 'tools/call', {
      name: 'mcp_echo',
      arguments: { message: 'x'.repeat(100_000) },
    });
    expect(status).toBe(413);
  });

  it('stops cleanly on SIGTERM, also with a session open', async () => {
    const server = await serveHttp(['--home', await freshHome()]);
    await post(server, 'initialize', initialize);
    expect(await server.stop()).toBe(0);
  });
});
