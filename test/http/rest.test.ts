/** REST: every operation by its name, in both methods, and errors that say what to do. */
import { request as rawRequest } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { serveHttp } from '../support/cairn.ts';
import { freshHome } from '../support/home.ts';
import { site } from '../support/site.ts';
import { ask, operate } from './client.ts';

const writing = { CAIRN_WRITE_COOLDOWN_MS: '0' };
const PROBLEM = 'application/problem+json';

async function started(env: Record<string, string> = {}, ...flags: string[]) {
  return serveHttp(['--home', await freshHome(), '--mutation', ...flags], { ...writing, ...env });
}

const entry = {
  id: 'use-tabs',
  title: 'Use tabs',
  body: 'Indent with tabs.',
  priority: 50,
  audience: 'all',
  requirement: 'recommended',
  categories: ['style'],
};

describe('an operation over REST', () => {
  it('answers POST with the bare result, with and without a body', async () => {
    const { url } = await started();
    const echoed = await operate(url, 'mcp_echo', { message: 'hello' });
    expect([echoed.status, echoed.type, echoed.body]).toEqual([200, 'application/json', { message: 'hello' }]);
    const empty = await ask(url, '/api/v1/health_check', { method: 'POST' });
    expect([empty.status, empty.body]).toEqual([200, expect.objectContaining({ status: 'ok' })]);
  });

  it('answers GET where it does not write, with arguments from the query', async () => {
    const { url } = await started();
    await operate(url, 'instructions_add', { entry, lax: true });
    expect((await ask(url, '/api/v1/mcp_echo?message=12')).body).toEqual({ message: '12' });
    expect((await ask(url, '/api/v1/audit_list?limit=1')).body).toMatchObject({ count: 1 });
    const graph = await ask(
      url,
      '/api/v1/graph_export?enrich=true&includeCategoryNodes=1&includeEdgeTypes=belongs&includeEdgeTypes=primary&maxEdges=25',
    );
    expect(graph.body.meta).toMatchObject({ graphSchemaVersion: 2 });
    const drawn = await ask(url, '/api/v1/graph_export?includeEdgeTypes=%5B%22belongs%22%5D');
    expect(drawn.status).toBe(200);
    const head = await fetch(`${url}/api/v1/health_check`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('answers to every documented spelling, with a slash or escaped', async () => {
    const { url } = await started();
    for (const name of ['graph/export', 'graph%2Fexport', 'graph-export', 'graphExport', 'mcp.echo?message=x'])
      expect((await ask(url, `/api/v1/${name}`)).status, name).toBe(200);
  });

  it('refuses GET for what writes, and says what is allowed', async () => {
    const { url } = await started();
    const write = await ask(url, '/api/v1/record_decision?title=a');
    expect([write.status, write.headers.get('allow'), write.type]).toEqual([405, 'POST', PROBLEM]);
    expect(write.body).toMatchObject({ kind: 'invalid_request', suggestion: 'Use POST.' });
    // What runs others may run one that writes, and a read may write a file.
    expect((await ask(url, '/api/v1/instructions_dispatch?action=list')).status).toBe(405);
    expect((await ask(url, '/api/v1/get?name=a&outputPath=/tmp/x')).status).toBe(405);
    const put = await ask(url, '/api/v1/health_check', { method: 'PUT' });
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
  });

  it('passes what does not fit its type as text, so that the one validator says what is wrong', async () => {
    const { url } = await started();
    for (const query of [
      'limit=many',
      'limit=1&limit=2',
      'limit=',
      'limit=0x10',
      'limit=1e400',
      'limt=5',
      '__proto__=1',
    ]) {
      const { status, type, body } = await ask(url, `/api/v1/audit_list?${query}`);
      expect([query, status, type, body.kind]).toEqual([query, 400, PROBLEM, 'invalid_params']);
      expect(body.errors[0]).toMatchObject({ keyword: expect.any(String), message: expect.any(String) });
    }
  });

  it('tells errors as problems with the code, the kind and what to do', async () => {
    const { url } = await started();
    const unknown = await operate(url, 'instruction_list');
    expect(unknown.status).toBe(404);
    expect(unknown.body).toMatchObject({
      type: 'urn:cairn:error:unknown_operation',
      title: 'Not Found',
      status: 404,
      code: -32601,
      kind: 'unknown_operation',
      nearest: expect.arrayContaining(['instructions_list']),
      suggestion: expect.stringContaining('Did you mean'),
    });
    const missing = await operate(url, 'get', { name: 'nothing.md' });
    expect([missing.status, missing.type, missing.body.kind]).toEqual([404, PROBLEM, 'not_found']);
    const denied = await operate(url, 'keys_list');
    expect([denied.status, denied.body.kind, denied.body.capability]).toEqual([403, 'permission_denied', 'purge']);
    const nowhere = await ask(url, '/nowhere');
    expect([nowhere.status, nowhere.type]).toEqual([404, PROBLEM]);
  });

  it('keeps the answer of a refused decision, with the status of its kind', async () => {
    const { url } = await started();
    const decision = { title: 'Use Redis', target: 'cache', rationale: 'It is fast and everybody here knows it well.' };
    expect((await operate(url, 'record_decision', decision)).status).toBe(200);
    const other = { ...decision, title: 'Use nothing', rationale: 'A cache is one more thing that breaks at night.' };
    const conflict = await operate(url, 'record_decision', other);
    expect([conflict.status, conflict.type]).toEqual([409, 'application/json']);
    expect(conflict.body).toMatchObject({ status: 'error', message: expect.stringContaining('CONFLICT') });
  });

  it('refuses bodies that are no JSON, no object, too large, packed or not UTF-8', async () => {
    const { url } = await started({ CAIRN_MAX_FRAME: '65536' });
    const post = (body: string, headers = {}) => ask(url, '/api/v1/mcp_echo', { body, headers });
    expect(await post('{"message":')).toMatchObject({ status: 400, type: PROBLEM, body: { kind: 'parse_error' } });
    for (const body of ['[]', '"text"', '7', 'null']) expect((await post(body)).status, body).toBe(400);
    expect((await post(JSON.stringify({ message: 'x'.repeat(70_000) }))).status).toBe(413);
    expect((await post('{}', { 'content-encoding': 'gzip' })).status).toBe(415);
    const response = await fetch(`${url}/api/v1/mcp_echo`, { method: 'POST', body: Buffer.from([0x7b, 0xff, 0x7d]) });
    expect(response.status).toBe(400);
    expect((await operate(url, 'mcp_echo', { message: 'still here' })).status).toBe(200);
  });

  it('refuses a body that grows over the limit without having said so', async () => {
    const { url } = await started({ CAIRN_MAX_FRAME: '65536' });
    const { hostname, port } = new URL(url);
    const status = await new Promise<number>((resolve, reject) => {
      const sent = rawRequest({ hostname, port, path: '/api/v1/mcp_echo', method: 'POST' }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      sent.on('error', reject);
      for (let part = 0; part < 20; part++) sent.write('x'.repeat(8192));
    });
    expect(status).toBe(413);
  });

  it('ends the call of a client that goes away', async () => {
    const { url } = await started({ CAIRN_DOWNLOAD_PRIVATE: '1' });
    let begun = () => {};
    const asked = new Promise<void>((resolve) => {
      begun = resolve;
    });
    let ended = () => {};
    const left = new Promise<void>((resolve) => {
      ended = resolve;
    });
    const slow = await site({
      '/slow': (response) => {
        response.writeHead(200).write('the beginning');
        response.on('close', ended);
        begun();
      },
    });
    const client = new AbortController();
    const call = fetch(`${url}/api/v1/download`, {
      method: 'POST',
      body: JSON.stringify({ url: `${slow.url}/slow` }),
      signal: client.signal,
    });
    await asked;
    client.abort();
    await expect(call).rejects.toThrow();
    // Without a signal it would go on for the 20 s that a download waits for the next byte.
    await expect(Promise.race([left.then(() => 'ended'), delay(10_000, 'went on')])).resolves.toBe('ended');
  });

  it('is the same to a page as to a program: other sites are refused', async () => {
    const { url } = await started();
    const from = (headers: Record<string, string>) => ask(url, '/api/v1/health_check', { headers });
    expect((await from({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await from({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await from({ 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    expect((await ask(url, '/health', { headers: { origin: url } })).status).toBe(200);
  });

  it('needs the key that the other doors need', async () => {
    const { url } = await started({ CAIRN_API_KEY: 'a-long-shared-key', CAIRN_API_KEY_ROLE: 'viewer' });
    const none = await operate(url, 'health_check');
    expect([none.status, none.type, none.headers.get('www-authenticate')]).toEqual([
      401,
      PROBLEM,
      'Bearer realm="cairn"',
    ]);
    const key = { 'x-api-key': 'a-long-shared-key' };
    expect((await operate(url, 'health_check', {}, key)).status).toBe(200);
    expect((await operate(url, 'health_check', {}, { authorization: 'Bearer a-long-shared-key' })).status).toBe(200);
    expect((await operate(url, 'instructions_add', { entry }, key)).body.kind).toBe('permission_denied');
    for (const path of [
      '/tools.json',
      '/api/graph/mermaid',
      '/search?query=a',
      '/api/v1/openapi.json',
      '/api/v1/nowhere',
      '/events',
    ])
      expect((await ask(url, path)).status, path).toBe(401);
  });

  it('survives paths that are none', async () => {
    const { url } = await started();
    const { port } = new URL(url);
    for (const path of ['//', 'http://[', '/%', '/api/v1/%ff', '/api/v1/', '*', '/api/v1/..%2f..%2fetc']) {
      const answer = await new Promise<string>((resolve) => {
        const socket = connect(Number(port), '127.0.0.1');
        socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
        let text = '';
        socket.on('data', (part) => {
          text += part;
        });
        socket.on('close', () => resolve(text));
      });
      expect(answer.slice(0, 12), path).toMatch(/^HTTP\/1\.1 4\d\d/);
    }
  });
});

describe('paths of the seeds', () => {
  it('gives the tool registry at /tools.json', async () => {
    const { url } = await started();
    const { body } = await ask(url, '/tools.json');
    expect(body.tools).toContainEqual(expect.objectContaining({ method: 'health/check', stable: true }));
    expect(body.mcp.registryVersion).toEqual(expect.any(String));
    expect(body.dynamic.mutationEnabled).toBe(true);
  });

  it('draws the graph at /api/graph/mermaid as documented', async () => {
    const { url } = await started();
    await operate(url, 'instructions_add', { entry, lax: true });
    const plain = await ask(url, '/api/graph/mermaid');
    expect(plain.body).toMatchObject({ success: true, meta: { graphSchemaVersion: 1 } });
    expect(plain.body.mermaid).toContain('flowchart TB');
    const query = 'enrich=true&includeCategoryNodes=true&includeEdgeTypes=primary,belongs&maxEdges=5&includeUsage=true';
    const rich = await ask(url, `/api/graph/mermaid?${query}`);
    expect(rich.body.meta).toMatchObject({
      graphSchemaVersion: 2,
      nodeCount: expect.any(Number),
      edgeCount: expect.any(Number),
    });
    expect(rich.body.mermaid).toContain('belongs');
    expect(await ask(url, '/api/graph/mermaid?includeEdgeTypes=nonsense')).toMatchObject({
      status: 400,
      type: PROBLEM,
    });
    expect((await ask(url, '/api/graph/mermaid', { method: 'POST' })).status).toBe(405);
  });

  it('records and finds decisions at /record and /search', async () => {
    const { url } = await started();
    const decision = { title: 'Use Redis', target: 'cache', rationale: 'It is fast and everybody here knows it well.' };
    const recorded = await ask(url, '/record', { body: decision });
    expect(recorded.body).toMatchObject({ status: 'success' });
    const found = await ask(url, '/search', { body: { query: 'Redis' } });
    expect(JSON.stringify(found.body)).toContain('Use Redis');
    expect((await ask(url, '/search?query=Redis&limit=3')).body).toEqual(found.body);
    expect((await ask(url, '/record?title=a')).status).toBe(405);
  });
});
