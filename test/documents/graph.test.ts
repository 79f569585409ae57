/** The graph of documents: what contains what, from every side. */
import { describe, expect, it } from 'vitest';
import { openProject, type Project } from './project.ts';

const files = ['README.md', 'src/main.cpp', 'src/main.h', 'src/deep/er/a.ts', 'src-old/x.ts', 'src.md', 'ünï/名前.md'];

async function filled(): Promise<Project> {
  const project = await openProject();
  for (const name of files) await project.ask('add', { name, content: `// Content of ${name}\n` });
  await project.ask('add', { name: 'other.txt', content: 'elsewhere', collection: 'notes' });
  return project;
}

function keys(nodes: readonly { key: string }[]): string[] {
  return nodes.map(({ key }) => key).sort();
}

describe('graph', () => {
  it('begins at a collection and shows each step once', async () => {
    const { ask } = await filled();
    const one = await ask('graph', { node_key: 'collection:default' });
    expect(keys(one.nodes)).toEqual([
      'document:default/README.md',
      'document:default/src.md',
      'folder:default/src',
      'folder:default/src-old',
      'folder:default/ünï',
    ]);
    const two = await ask('graph', { node_key: 'collection:default', depth: 2 });
    expect(keys(two.nodes)).toContain('folder:default/src/deep');
    expect(keys(two.nodes)).not.toContain('folder:default/src/deep/er');
    expect(two.edges).toContainEqual({
      source: 'folder:default/src',
      target: 'document:default/src/main.cpp',
      relation: 'CONTAINS',
    });
    const all = await ask('graph', { node_key: 'collection:default', depth: 5 });
    expect(all.nodes).toHaveLength(files.length + 5);
    expect(new Set(keys(all.nodes)).size).toBe(all.nodes.length);
    expect(all.edges).toHaveLength(all.nodes.length);
  });

  it('goes backwards from a document to its collection', async () => {
    const { ask } = await filled();
    const { origin, nodes } = await ask('graph', { name: 'main.cpp', reverse: true, depth: 5, relation: 'CONTAINS' });
    expect(origin).toMatchObject({ key: 'document:default/src/main.cpp', depth: 0 });
    expect(nodes.map(({ key, depth }: { key: string; depth: number }) => [key, depth])).toEqual([
      ['folder:default/src', 1],
      ['collection:default', 2],
    ]);
  });

  it('says where it stopped, and which kinds of edges it knows', async () => {
    const { ask } = await filled();
    expect(await ask('graph', { node_key: 'collection:default', depth: 5, limit: 3 })).toMatchObject({
      nodes: [{}, {}, {}],
      truncated: true,
    });
    const calls = await ask('graph', { name: 'src/main.cpp', depth: 2, relation: 'CALLS', limit: 50 });
    expect(calls).toMatchObject({ nodes: [], edges: [] });
    expect(calls.relations).toEqual(expect.arrayContaining(['CONTAINS', 'IMPORTS', 'CALLS', 'mentions']));
  });

  it('counts and lists nodes by type', async () => {
    const { ask } = await filled();
    expect((await ask('graph', { list_types: true })).types).toEqual([
      { type: 'collection', count: 2 },
      { type: 'folder', count: 5 },
      { type: 'document', count: files.length + 1 },
    ]);
    const folders = await ask('graph', { list_type: 'folder' });
    expect(keys(folders.nodes)).toEqual(
      ['src', 'src-old', 'src/deep', 'src/deep/er', 'ünï'].map((path) => `folder:default/${path}`).sort(),
    );
    expect(await ask('graph', { list_type: 'document', limit: 2 })).toMatchObject({ nodes: [{}, {}], truncated: true });
  });

  it('refuses what it cannot begin at', async () => {
    const { refusal } = await filled();
    expect((await refusal('graph')).message).toMatch(/hash, name or node_key/);
    expect((await refusal('graph', { list_type: 'symbols' })).data.suggestion).toMatch(/collection, folder, document/);
    for (const node_key of [
      'folder:default/missing',
      'document:default/src',
      'collection:none',
      'nonsense',
      'folder:default/sr',
    ])
      expect((await refusal('graph', { node_key })).message).toMatch(/No document is/);
  });
});

it('get shows what lies around a document, and a pipeline goes from node to content', async () => {
  const { ask } = await filled();
  const { related } = await ask('get', { name: 'src/main.cpp', graph: true, depth: 2 });
  expect(keys(related)).toEqual([
    'collection:default',
    'document:default/src/main.h',
    'folder:default/src',
    'folder:default/src/deep',
  ]);
  const { steps } = await ask('query', {
    steps: [
      { op: 'graph', params: { node_key: 'folder:default/src-old' } },
      { op: 'get', params: { hash: '$prev.nodes[0].hash', include_content: true } },
    ],
  });
  expect(steps[1].result.content).toBe('// Content of src-old/x.ts\n');
});
