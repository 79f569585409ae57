/** The prompts as every client gets them: those that come with Cairn, over either transport, in either era. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Client, type PromptMessage, ProtocolErrorCode } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ways } from './connections.ts';
import { Workbench } from './workbench.ts';

const builtIns = {
  search_codebase: ['query', 'path', 'language'],
  summarize_document: ['document', 'collection', 'focus'],
  research: ['topic', 'depth'],
  explain_decision: ['target', 'namespace'],
  session_handoff: ['goal'],
  review_instructions: ['category'],
  use_operation: ['operation', 'goal'],
};

const required = {
  search_codebase: 'query',
  summarize_document: 'document',
  research: 'topic',
  explain_decision: 'target',
  use_operation: 'operation',
};

function textOf(messages: readonly PromptMessage[]): string {
  expect(messages).toHaveLength(1);
  const [only] = messages;
  return only?.content.type === 'text' ? only.content.text : '';
}

describe.each(ways)('Over $name', ({ open }) => {
  let bench: Workbench;
  let client: Client;

  beforeAll(async () => {
    bench = await Workbench.open();
    ({ client } = await open(bench));
  });

  afterAll(() => bench.end());

  const failureOf = (name: string, args?: Record<string, string>) =>
    client.getPrompt({ name, ...(args && { arguments: args }) }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );

  it('lists what comes with Cairn, with titles, descriptions and arguments', async () => {
    const { prompts } = await client.listPrompts();
    const shown = prompts.map(({ name, arguments: all }) => [name, all?.map((each) => each.name)]);
    expect(Object.fromEntries(shown)).toEqual(builtIns);
    for (const { title, description } of prompts) expect(`${title}: ${description}`.length).toBeGreaterThan(20);
    const needed = prompts.flatMap(({ name, arguments: all = [] }) =>
      all.filter((each) => each.required).map((each) => [name, each.name]),
    );
    expect(Object.fromEntries(needed)).toEqual(required);
  });

  it('shows search_codebase and a file as seed 004 does, and forgets the file when it is gone', async () => {
    const folder = join(bench.home, 'prompts');
    const file = join(folder, 'PROMPT-research-mcp.md');
    const markdown = '# Research workflow for MCP\n\nRead the specification first.\n';
    await mkdir(folder, { recursive: true });
    await writeFile(file, markdown);
    const { prompts } = await client.listPrompts();
    expect(prompts.find(({ name }) => name === 'search_codebase')).toMatchObject({
      description: 'Search for code patterns in the codebase',
    });
    expect(prompts.find(({ name }) => name === 'research_mcp')).toEqual({
      name: 'research_mcp',
      description: 'Research workflow for MCP (from PROMPT-research-mcp.md)',
    });
    const { messages } = await client.getPrompt({ name: 'research_mcp' });
    expect(messages).toEqual([{ role: 'assistant', content: { type: 'text', text: markdown } }]);
    await rm(file);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).not.toContain('research_mcp');
    expect(await failureOf('research_mcp')).toMatchObject({ code: ProtocolErrorCode.InvalidParams });
  });

  it('gives one message of the user that holds every argument', async () => {
    for (const [name, names] of Object.entries(builtIns)) {
      const args = Object.fromEntries(names.map((each) => [each, `some ${each} 42`]));
      if (name === 'use_operation') args.operation = 'mcp.echo';
      if (name === 'research') args.depth = 'deep';
      const { messages, description } = await client.getPrompt({ name, arguments: args });
      expect(messages[0]?.role).toBe('user');
      const text = textOf(messages);
      for (const [argument, value] of Object.entries(args)) expect(text).toContain(`- ${argument}: "${value}"`);
      expect(description).toBeTruthy();
    }
  });

  it.each(Object.entries(required))('%s says that it needs %s, also where that is blank', async (name, argument) => {
    for (const args of [undefined, { [argument]: ' \n' }]) {
      expect(await failureOf(name, args)).toMatchObject({
        code: ProtocolErrorCode.InvalidParams,
        message: expect.stringContaining(`needs the argument ${argument}`),
      });
    }
  });

  it.each([
    ['an unknown prompt', 'search_codebse', {}, 'search_codebase'],
    ['a name of the language', '__proto__', {}, 'No prompt is called "__proto__"'],
    ['an unknown argument', 'research', { topic: 'x', deph: 'deep' }, 'Did you mean depth?'],
    ['an argument of the language', 'research', { topic: 'x', constructor: 'x' }, 'has no argument "constructor"'],
    ['an unknown depth', 'research', { topic: 'x', depth: 'bottomless' }, 'one of quick, standard, deep'],
    ['an unknown operation', 'use_operation', { operation: 'feedback_sumbit' }, 'feedback_submit'],
    ['a long argument', 'search_codebase', { query: 'x'.repeat(501) }, 'at most 500'],
  ])('refuses %s and says what to do', async (_, name, args, told) => {
    expect(await failureOf(name, args)).toMatchObject({
      code: ProtocolErrorCode.InvalidParams,
      message: expect.stringContaining(told),
    });
  });

  it.each([
    ['use_operation', 'operation', 'feedback_s', ['feedback_stats', 'feedback_submit']],
    ['research', 'depth', '', ['quick', 'standard', 'deep']],
    ['search_codebase', 'language', 'script', ['javascript', 'typescript']],
    ['summarize_document', 'document', 'no such', []],
    ['summarize_document', 'focus', '', []],
    ['no_such_prompt', 'x', '', []],
  ])('completes %s, %s from %j', async (name, argument, value, values) => {
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name },
      argument: { name: argument, value },
    });
    expect(completion).toEqual({ values, total: values.length, hasMore: false });
  });
});
