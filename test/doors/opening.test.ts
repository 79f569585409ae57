/** The opening that is answered from data says what the protocol library would say, and hands over without a seam. */
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { type Message, serveHttp, serveStdio } from '../support/cairn.ts';
import { freshHome } from '../support/home.ts';

const clientInfo = { name: 'test', version: '1' };

/** Over HTTP every message goes to the library. */
async function libraryAnswer(url: string, method: string, params: unknown): Promise<Message> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const text = await response.text();
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
}

describe('the opening of a stdio connection', () => {
  it('negotiates every version as the library does, unknown ones too', async () => {
    const { url } = await serveHttp(['--home', await freshHome()]);
    for (const protocolVersion of [...SUPPORTED_PROTOCOL_VERSIONS, '2023-01-01', '2026-07-28', 'nonsense']) {
      const params = { protocolVersion, capabilities: {}, clientInfo };
      const server = serveStdio(['--home', await freshHome()]);
      const { result } = await server.ask('initialize', params);
      expect(result).toEqual((await libraryAnswer(url, 'initialize', params)).result);
      server.endInput();
    }
  });

  it('lists the same tools before and after the library took over', async () => {
    const server = serveStdio(['--home', await freshHome(), '--toolsets', 'all']);
    await server.initialize();
    const early = await server.ask('tools/list');
    expect((await server.ask('prompts/list')).result.prompts.length).toBeGreaterThan(0);
    const late = await server.ask('tools/list');
    expect(early.result.tools.length).toBeGreaterThan(10);
    expect(late.result).toEqual(early.result);
  });

  it('answers everything that is sent in one burst, once and in full, while the library loads', async () => {
    const server = serveStdio(['--home', await freshHome()]);
    const answers = await Promise.all([
      server.ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }),
      server.ask('tools/list'),
      server.ask('tools/call', { name: 'mcp_echo', arguments: { message: 'one' } }),
      server.ask('tools/list', { cursor: undefined }),
      server.ask('resources/list'),
      server.ask('tools/call', { name: 'mcp_echo', arguments: { message: 'two' } }),
    ]);
    expect(answers.map(({ error }) => error)).toEqual(answers.map(() => undefined));
    expect(answers[2]?.result.structuredContent).toEqual({ message: 'one' });
    expect(answers[5]?.result.structuredContent).toEqual({ message: 'two' });
    await server.ask('ping');
    expect(server.unasked.map(({ method }) => method)).toEqual(['server/ready']);
  });

  it('remembers the version for the library: an older client gets no structured content', async () => {
    const server = serveStdio(['--home', await freshHome()]);
    await server.initialize('2025-03-26');
    const { result } = await server.ask('tools/call', { name: 'mcp_echo', arguments: { message: 'hello' } });
    expect(result).toEqual({ content: [{ type: 'text', text: '{"message":"hello"}' }] });
  });

  it('leaves a malformed initialize, and a second one, to the library', async () => {
    const server = serveStdio(['--home', await freshHome()]);
    expect((await server.ask('initialize', { protocolVersion: 7 })).error).toMatchObject({ code: expect.any(Number) });
    const again = serveStdio(['--home', await freshHome()]);
    await again.initialize();
    expect((await again.initialize()).result.serverInfo.name).toBe('cairn');
    expect((await again.ask('tools/list')).result.tools.length).toBeGreaterThan(0);
  });

  it('serves tools/list without initialize, as the library does', async () => {
    const server = serveStdio(['--home', await freshHome()]);
    expect((await server.ask('tools/list')).result.tools.length).toBeGreaterThan(0);
  });
});
