/** Source files are read in the background: by one process at a time, through crashes, and whatever is in them. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { until } from '../documents/desk.ts';
import { openProject, type Project } from '../documents/project.ts';
import type { Message, StdioServer } from '../support/cairn.ts';
import { env, sentences } from './village.ts';

const FILES = 120;
const FUNCTIONS = 60;

/** Enough that reading them takes a while. */
function sourceOf(file: number): string {
  const bodies = Array.from({ length: FUNCTIONS }, (_, at) => {
    const calls = Array.from({ length: 20 }, (__, of) => `  f${file}_${(at + of) % FUNCTIONS}(${of});`);
    return `export function f${file}_${at}(x: number): void {\n${calls.join('\n')}\n}\n`;
  });
  return `import { f${file + 1}_0 } from './m${file + 1}.ts';\n\n${bodies.join('\n')}\nf${file + 1}_0(1);\n`;
}

async function large(): Promise<Project> {
  const project = await openProject([], env);
  for (let file = 0; file < FILES; file++) await project.put(`src/m${file}.ts`, sourceOf(file));
  await project.ask('add', { path: `${project.folder}/src` });
  return project;
}

async function asked(server: StdioServer, params: object): Promise<Message> {
  const { result, error } = await server.ask('graph', params);
  if (error !== undefined) throw new Error(error.message);
  return result;
}

/** Until nothing is pending: the types with their counts. */
function settled(server: StdioServer): Promise<Message> {
  return until(
    () => asked(server, { list_types: true }),
    ({ pending }) => pending === undefined,
    60_000,
  );
}

describe('reading source files', () => {
  it('goes on where a process that was killed stopped, and ends whole', { timeout: 120_000 }, async () => {
    const project = await large();
    project.server.ask('graph', { list_types: true }).catch(() => {});
    await delay(700);
    project.server.kill('SIGKILL');
    await project.server.exited;
    project.server = project.start([], env);
    const { types } = await settled(project.server);
    expect(types).toContainEqual({ type: 'symbol', count: FILES * FUNCTIONS });
    const last = await asked(project.server, { name: `src/m${FILES - 2}.ts`, relation: 'IMPORTS' });
    expect(sentences(last.edges)).toEqual([`src/m${FILES - 2}.ts IMPORTS src/m${FILES - 1}.ts`]);
  });

  it('is done once where two servers ask at the same time', { timeout: 120_000 }, async () => {
    const project = await large();
    const other = project.start([], env);
    const [own, others] = await Promise.all([settled(project.server), settled(other)]);
    expect(own.types).toEqual(others.types);
    expect(own.types).toContainEqual({ type: 'symbol', count: FILES * FUNCTIONS });
  });

  it('starts by itself in a server, before anybody asks for the graph', { timeout: 60_000 }, async () => {
    const { ask } = await openProject([], env);
    await ask('add', { name: 'a.ts', content: 'export function a() {}\n' });
    await delay(4000);
    const started = performance.now();
    const { pending, nodes } = await ask('graph', { name: 'a.ts' });
    expect([pending, nodes.length]).toEqual([undefined, 1]);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

it('takes whatever is called source: empty, broken, binary, huge, of another encoding', {
  timeout: 60_000,
}, async () => {
  const project = await openProject([], env);
  const { ask } = project;
  await project.put('x/empty.ts', '');
  await project.put('x/broken.ts', 'export function whole() {}\nexport function broken( { { {\n');
  await project.put('x/binary.py', Buffer.from([0, 1, 2, 3, 255, 254, 0, 9]));
  await project.put('x/huge.js', `function f() {}\n${'// '.padEnd(100, 'x').concat('\n').repeat(30_000)}`);
  await project.put('x/wide.ts', Buffer.from('\ufeffexport function wide() {}\n', 'utf16le'));
  await project.put('x/odd#name.ts', 'export function odd() {}\nexport namespace a {\n  export function odd() {}\n}\n');
  await ask('add', { path: `${project.folder}/x` });
  const { types, pending } = await ask('graph', { list_types: true });
  expect(pending).toBeUndefined();
  expect(types).toContainEqual({ type: 'document', count: 6 });
  for (const [name, key] of [
    ['whole', 'symbol:default/x/broken.ts#whole'],
    ['wide', 'symbol:default/x/wide.ts#wide'],
    ['a.odd', 'symbol:default/x/odd#name.ts#a.odd'],
  ]) {
    const { origin } = await ask('graph', { name });
    expect(origin.key).toBe(key);
    expect((await ask('graph', { node_key: key })).origin).toEqual(origin);
  }
  for (const name of ['x/empty.ts', 'x/binary.py', 'x/huge.js'])
    expect((await ask('graph', { name, reverse: true, depth: 1 })).nodes).toHaveLength(1);
});

it('a store without anything has no nodes, and is not created by the question', async () => {
  const { ask } = await openProject([], env);
  expect(await ask('graph', { list_types: true })).toMatchObject({ types: [] });
});
