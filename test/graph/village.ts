/** A small project in several languages, with the rules and decisions that speak of it. */

import { openProject, type Project } from '../documents/project.ts';
import type { Message } from '../support/cairn.ts';

export const files: Readonly<Record<string, string>> = {
  'src/main.ts': `import { Store, LIMIT } from './store.ts';
import { readFile } from 'node:fs/promises';
import { later } from './later.ts';

export function main(): void {
  const store = new Store();
  store.open();
  readFile('x');
  later();
}

main();
`,
  'src/store.ts': `import { Base } from './base.ts';

export const LIMIT = 5;

export class Store extends Base {
  open(): void {
    helper();
  }
}

export function helper(): void {
  console.log(LIMIT);
}
`,
  'src/base.ts': `import { LIMIT } from './store.ts';

export class Base {
  close(): number {
    return LIMIT;
  }
}
`,
  'src/types.ts': `import { LIMIT } from './store.ts';

export const twice = LIMIT * 2;
`,
  'py/tool/__init__.py': '',
  'py/tool/run.py': `from .words import split


class Runner:
    def go(self):
        return split('a b')
`,
  'py/tool/words.py': `def split(text):
    return text.split()
`,
  'go/go.mod': 'module example.org/go\n',
  'go/main.go': `package main

func main() {
	greet()
}
`,
  'go/greet.go': `package main

func greet() {
}
`,
  'docs/notes.md': '# Notes\n',
};

export const env = { MCP_ENABLE_MUTATION: '1', CAIRN_WRITE_COOLDOWN_MS: '0', CAIRN_EMBEDDINGS: 'none' };

export async function openVillage(): Promise<Project> {
  const project = await openProject([], env);
  for (const [path, content] of Object.entries(files)) await project.put(path, content);
  for (const folder of ['src', 'py', 'go', 'docs']) await project.ask('add', { path: `${project.folder}/${folder}` });
  return project;
}

export function keysOf(nodes: readonly Message[]): string[] {
  return nodes.map(({ key }) => key).sort();
}

/** Edges as sentences: `src/main.ts IMPORTS src/store.ts`. */
export function sentences(edges: readonly Message[], relation?: string): string[] {
  return edges
    .filter((edge) => relation === undefined || edge.relation === relation)
    .map(({ source, relation: how, target, resolved }) =>
      [short(source), how, short(target), ...(resolved === false ? ['(unresolved)'] : [])].join(' '),
    )
    .sort();
}

export function short(key: string): string {
  return key.replace(/^(?:document|symbol|folder):default\//, '').replace(/^unresolved:/, '?');
}

export async function addInstruction(project: Project, id: string, body: string, more: object = {}): Promise<void> {
  const entry = { id, title: `Rule ${id}`, body, priority: 50, audience: 'all', requirement: 'optional', ...more };
  const added = await project.ask('instructions_add', { entry: { categories: ['code'], ...entry }, overwrite: true });
  if (added.error !== undefined) throw new Error(JSON.stringify(added));
}
