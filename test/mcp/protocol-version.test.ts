/** Clients of every released protocol version: the old ones know `content` alone, so for them it is the whole answer. */
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Dialect, pinned, Workbench } from './workbench.ts';

const read = { name: 'describe', arguments: { target: 'mcp_echo' } };
const mistake = { name: 'mcp_echo', arguments: { message: 1 } };

let bench: Workbench;
let url: string;
let result: unknown;

beforeAll(async () => {
  bench = await Workbench.open();
  url = await bench.serveHttp();
  result = await bench.raw(read.name, read.arguments);
});

afterAll(() => bench.end());

const transports = ['stdio', 'HTTP'] as const;

async function clientOf(version: string, transport: (typeof transports)[number]): Promise<Client> {
  const dialect: Dialect = { mode: 'legacy', versions: [version] };
  const { client } = transport === 'stdio' ? await bench.stdio(dialect) : await bench.http(url, dialect);
  expect(client.getNegotiatedProtocolVersion()).toBe(version);
  return client;
}

function textOf(content: readonly { type: string; text?: unknown }[]): string {
  expect(content).toHaveLength(1);
  expect(content[0]?.type).toBe('text');
  return String(content[0]?.text);
}

describe.each(transports)('Over %s', (transport) => {
  it.each(['2024-10-07', '2024-11-05', '2025-03-26'])(
    'a client of %s gets compact JSON and no structured content',
    async (version) => {
      const client = await clientOf(version, transport);
      const answer = await client.callTool(read);
      expect(answer).not.toHaveProperty('structuredContent');
      expect(textOf(answer.content)).toBe(JSON.stringify(result));
      const failure = await client.callTool(mistake);
      expect(failure).not.toHaveProperty('structuredContent');
      expect(failure.isError).toBe(true);
      expect(textOf(failure.content)).toContain('message');
    },
  );

  it.each(['2025-06-18', '2025-11-25'])(
    'a client of %s gets structured content and a readable text',
    async (version) => {
      const client = await clientOf(version, transport);
      const answer = await client.callTool(read);
      expect(answer.structuredContent).toEqual(result);
      expect(textOf(answer.content)).toMatch(/^name: mcp_echo\n/);
      const failure = await client.callTool(mistake);
      expect(failure.structuredContent).toMatchObject({ error: { code: -32602, data: { method: 'mcp_echo' } } });
    },
  );

  it('a client of 2026-07-28 gets structured content', async () => {
    const { client } = transport === 'stdio' ? await bench.stdio(pinned) : await bench.http(url, pinned);
    expect((await client.callTool(read)).structuredContent).toEqual(result);
  });
});
