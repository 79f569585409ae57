/** What source files define, take from each other and call, as the program answers it. */
import { describe, expect, it } from 'vitest';
import type { Message } from '../support/cairn.ts';
import { keysOf, openVillage, sentences, short } from './village.ts';

describe('a document', () => {
  it('defines, imports and calls, and says what it could not resolve', async () => {
    const { ask } = await openVillage();
    const { origin, nodes, edges, pending } = await ask('graph', { name: 'src/main.ts' });
    expect(pending).toBeUndefined();
    expect(origin).toMatchObject({ key: 'document:default/src/main.ts', type: 'document', depth: 0 });
    expect(sentences(edges)).toEqual([
      'src/main.ts CALLS ?later() (unresolved)',
      'src/main.ts CALLS ?readFile() (unresolved)',
      'src/main.ts CALLS src/main.ts#main',
      'src/main.ts CALLS src/store.ts#Store',
      'src/main.ts CALLS src/store.ts#Store.open',
      'src/main.ts DEFINES src/main.ts#main',
      'src/main.ts IMPORTS ?./later.ts (unresolved)',
      'src/main.ts IMPORTS ?node:fs/promises (unresolved)',
      'src/main.ts IMPORTS src/store.ts',
    ]);
    expect(nodes.find(({ key }: Message) => key === 'symbol:default/src/main.ts#main')).toMatchObject({
      kind: 'function',
      line: 5,
      end_line: 10,
      path: 'src/main.ts',
      hash: origin.hash,
    });
    // What leads nowhere comes last.
    const firstUnresolved = nodes.findIndex(({ type }: Message) => type === 'unresolved');
    expect(nodes.slice(firstUnresolved).every(({ type }: Message) => type === 'unresolved')).toBe(true);
    const plain = await ask('graph', { name: 'src/main.ts', resolved_only: true });
    expect(plain.edges.some(({ resolved }: Message) => resolved === false)).toBe(false);
  });

  it('is found from what it takes, in TypeScript, Python and Go', async () => {
    const { ask } = await openVillage();
    const back = async (params: object) => sentences((await ask('graph', { reverse: true, ...params })).edges);
    expect(await back({ name: 'src/store.ts', relation: 'imports' })).toEqual([
      'src/base.ts IMPORTS src/store.ts',
      'src/main.ts IMPORTS src/store.ts',
      'src/types.ts IMPORTS src/store.ts',
    ]);
    expect(await back({ name: 'split', relation: 'CALLS' })).toEqual([
      'py/tool/run.py CALLS py/tool/words.py#split',
      'py/tool/run.py#Runner.go CALLS py/tool/words.py#split',
    ]);
    expect(await back({ name: 'greet', relation: 'CALLS' })).toEqual([
      'go/main.go CALLS go/greet.go#greet',
      'go/main.go#main CALLS go/greet.go#greet',
    ]);
    expect(await back({ node_key: 'unresolved:node:fs/promises' })).toEqual([
      'src/main.ts IMPORTS ?node:fs/promises (unresolved)',
    ]);
    expect(await back({ node_key: 'unresolved:readFile()' })).toEqual([
      'src/main.ts CALLS ?readFile() (unresolved)',
      'src/main.ts#main CALLS ?readFile() (unresolved)',
    ]);
  });

  it('answers the pipeline of the seed: imports, then the content of the first', async () => {
    const { ask } = await openVillage();
    const { steps } = await ask('query', {
      steps: [
        { op: 'graph', params: { name: 'src/main.ts', relation: 'IMPORTS', depth: 2 } },
        { op: 'get', params: { hash: '$prev.nodes[0].hash', include_content: true } },
      ],
    });
    expect(steps[1].result.path).toBe('src/store.ts');
    expect(sentences(steps[0].result.edges)).toContain('src/store.ts IMPORTS src/base.ts');
  });
});

describe('a symbol', () => {
  it('contains, calls and inherits, and is called and inherited', async () => {
    const { ask } = await openVillage();
    const store = await ask('graph', { name: 'Store', depth: 2 });
    expect(sentences(store.edges)).toEqual([
      'src/base.ts#Base CONTAINS src/base.ts#Base.close',
      'src/store.ts#Store CONTAINS src/store.ts#Store.open',
      'src/store.ts#Store INHERITS src/base.ts#Base',
      'src/store.ts#Store.open CALLS src/store.ts#helper',
    ]);
    const base = await ask('graph', { name: 'Base', reverse: true });
    expect(sentences(base.edges)).toEqual([
      'src/base.ts DEFINES src/base.ts#Base',
      'src/store.ts#Store INHERITS src/base.ts#Base',
    ]);
    const helper = await ask('graph', { name: 'Store.open', reverse: true, relation: 'CALLS', depth: 2 });
    expect(sentences(helper.edges)).toContain('src/main.ts#main CALLS src/store.ts#Store.open');
  });

  it('is an edge in both directions or in none', async () => {
    const { ask } = await openVillage();
    const { nodes } = await ask('graph', { list_type: 'symbol' });
    const documents = (await ask('graph', { list_type: 'document' })).nodes;
    const everything = [...nodes, ...documents];
    const seen = async (reverse: boolean) => {
      const found = new Set<string>();
      for (const { key } of everything) {
        const { edges } = await ask('graph', { node_key: key, reverse, resolved_only: true, limit: 1000 });
        for (const sentence of sentences(edges)) found.add(sentence);
      }
      return [...found].filter((each) => !/^(src|py\/tool|py|go|docs|collection:default) CONTAINS /.test(each)).sort();
    };
    expect(await seen(true)).toEqual(await seen(false));
  });
});

describe('the traversal', () => {
  it('ends in a cycle, goes as far as it is told and stops at the limit', async () => {
    const { ask } = await openVillage();
    const params = { name: 'src/store.ts', relation: 'IMPORTS', depth: 5 };
    const { nodes, edges } = await ask('graph', params);
    expect(keysOf(nodes)).toEqual(['document:default/src/base.ts']);
    expect(sentences(edges)).toEqual(['src/base.ts IMPORTS src/store.ts', 'src/store.ts IMPORTS src/base.ts']);
    const depths = async (depth: number) => {
      const found = await ask('graph', { name: 'src/main.ts', relation: 'IMPORTS', depth, resolved_only: true });
      return found.nodes.map((node: Message) => [short(node.key), node.depth]);
    };
    expect(await depths(1)).toEqual([['src/store.ts', 1]]);
    expect(await depths(2)).toEqual([
      ['src/store.ts', 1],
      ['src/base.ts', 2],
    ]);
    const limited = await ask('graph', { name: 'src/main.ts', depth: 5, limit: 3 });
    expect(limited).toMatchObject({ nodes: [{}, {}, {}], truncated: true });
  });

  it('draws what it found, and no text breaks out of the drawing', async () => {
    const { ask } = await openVillage();
    await ask('add', { name: 'evil/"]; end %%{init}%%.ts', content: 'export function f() {}\n' });
    const { mermaid, nodes } = await ask('graph', { node_key: 'folder:default/evil', depth: 2, format: 'mermaid' });
    expect(nodes).toBeUndefined();
    expect(mermaid).toMatch(/^flowchart LR\n/);
    expect(mermaid.split('\n')).toHaveLength(1 + 3 + 2);
    expect(mermaid).not.toContain('%%{');
    const { dot } = await ask('graph', { name: 'src/main.ts', format: 'dot' });
    expect(dot).toContain('"document:default/src/main.ts" -> "document:default/src/store.ts" [label="IMPORTS"];');
    expect(dot).toContain('[label="CALLS", style=dashed];');
  });

  it('refuses relations it does not know, and names that mean several nodes', async () => {
    const { ask, refusal } = await openVillage();
    expect((await refusal('graph', { name: 'src/main.ts', relation: 'LIKES' })).data.suggestion).toMatch(/IMPORTS/);
    await ask('add', { name: 'src/other.ts', content: 'export function helper() {}\n' });
    const error = await refusal('graph', { name: 'helper' });
    expect(error.message).toMatch(/several nodes/);
    expect(error.data.candidates.sort()).toEqual([
      'symbol:default/src/other.ts#helper',
      'symbol:default/src/store.ts#helper',
    ]);
    expect((await refusal('graph', { name: 'nobody' })).message).toMatch(/No document is nobody/);
  });

  it('lists every symbol once, page by page', async () => {
    const { ask } = await openVillage();
    const all = (await ask('graph', { list_type: 'symbol', limit: 1000 })).nodes;
    const { types } = await ask('graph', { list_types: true });
    expect(types).toContainEqual({ type: 'symbol', count: all.length });
    const paged: Message[] = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const page: Message = await ask('graph', { list_type: 'symbol', limit: 4, offset });
      paged.push(...page.nodes);
      offset = page.next_offset;
    }
    expect(paged).toEqual(all);
    expect(new Set(keysOf(all)).size).toBe(all.length);
  });
});

describe('what changes', () => {
  it('resolves an import once the imported file is there, and no longer when it is gone', async () => {
    const { ask } = await openVillage();
    const imports = async () => sentences((await ask('graph', { name: 'src/main.ts' })).edges, 'IMPORTS');
    const calls = async () => sentences((await ask('graph', { name: 'src/main.ts' })).edges, 'CALLS');
    expect(await imports()).toContain('src/main.ts IMPORTS ?./later.ts (unresolved)');
    await ask('add', { name: 'src/later.ts', content: 'export function later() {}\n' });
    expect(await imports()).toContain('src/main.ts IMPORTS src/later.ts');
    expect(await calls()).toContain('src/main.ts CALLS src/later.ts#later');
    expect(sentences((await ask('graph', { name: 'src/later.ts', reverse: true })).edges)).toContain(
      'src/main.ts IMPORTS src/later.ts',
    );
    await ask('delete', { name: 'src/later.ts' });
    expect(await imports()).toContain('src/main.ts IMPORTS ?./later.ts (unresolved)');
    expect(await calls()).toContain('src/main.ts CALLS ?later() (unresolved)');
  });

  it('follows an edit: old symbols go, new ones come', async () => {
    const { ask, refusal } = await openVillage();
    await ask('graph', { name: 'helper' });
    const content = 'export class Store {\n  shut() {}\n}\n';
    await ask('add', { name: 'src/store.ts', content });
    expect((await refusal('graph', { name: 'helper' })).message).toMatch(/No document is helper/);
    expect(sentences((await ask('graph', { name: 'Store' })).edges)).toEqual([
      'src/store.ts#Store CONTAINS src/store.ts#Store.shut',
    ]);
    expect(sentences((await ask('graph', { name: 'src/main.ts' })).edges, 'CALLS')).toContain(
      'src/main.ts CALLS ?open() (unresolved)',
    );
  });

  it('leaves nothing of a document that was deleted', async () => {
    const { ask, refusal } = await openVillage();
    await ask('graph', { list_types: true });
    await ask('delete', { name: 'src/**' });
    const { nodes } = await ask('graph', { list_type: 'symbol' });
    expect(nodes.filter(({ path }: Message) => path.startsWith('src/'))).toEqual([]);
    expect((await refusal('graph', { node_key: 'symbol:default/src/store.ts#Store' })).message).toMatch(/No document/);
  });

  it('keeps two collections with equal paths apart', async () => {
    const { ask } = await openVillage();
    const other = 'export class Store {\n  away() {}\n}\n';
    await ask('add', { name: 'src/store.ts', content: other, collection: 'copy' });
    await ask('add', {
      name: 'src/user.ts',
      content: "import { Store } from './store.ts';\nnew Store();\n",
      collection: 'copy',
    });
    const users = async (collection: string) =>
      keysOf(
        (await ask('graph', { node_key: `symbol:${collection}/src/store.ts#Store`, reverse: true, relation: 'CALLS' }))
          .nodes,
      );
    expect(await users('copy')).toEqual(['document:copy/src/user.ts']);
    expect(await users('default')).toEqual(['document:default/src/main.ts', 'symbol:default/src/main.ts#main']);
    const named = await ask('graph', { name: 'src/store.ts', collection: 'copy', relation: 'DEFINES' });
    expect(keysOf(named.nodes)).toEqual(['symbol:copy/src/store.ts#Store']);
  });

  it('gives one content under two names the edges of each', async () => {
    const { ask } = await openVillage();
    const content = "import { twice } from './types.ts';\nexport const four = twice * 2;\n";
    await ask('add', { name: 'src/four.ts', content });
    await ask('add', { name: 'lost/four.ts', content });
    const imports = async (name: string) => sentences((await ask('graph', { name, relation: 'IMPORTS' })).edges);
    expect(await imports('src/four.ts')).toEqual(['src/four.ts IMPORTS src/types.ts']);
    expect(await imports('lost/four.ts')).toEqual(['lost/four.ts IMPORTS ?./types.ts (unresolved)']);
    expect(sentences((await ask('graph', { name: 'src/types.ts', reverse: true, relation: 'IMPORTS' })).edges)).toEqual(
      ['src/four.ts IMPORTS src/types.ts'],
    );
  });
});
