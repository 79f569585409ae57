/** What `tools/list` shows: the same in every process, safe for every known client, and only what the server may do. */
import type { Client, Tool } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { legacy, pinned, Workbench } from './workbench.ts';

const fresh = { cacheMode: 'bypass' } as const;

let bench: Workbench;
let core: Client;

beforeAll(async () => {
  bench = await Workbench.open();
  ({ client: core } = await bench.stdio(pinned));
});

afterAll(() => bench.end());

async function toolsOf(client: Client): Promise<Tool[]> {
  return (await client.listTools(undefined, fresh)).tools;
}

async function toolsWith(...flags: string[]): Promise<Tool[]> {
  return toolsOf((await bench.stdio(pinned, ...flags)).client);
}

function namesOf(tools: readonly Tool[]): string[] {
  return tools.map(({ name }) => name);
}

describe('The core list', () => {
  it('is the same when asked twice', async () => {
    expect(JSON.stringify(await toolsOf(core))).toBe(JSON.stringify(await toolsOf(core)));
  });

  it('is the same in another process, over another transport and in the other era', async () => {
    const expected = await toolsOf(core);
    const url = await bench.serveHttp();
    const others = [await bench.stdio(legacy), await bench.http(url, legacy), await bench.http(url, pinned)];
    for (const { client } of others) {
      expect(JSON.stringify(await toolsOf(client))).toBe(JSON.stringify(expected));
    }
  });

  it('has at most ten tools, query and execute among them', async () => {
    const names = namesOf(await toolsOf(core));
    expect(names.length).toBeLessThanOrEqual(10);
    expect(names).toEqual(expect.arrayContaining(['query', 'execute']));
  });
});

describe('Toolsets', () => {
  let all: Tool[];

  beforeAll(async () => {
    all = await toolsWith('--toolsets', 'all');
  });

  it('every tool has a name that every client accepts, a description, an object schema and all four hints', () => {
    for (const tool of all) {
      expect(tool.name).toMatch(/^[a-z][a-z0-9_]{0,39}$/);
      expect(tool.description).toBeTruthy();
      expect(tool.inputSchema.type).toBe('object');
      expect(tool.annotations).toEqual({
        readOnlyHint: expect.any(Boolean),
        destructiveHint: expect.any(Boolean),
        idempotentHint: expect.any(Boolean),
        openWorldHint: expect.any(Boolean),
      });
    }
  });

  it('no schema uses what some client rejects: lists of types, combinators at the top, arrays of anything', () => {
    for (const { name, inputSchema } of all) {
      const top = Object.keys(inputSchema).filter((key) => ['anyOf', 'oneOf', 'allOf', 'not', '$ref'].includes(key));
      expect(top, name).toEqual([]);
      for (const schema of schemasIn(inputSchema)) {
        expect(Array.isArray(schema.type), `${name}: ${JSON.stringify(schema)}`).toBe(false);
        if (schema.type === 'array') expect(schema, name).toHaveProperty('items.type');
      }
    }
  });

  it('all lists every tool once, in the order of the names', () => {
    const names = namesOf(all);
    expect(names).toEqual([...new Set(names)].sort());
  });

  it('all contains what core and admin list, word for word', async () => {
    const admin = await toolsWith('--toolsets', 'admin');
    expect(namesOf(admin)).toEqual(expect.arrayContaining(['audit_verify', 'health_check', 'meta_tools']));
    expect(namesOf(admin)).not.toContain('query');
    expect(all).toEqual(expect.arrayContaining([...admin, ...(await toolsOf(core))]));
  });

  it('several can be asked for together', async () => {
    const names = namesOf(await toolsWith('--toolsets', 'core,admin'));
    expect(names).toEqual(expect.arrayContaining(['query', 'execute', 'health_check']));
  });

  it('a tool that is not listed still answers', async () => {
    expect(namesOf(await toolsOf(core))).not.toContain('health_check');
    const answer = await core.callTool({ name: 'health_check', arguments: {} });
    expect(answer.structuredContent).toMatchObject({ status: 'ok' });
  });
});

describe('A read-only server', () => {
  let client: Client;

  beforeAll(async () => {
    ({ client } = await bench.stdio(pinned, '--read-only', '--toolsets', 'all'));
  });

  it('lists no tool that writes', async () => {
    const tools = await toolsOf(client);
    expect(tools.length).toBeGreaterThan(0);
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);
    expect(namesOf(tools)).not.toContain('execute');
  });

  const note = { type: 'other', severity: 'low', title: 'No', description: 'Must not be stored.' };
  it.each([
    { name: 'feedback_submit', arguments: note },
    { name: 'feedback/submit', arguments: note },
    { name: 'execute', arguments: { operations: [{ op: 'feedback_submit', params: note }] } },
  ])('refuses the write $name all the same', async (write) => {
    const answer = await client.callTool(write);
    expect(answer.isError).toBe(true);
    expect(JSON.stringify(answer.content)).toContain('read-only');
    const { structuredContent } = await client.callTool({ name: 'feedback_list', arguments: {} });
    expect(structuredContent).toMatchObject({ total: 0 });
  });

  it('still reads', async () => {
    const answer = await client.callTool({ name: 'query', arguments: { steps: [{ op: 'describe' }] } });
    expect(answer.isError).toBeFalsy();
  });
});

/** A schema and all schemas inside it. */
function schemasIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(schemasIn);
  return 'type' in value ? [value as Record<string, unknown>, ...inner] : inner;
}
