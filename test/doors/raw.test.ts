/** Raw JSON-RPC on stdio, as seeds 000 and 002 show it, with and without `initialize`. */
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { serveStdio } from '../support/cairn.ts';
import { freshHome } from '../support/home.ts';

async function server(args: readonly string[] = [], env: Record<string, string> = {}) {
  return serveStdio(['--home', await freshHome(), ...args], env);
}

describe('a raw method', () => {
  it('answers its bare result without any handshake', async () => {
    const { result, jsonrpc } = await (await server()).ask('health/check');
    expect(jsonrpc).toBe('2.0');
    expect(result).toEqual({
      status: 'ok',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      version: expect.any(String),
    });
  });

  it('answers between MCP requests of a connection that was initialized, in any order', async () => {
    const cairn = await server();
    expect((await cairn.ask('mcp.echo', { message: 'first' })).result).toEqual({ message: 'first' });
    expect((await cairn.initialize()).result.serverInfo.name).toBe('cairn');
    const [raw, tools] = await Promise.all([cairn.ask('meta/tools'), cairn.ask('tools/list')]);
    expect(raw.result.dynamic).toMatchObject({ mutationEnabled: false });
    expect(tools.result.tools.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['execute', 'instructions_dispatch', 'query']),
    );
  });

  it('does not pin the protocol era: a client may still open with the newer one', async () => {
    const cairn = await server();
    await cairn.ask('health/check');
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const { result, error } = await cairn.ask('server/discover', { _meta: meta });
    expect(error).toBeUndefined();
    expect(result.supportedVersions).toContain('2026-07-28');
  });

  it('is announced ready after initialize, at once', async () => {
    const cairn = await server();
    await cairn.initialize();
    await cairn.ask('ping');
    expect(cairn.unasked).toEqual([
      { jsonrpc: '2.0', method: 'server/ready', params: { version: expect.any(String) } },
    ]);
  });

  it('answers ping before and after initialize', async () => {
    const cairn = await server();
    expect((await cairn.ask('ping')).result).toEqual({});
    await cairn.initialize();
    expect((await cairn.ask('ping')).result).toEqual({});
  });

  it('ends the process on shutdown and exit, and answers nothing in between', async () => {
    const cairn = await server();
    expect((await cairn.ask('shutdown')).result).toEqual({});
    expect((await cairn.ask('health/check')).error).toMatchObject({ code: -32600 });
    cairn.notify('exit');
    expect(await cairn.exited).toBe(0);
  });

  it('is answered even when stdin ends right behind it', async () => {
    const cairn = await server();
    const answer = cairn.ask('metrics/snapshot');
    cairn.endInput();
    expect((await answer).result.methods).toEqual([]);
    expect(await cairn.exited).toBe(0);
  });
});

describe('an error of a raw method', () => {
  it('is -32601 with the action and the nearest names for an unknown one', async () => {
    const { error } = await (await server()).ask('feedback/submitt', {});
    expect(error).toMatchObject({ code: -32601, data: { action: 'feedback/submitt' } });
    expect(error.data.nearest[0]).toBe('feedback_submit');
    expect(error.data.suggestion).toContain('feedback_submit');
  });

  it('is -32602 with the method and errors in the shape of Ajv for bad params', async () => {
    const { error } = await (await server()).ask('mcp.echo', { message: 7, extra: true });
    expect(error.code).toBe(-32602);
    expect(error.data.method).toBe('mcp_echo');
    expect(error.data.errors).toEqual([
      { instancePath: '/message', keyword: 'type', message: 'must be string', params: { type: 'string' } },
      {
        instancePath: '',
        keyword: 'additionalProperties',
        message: 'must NOT have additional properties',
        params: { additionalProperty: 'extra' },
      },
    ]);
    expect(error.data.suggestion).toContain('describe');
  });

  it('is -32602 for params that are a list', async () => {
    expect((await (await server()).ask('mcp.echo', ['hello'])).error).toMatchObject({ code: -32602 });
  });

  it('is -32004 naming the capability where the role lacks it', async () => {
    const { error } = await (await server()).ask('keys/list');
    expect(error).toMatchObject({ code: -32004, message: "Capability 'purge' is required", data: { role: 'agent' } });
  });

  it('is -32000 for a write on a read-only server, whatever the role', async () => {
    const cairn = await server(['--read-only', '--role', 'admin', '--mutation']);
    const submission = { type: 'other', severity: 'low', title: 't', description: 'd' };
    expect((await cairn.ask('feedback/submit', submission)).error.code).toBe(-32000);
    const { error } = await cairn.ask('execute', { operations: [{ op: 'feedback_submit', params: submission }] });
    expect(error.code).toBe(-32000);
  });

  it('is -32700 for a line that is not JSON and -32600 for what is no request, and the connection lives on', async () => {
    const cairn = await server();
    const bad = ['{', 'null', '7', '[]', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', '{"id":1,"method":"ping"}'];
    for (const line of bad) cairn.write(line);
    cairn.write('{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}');
    cairn.write('{"jsonrpc":"2.0","id":5,"method":7}');
    cairn.write('{"jsonrpc":"2.0","id":6,"method":"ping","params":"x"}');
    expect((await cairn.ask('ping')).result).toEqual({});
    expect(cairn.unasked.map(({ id, error }) => [id, error.code])).toEqual([
      [null, -32700],
      [null, -32600],
      [null, -32600],
      [null, -32600],
      [null, -32600],
      [1, -32600],
      [null, -32600],
      [5, -32600],
      [6, -32600],
    ]);
  });

  it('is -32600 for a frame over the limit, and reading goes on behind it', async () => {
    const cairn = await server([], { CAIRN_MAX_FRAME: '65536' });
    cairn.write(`{"jsonrpc":"2.0","id":1,"method":"mcp.echo","params":{"message":"${'x'.repeat(200_000)}"}}`);
    expect((await cairn.ask('ping')).result).toEqual({});
    expect(cairn.unasked).toMatchObject([{ id: null, error: { code: -32600 } }]);
  });

  it('says so when arguments are nested too deep', async () => {
    const deep = JSON.parse(`${'{"a":'.repeat(100)}1${'}'.repeat(100)}`);
    expect((await (await server()).ask('query', { steps: [deep] })).error).toMatchObject({ code: -32001 });
  });
});

describe('a home', () => {
  it('is not created by reads, nor by refused writes', async () => {
    const home = await freshHome();
    const cairn = serveStdio(['--home', home]);
    await cairn.initialize();
    for (const method of [
      'health/check',
      'feedback/list',
      'get_audit_logs',
      'get_environment_health',
      'audit_verify',
    ]) {
      expect((await cairn.ask(method, {})).error).toBeUndefined();
    }
    expect((await cairn.ask('prompts/list')).result.prompts.length).toBeGreaterThan(1);
    expect((await cairn.ask('keys/add', { name: 'x' })).error.code).toBe(-32004);
    expect((await cairn.ask('feedback/submit', { type: 'other' })).error.code).toBe(-32602);
    expect(existsSync(home)).toBe(false);
  });
});
