/**
 * Prompts: one that is built in, and the Markdown files `PROMPT-*.md` of the prompts folder, named as S4 says
 * (`PROMPT-research-mcp.md` is `research_mcp`) and read afresh each time, so that an edit is live.
 */
import { type GetPromptResult, type Prompt, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { nearest } from '../../operations/names.ts';
import { surface } from '../../operations/surface.ts';
import type { App } from '../../service/app.ts';

const builtIn: Prompt = {
  name: 'use_operation',
  title: 'Use an operation of Cairn',
  description: 'Explains one operation with its schema and example, ready to be called for a goal.',
  arguments: [
    { name: 'operation', description: 'Name of the operation.', required: true },
    { name: 'goal', description: 'What it is wanted for.' },
  ],
};

const filePattern = /^PROMPT-(.+)\.md$/;

export async function listPrompts(app: App): Promise<Prompt[]> {
  return [builtIn, ...(await filePrompts(app)).map(({ name, file }) => ({ name, description: `From ${file}` }))];
}

export async function getPrompt(app: App, name: string, args: Record<string, string> = {}): Promise<GetPromptResult> {
  if (name === builtIn.name) return useOperation(args);
  const prompts = await filePrompts(app);
  const wanted = prompts.find((prompt) => prompt.name === name);
  const text = wanted && (await app.store.read((view) => view.files.read('prompts', wanted.file)));
  if (text === undefined) {
    const near = nearest(name, [builtIn.name, ...prompts.map((prompt) => prompt.name)]);
    const hint = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : '';
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `No prompt is called ${name}.${hint}`);
  }
  return { messages: [{ role: 'assistant', content: { type: 'text', text } }] };
}

/** Values for an argument of a prompt, for `completion/complete`. */
export function completePrompt(name: string, argument: string, typed: string): string[] {
  if (name !== builtIn.name || argument !== 'operation') return [];
  return surface.entries.map((entry) => entry.name).filter((entry) => entry.startsWith(typed));
}

async function filePrompts(app: App): Promise<{ name: string; file: string }[]> {
  const stamps = await app.store.read((view) => view.files.list('prompts'));
  return stamps.flatMap(({ name: file }) => {
    const stem = filePattern.exec(file)?.[1];
    return stem === undefined ? [] : [{ name: stem.replaceAll('-', '_'), file }];
  });
}

function useOperation({ operation, goal }: Record<string, string>): GetPromptResult {
  if (operation === undefined) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The prompt use_operation needs the argument operation.');
  }
  const entry = surface.find(operation);
  if (entry === undefined) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `No operation is called ${operation}.`);
  }
  const tool = entry.writes ? 'execute' : 'query';
  const text = [
    ...(goal === undefined ? [] : [`Goal: ${goal}`, '']),
    `Cairn's operation ${entry.name}: ${entry.description}`,
    `Call it with ${tool}, or directly by its name. Its arguments follow this JSON Schema:`,
    JSON.stringify(entry.inputSchema),
    `An example that works: ${JSON.stringify(entry.example.input)}`,
  ].join('\n');
  return { description: entry.description, messages: [{ role: 'user', content: { type: 'text', text } }] };
}
