/** The protocol's own client against the real program: what every client, over either transport, in either era, gets. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Client, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ways } from './connections.ts';
import { Workbench } from './workbench.ts';

const fresh = { cacheMode: 'bypass' } as const;

describe.each(ways)('Over $name', ({ version, open }) => {
  let bench: Workbench;
  let client: Client;

  beforeAll(async () => {
    bench = await Workbench.open();
    ({ client } = await open(bench));
  });

  afterAll(() => bench.end());

  it(`a client and Cairn agree on ${version}`, () => {
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    expect(client.getServerVersion()).toMatchObject({ name: 'cairn', title: 'Cairn' });
    expect(client.getServerCapabilities()).toMatchObject({ tools: {}, resources: {}, prompts: {}, completions: {} });
  });

  it('the instructions say when to use Cairn, in at most 2,000 characters', () => {
    const instructions = client.getInstructions() ?? '';
    expect(instructions).toMatch(/^Use Cairn whenever /);
    expect(instructions.length).toBeLessThanOrEqual(2000);
  });

  it('a tool answers by its canonical name', async () => {
    const answer = await client.callTool({ name: 'mcp_echo', arguments: { message: 'hello' } });
    expect(answer).toMatchObject({
      structuredContent: { message: 'hello' },
      content: [{ type: 'text', text: 'message: hello' }],
    });
    expect(answer.isError).toBeFalsy();
  });

  it('a tool answers by the spellings that the seeds document', async () => {
    const echo = await client.callTool({ name: 'mcp.echo', arguments: { message: 'dotted' } });
    expect(echo.structuredContent).toEqual({ message: 'dotted' });
    const health = await client.callTool({ name: 'health/check', arguments: {} });
    expect(health.structuredContent).toMatchObject({ status: 'ok' });
    const note = { type: 'other', severity: 'low', title: 'Slashes', description: 'Submitted by a spelling.' };
    const submitted = await client.callTool({ name: 'feedback/submit', arguments: note });
    expect(submitted.structuredContent).toMatchObject({ success: true });
  });

  it('structured content is what raw JSON-RPC answers for the same read', async () => {
    const reads = [
      { name: 'describe', arguments: { target: 'feedback_submit' } },
      { name: 'feedback_list', arguments: { limit: 5 } },
    ];
    for (const read of reads) {
      const { structuredContent } = await client.callTool(read);
      expect(structuredContent).toEqual(await bench.raw(read.name, read.arguments));
    }
  });

  it('wrong arguments are a tool error that says what to change', async () => {
    const answer = await client.callTool({ name: 'mcp_echo', arguments: { mesage: 'hello' } });
    expect(answer.isError).toBe(true);
    const [said] = answer.content;
    const text = said?.type === 'text' ? said.text : '';
    expect(text).toContain('message');
    expect(text).toContain('mesage');
    expect(text).toContain('describe {"target":"mcp_echo"}');
  });

  it('an unknown tool is a protocol error that names the nearest ones', async () => {
    const failure = await client
      .callTool({ name: 'feedback_sumbit', arguments: {} })
      .catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(ProtocolError);
    expect(failure).toMatchObject({
      code: ProtocolErrorCode.InvalidParams,
      message: expect.stringContaining('feedback_submit'),
      data: { nearest: expect.arrayContaining(['feedback_submit']) },
    });
  });

  it('resources are listed, described by template and read by address', async () => {
    const { resources } = await client.listResources(undefined, fresh);
    expect(resources.map(({ uri }) => uri)).toContain('cairn://operations');
    const { resourceTemplates } = await client.listResourceTemplates(undefined, fresh);
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain('cairn://operation/{name}');
    const { contents } = await client.readResource({ uri: 'cairn://operation/mcp_echo' }, fresh);
    expect(contents).toHaveLength(1);
    const [content] = contents;
    expect(content).toMatchObject({ uri: 'cairn://operation/mcp_echo', mimeType: 'application/json' });
    const text = content !== undefined && 'text' in content ? content.text : '';
    expect(JSON.parse(text)).toMatchObject({ name: 'mcp_echo', capability: 'read' });
  });

  it.each(['cairn://operation/no_such', 'cairn://operation/', 'cairn://operation/%', 'other://thing'])(
    'reading %s, which does not exist, is refused with the address',
    async (uri) => {
      const failure = await client.readResource({ uri }, fresh).catch((thrown: unknown) => thrown);
      expect(failure).toMatchObject({ code: ProtocolErrorCode.InvalidParams, message: expect.stringContaining(uri) });
    },
  );

  it('names of operations are completed for the template and for the prompt', async () => {
    const argument = { value: 'feedback_s' };
    const expected = { values: ['feedback_stats', 'feedback_submit'], total: 2, hasMore: false };
    const forTemplate = await client.complete({
      ref: { type: 'ref/resource', uri: 'cairn://operation/{name}' },
      argument: { ...argument, name: 'name' },
    });
    expect(forTemplate.completion).toEqual(expected);
    const forPrompt = await client.complete({
      ref: { type: 'ref/prompt', name: 'use_operation' },
      argument: { ...argument, name: 'operation' },
    });
    expect(forPrompt.completion).toEqual(expected);
  });

  it('the built-in prompt explains an operation for a goal', async () => {
    const { messages } = await client.getPrompt({
      name: 'use_operation',
      arguments: { operation: 'mcp.echo', goal: 'see whether it is up' },
    });
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatchObject({ role: 'user', content: { type: 'text' } });
    expect(JSON.stringify(messages)).toContain('see whether it is up');
    expect(JSON.stringify(messages)).toContain('mcp_echo');
  });

  it('a prompt file written while the server runs is a prompt at once', async () => {
    const folder = join(bench.home, 'prompts');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'PROMPT-research-mcp.md'), 'Read the specification first.\n');
    const { prompts } = await client.listPrompts(undefined, fresh);
    expect(prompts.map(({ name }) => name)).toEqual(expect.arrayContaining(['use_operation', 'research_mcp']));
    const { messages } = await client.getPrompt({ name: 'research_mcp' });
    expect(messages).toEqual([
      { role: 'assistant', content: { type: 'text', text: 'Read the specification first.\n' } },
    ]);
  });

  it('an unknown prompt is refused with the nearest name', async () => {
    const failure = await client.getPrompt({ name: 'use_operations' }).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({
      code: ProtocolErrorCode.InvalidParams,
      message: expect.stringContaining('use_operation'),
    });
  });
});
