/** What depends on something, and how one thing is connected with another. */
import { describe, expect, it } from 'vitest';
import { cairn, type Message } from '../support/cairn.ts';
import { addInstruction, openVillage, sentences, short } from './village.ts';

function distances({ dependants }: Message): [string, number][] {
  return dependants
    .map(({ key, distance }: Message): [string, number] => [short(key), distance])
    .sort((a: [string, number], b: [string, number]) => (a[0] < b[0] ? -1 : 1));
}

describe('graph_impact', () => {
  it('of a document: what imports it, directly and through others', async () => {
    const { ask } = await openVillage();
    await ask('add', { name: 'src/app.ts', content: "import { main } from './main.ts';\nmain();\n" });
    const impact = await ask('graph_impact', { name: 'src/store.ts' });
    expect(distances(impact)).toEqual([
      ['src/app.ts', 2],
      ['src/base.ts', 1],
      ['src/main.ts', 1],
      ['src/types.ts', 1],
    ]);
    expect(impact.documents).toEqual(
      ['src/app.ts', 'src/base.ts', 'src/main.ts', 'src/types.ts'].map((path) => `default/${path}`),
    );
    const app = impact.dependants.find(({ path }: Message) => path === 'src/app.ts');
    expect(app.why.map((edge: Message) => sentences([edge])[0])).toEqual([
      'src/app.ts IMPORTS src/main.ts',
      'src/main.ts IMPORTS src/store.ts',
    ]);
    expect(distances(await ask('graph_impact', { name: 'src/store.ts', depth: 1 }))).toHaveLength(3);
    expect(await ask('graph_impact', { name: 'src/store.ts', limit: 2 })).toMatchObject({ total: 2, truncated: true });
  });

  it('of a Go file: what uses it without an import', async () => {
    const { ask } = await openVillage();
    const impact = await ask('graph_impact', { name: 'go/greet.go' });
    expect(distances(impact)).toEqual([['go/main.go', 1]]);
    expect(sentences(impact.dependants[0].why)[0]).toMatch(/^go\/main.go(#main)? CALLS go\/greet.go#greet$/);
  });

  it('of a symbol: who calls or inherits it, and who only takes it', async () => {
    const { ask } = await openVillage();
    expect(distances(await ask('graph_impact', { name: 'helper' }))).toEqual([
      ['src/main.ts', 3],
      ['src/main.ts#main', 2],
      ['src/store.ts#Store.open', 1],
    ]);
    expect(distances(await ask('graph_impact', { name: 'LIMIT', depth: 1 }))).toEqual([
      ['src/base.ts', 1],
      ['src/main.ts', 1],
      ['src/types.ts', 1],
    ]);
    expect(distances(await ask('graph_impact', { name: 'Base', depth: 1 }))).toEqual([['src/store.ts#Store', 1]]);
  });

  it('of a folder, an instruction and an event', async () => {
    const project = await openVillage();
    const { ask } = project;
    expect(distances(await ask('graph_impact', { node_key: 'folder:default/py' }))).toEqual([]);
    await addInstruction(project, 'open-once', 'Call `Store.open` once.');
    await addInstruction(project, 'keep-small', 'Small.', { dependencies: ['open-once'] });
    expect(distances(await ask('graph_impact', { name: 'Store.open' }))).toEqual(
      expect.arrayContaining([
        ['instruction:open-once', 1],
        ['instruction:keep-small', 2],
      ]),
    );
    expect(distances(await ask('graph_impact', { name: 'src/store.ts' }))).toContainEqual(['instruction:open-once', 1]);
    const { decision_id } = await ask('record_decision', {
      title: 'T',
      target: 't',
      rationale: 'Because it was seen.',
    });
    const { event_id } = await ask('record_interaction', { prompt: 'Seen?', response: 'Yes.', success: true });
    await ask('link_interaction_to_decision', { event_id, decision_id });
    const plain = decision_id.replace(/^decisions\/|\.md$/g, '');
    expect(distances(await ask('graph_impact', { node_key: `event:${event_id}` }))).toEqual([[`decision:${plain}`, 1]]);
  });
});

describe('graph_path', () => {
  it('is the shortest way, in any direction or in that of the edges', async () => {
    const project = await openVillage();
    const { ask } = project;
    const way = await ask('graph_path', { from: 'src/main.ts', to: 'helper', directed: true });
    expect(way).toMatchObject({ found: true, length: 2 });
    expect(way.nodes.map(({ key }: Message) => short(key))).toEqual([
      'src/main.ts',
      expect.any(String),
      'src/store.ts#helper',
    ]);
    expect(await ask('graph_path', { from: 'src/types.ts', to: 'src/main.ts', directed: true })).toMatchObject({
      found: false,
      nodes: [],
    });
    const around = await ask('graph_path', { from: 'src/types.ts', to: 'src/main.ts' });
    expect(sentences(around.edges)).toEqual(['src/main.ts IMPORTS src/store.ts', 'src/types.ts IMPORTS src/store.ts']);
    await addInstruction(project, 'open-once', 'Call `Store.open` once.');
    const toRule = await ask('graph_path', { from: 'open-once', to: 'src/main.ts' });
    expect(sentences(toRule.edges)).toEqual([
      'instruction:open-once mentions src/store.ts#Store.open',
      'src/main.ts CALLS src/store.ts#Store.open',
    ]);
    expect(await ask('graph_path', { from: 'src/main.ts', to: 'src/main.ts' })).toMatchObject({
      found: true,
      length: 0,
    });
  });

  it('does not lead through folders, unless one is an end, and says when it gave up', async () => {
    const { ask, refusal } = await openVillage();
    expect(await ask('graph_path', { from: 'py/tool/run.py', to: 'src/main.ts' })).toMatchObject({ found: false });
    const placed = await ask('graph_path', { from: 'folder:default/src', to: 'src/main.ts' });
    expect(sentences(placed.edges)).toEqual(['src CONTAINS src/main.ts']);
    const near = await ask('graph_path', { from: 'src/main.ts', to: 'Base.close', max_length: 1 });
    expect(near.gave_up).toMatch(/1 steps or less/);
    expect((await refusal('graph_path', { from: 'nobody', to: 'src/main.ts' })).message).toMatch(
      /No document is nobody/,
    );
  });
});

it('has verbs with a small tree for people', async () => {
  const { folder, server } = await openVillage();
  server.kill();
  await server.exited;
  const run = async (...args: string[]) => cairn([...args, '--text', '--home', `${folder}/.cairn`], { cwd: folder });
  const { stdout } = await run('graph', 'src/main.ts', '--relation', 'imports', '--depth', '2');
  expect(stdout).toMatch(/^src\/main.ts\n├─ IMPORTS → src\/store.ts\n│ {2}└─ IMPORTS → src\/base.ts\n/);
  expect((await run('impact', 'helper')).stdout).toContain('CALLS ← Store.open src/store.ts:6');
  expect(await run('path', 'src/main.ts', 'src/base.ts', '--relation', 'IMPORTS')).toMatchObject({
    code: 0,
    stdout: 'src/main.ts\n  ↓ IMPORTS\nsrc/store.ts\n  ↓ IMPORTS\nsrc/base.ts\n',
  });
  expect((await run('path', 'src/main.ts', 'py/tool/run.py')).code).toBe(1);
  expect((await run('graph')).stdout).toMatch(/symbol +\d+/);
});
