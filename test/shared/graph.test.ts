/** Vectors, the graph and mentions: PostgreSQL answers what the embedded store answers. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Outline } from '../../src/graph/code/outline.ts';
import type { DocumentRecord } from '../../src/store/documents.ts';
import type { ReadCode } from '../../src/store/graph-index.ts';
import type { KeptMention } from '../../src/store/mentions.ts';
import { type TestServer, testServer } from '../support/postgres.ts';
import { Both, type Indexes, openDatabase, sharedIndexes } from '../support/two-engines.ts';

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server?.stop());

const TIME = '2026-01-01T00:00:00.000Z';
const code = (value: number) => new Uint8Array([value, 0, 255]);

function record(id: number, hash: string, path = `${id}.md`): DocumentRecord {
  const own = {
    id,
    hash,
    path,
    collection: 'default',
    size: 1,
    kind: 'text',
    mime: 'text/plain',
    tags: [],
    metadata: {},
  };
  return { ...own, created: TIME, modified: TIME, indexed: TIME } as DocumentRecord;
}

const text = (hash: string) => ({ hash, text: `text ${hash}`, extracted: false, partial: false });

describe('vectors on PostgreSQL', () => {
  const write = (id: string, body: string) => (indexes: Indexes) =>
    indexes.instructions.update([{ name: `${id}.json`, id, size: 1, modifiedMs: 1, head: '{}', title: id, body }], []);
  const embed =
    (...codes: (Uint8Array | undefined)[]) =>
    async ({ instructions: { vectors } }: Indexes) => {
      const missing = await vectors.missing('m', 10);
      await vectors.put(
        'm',
        missing.map(({ id, hash }) => ({ id, hash, codes })),
      );
      return missing;
    };
  const since = (version: number) => (indexes: Indexes) => indexes.instructions.vectors.since('m', version);

  it('are asked for once, replaced with their text, and given in several steps', async () => {
    const both = await Both.open(server.url);
    await both.same(write('go', 'Wrap errors.'));
    await both.same(write('rust', 'No unwrap.'));
    await both.same(({ instructions }) => instructions.vectors.progress('m'));
    await both.same(embed(code(1), undefined, code(3)));
    await both.same(({ instructions }) => instructions.vectors.missing('m', 10));
    await both.same(({ instructions }) => instructions.vectors.progress('m'));
    expect(await both.same(({ instructions }) => instructions.vectors.missing('other', 1))).toHaveLength(1);
    const { version } = await both.same(since(0));
    await both.same(write('go', 'Wrap all errors.'));
    const old = { id: 'go', hash: 'not the one', codes: [code(7)] };
    await both.same(({ instructions }) => instructions.vectors.put('m', [old]));
    await both.same(since(0));
    await both.same(embed());
    expect((await both.same(since(version))).vectors).toEqual([{ id: 'go', codes: [], passages: [] }]);
    const many = Array.from({ length: 900 }, (_, at) => code(at % 256));
    for (const id of ['a', 'b', 'c']) {
      await both.same(write(id, id));
      await both.same(embed(...many));
    }
    const first = await both.same(since(0));
    expect(first.more).toBe(true);
    const second = await both.same(since(first.version));
    await both.same(write('d', 'd'));
    await both.same(embed(...many, ...many, ...many));
    expect((await both.same(since(second.version))).vectors.map(({ codes }) => codes.length)).toContain(2700);
  });

  it('of documents go with their content, and whoever holds them learns of it', async () => {
    const both = await Both.open(server.url);
    const follow = (seq: number, id: number, hash: string) =>
      both.same(({ documents }) => documents.follow(seq - 1, [{ seq, id, document: record(id, hash) }], [text(hash)]));
    await follow(1, 1, 'aa');
    await follow(2, 2, 'bb');
    const embedAll = async ({ documents: { vectors } }: Indexes) => {
      const missing = await vectors.missing('m', 10);
      await vectors.put(
        'm',
        missing.map(({ id, hash }) => ({ id, hash, codes: [code(1)] })),
      );
      return missing;
    };
    expect(await both.same(embedAll)).toHaveLength(2);
    const { version } = await both.same(({ documents }) => documents.vectors.since('m', 0));
    await follow(3, 1, 'cc');
    expect((await both.same(({ documents }) => documents.vectors.since('m', version))).vectors).toEqual([
      { id: 'aa', codes: [], passages: [] },
    ]);
    await both.same(embedAll);
    // The content comes back under a new number, and is asked for again.
    await follow(4, 1, 'aa');
    expect((await both.same(embedAll)).map(({ id }) => id)).toEqual(['aa']);
    await both.same(({ documents }) => documents.vectors.since('m', version));
    // Vectors outlive a new beginning of the index.
    await both.same(({ documents }) => documents.reset());
    await both.same(({ documents }) =>
      documents.follow(0, [{ seq: 4, id: 1, document: record(1, 'aa') }], [text('aa')]),
    );
    expect(await both.same(({ documents }) => documents.vectors.missing('m', 9))).toEqual([]);
    expect(await both.same(({ documents }) => documents.vectors.progress('m'))).toEqual({ done: 1, of: 1 });
  });

  it('are made by one process at a time', async () => {
    const both = await Both.open(server.url);
    for (const forMs of [60_000, 60_000, 0, 60_000]) {
      await both.same(({ instructions }) => instructions.vectors.claim(forMs));
      await both.same(({ graph }) => graph.claim(forMs));
    }
    const database = openDatabase(server.url);
    const many = Array.from({ length: 8 }, () => sharedIndexes(database).graph.claim(5000));
    expect((await Promise.all(many)).filter(Boolean)).toHaveLength(1);
  });
});

describe('the graph on PostgreSQL', () => {
  const outlineOf = (...names: string[]): Outline => ({
    language: 'typescript',
    symbols: names.map((name) => ({ name, kind: 'function', line: 1, endLine: 2 })) as unknown as Outline['symbols'],
    imports: [],
    calls: [],
    inherits: [],
  });
  const read = (id: number, hash: string, names: string[], uses: string[], importKeys: string[]): ReadCode => ({
    document: { id, hash, language: 'typescript' },
    outline: outlineOf(...names),
    uses,
    importKeys,
  });
  const follow = (both: Both, after: number, documents: readonly (DocumentRecord | number)[]) =>
    both.same(({ documents: index }) =>
      index.follow(
        after,
        documents.map((document, at) =>
          typeof document === 'number'
            ? { seq: after + at + 1, id: document }
            : { seq: after + at + 1, id: document.id, document },
        ),
        documents.flatMap((document) => (typeof document === 'number' ? [] : [text(document.hash)])),
      ),
    );

  it('keeps what was read of the documents that are still there, and forgets it with them', async () => {
    const both = await Both.open(server.url);
    const places = [
      record(1, 'h1', 'src/a.ts'),
      record(2, 'h2', 'src/b.ts'),
      record(3, 'h1', 'copy/a.ts'),
      record(4, 'h4', 'notes.md'),
      { ...record(5, 'h5', 'src/c.ts'), collection: 'other' },
      { ...record(6, 'h6', 'image.ts'), kind: 'binary' as const },
    ];
    const all = async () => {
      await both.same(({ graph }) => graph.version());
      await both.same(({ graph }) => graph.unread(10));
      await both.same(({ graph }) => graph.pending());
      await both.same(({ graph }) => graph.outlined(undefined, 10));
      await both.same(({ graph }) => graph.outlined({ collection: 'default', path: 'copy/a.ts' }, 1));
      await both.same(({ graph }) => graph.symbolCount());
      for (const name of ['alpha', 'beta', 'gamma', 'x'.repeat(3000), 'none']) {
        await both.same(({ graph }) => graph.defining(name, 10));
        for (const collection of ['default', 'other']) {
          await both.same(async ({ graph }) => (await graph.using(collection, [name, 'zeta'], 10)).sort());
          await both.same(async ({ graph }) => (await graph.importing(collection, [name, './k'], 10)).sort());
        }
      }
      await both.same(({ graph }) => graph.outline('h1', 'typescript'));
      await both.same(({ graph }) => graph.outline('h2', 'python'));
    };
    expect(await follow(both, 0, places)).toBe(true);
    expect(await both.same(({ graph }) => graph.pending())).toBe(4);
    await all();
    const long = 'x'.repeat(3000);
    await both.same(({ graph }) =>
      graph.keep([
        read(1, 'h1', ['alpha', 'beta', 'alpha', long], ['gamma', 'zeta', 'gamma'], ['./k', './k', long]),
        read(2, 'other content', ['never'], [], []),
        read(99, 'h1', ['never'], [], []),
      ]),
    );
    await all();
    expect(await both.same(({ graph }) => graph.unread(10))).toMatchObject([
      { id: 2 },
      { id: 3, outline: { symbols: [{ name: 'alpha' }, {}, {}, {}] } },
      { id: 5 },
    ]);
    await both.same(({ graph }) =>
      graph.keep([
        read(3, 'h1', ['alpha', 'beta', 'alpha', long], ['gamma'], ['./other']),
        read(2, 'h2', ['gamma'], ['alpha'], ['./k']),
        read(5, 'h5', [], ['alpha'], []),
      ]),
    );
    await all();
    expect(await both.same(({ graph }) => graph.defining('alpha', 10))).toHaveLength(2);
    await follow(both, 6, [1, record(2, 'h7', 'src/b.ts'), { ...record(4, 'h4', 'notes.ts') }]);
    await all();
    await follow(both, 9, [3]);
    await all();
    expect(await both.same(({ graph }) => graph.defining('alpha', 10))).toEqual([]);
  });

  it('keeps the links and mentions of files, and lets go of them', async () => {
    const both = await Both.open(server.url);
    const link = (source: string, relation: string, target: string) => ({ source, relation, target });
    const mention = (type: KeptMention['type'], value: string, more: Partial<KeptMention> = {}): KeptMention => ({
      type,
      value,
      given: false,
      ...more,
    });
    const file = (id: string, links: ReturnType<typeof link>[], mentions: KeptMention[]) => ({
      name: `${id}.json`,
      id,
      size: 1,
      modifiedMs: 1,
      head: JSON.stringify({ head: { status: 'draft' } }),
      title: `Title ${id}`,
      body: `Body ${id}`,
      links,
      mentions,
    });
    const long = `src/${'é'.repeat(1190)}.ts`;
    const ask = async () => {
      for (const key of ['category:a', 'category:b', 'instruction:one', 'decision:x'])
        for (const direction of ['in', 'out'] as const)
          await both.same(({ graph }) => graph.links(key, direction, 'in_category', 10));
      await both.same(({ graph }) => graph.links('decision:x', 'in', 'supersedes', 10));
      await both.same(({ graph }) => graph.categories(10, 0));
      await both.same(({ graph }) => graph.categories(1, 1));
      await both.same(({ graph }) => graph.categoryCount());
      await both.same(({ graph }) => graph.instructionCount());
      await both.same(({ graph }) => graph.instructions(10, 0));
      await both.same(({ graph }) => graph.instruction('one'));
      await both.same(({ graph }) => graph.instruction('gone'));
      await both.same(({ mentions }) => mentions.of('instruction', 'one'));
      await both.same(({ mentions }) => mentions.naming('path', ['src/a.ts', long, 'src/a.ts', 'none']));
      await both.same(({ mentions }) => mentions.naming('symbol', []));
      for (const kind of [undefined, 'instruction', 'decision'] as const)
        await both.same(({ mentions }) => mentions.citing(kind));
    };
    const one = file(
      'one',
      [link('instruction:one', 'in_category', 'category:a'), link('instruction:one', 'in_category', 'category:b')],
      [
        mention('path', 'src/a.ts', { given: true, symbol: 'run', collection: 'default' }),
        mention('path', long),
        mention('symbol', 'run'),
      ],
    );
    const two = file('two', [link('instruction:two', 'in_category', 'category:a')], [mention('path', 'src/a.ts')]);
    await both.same(({ instructions }) => instructions.update([one, two], []));
    const replaced = [link('decision:y', 'supersedes', 'decision:x')];
    await both.same(({ decisions }) =>
      decisions.update(
        [
          { name: 'y.md', size: 1, modifiedMs: 1, links: replaced, mentions: [mention('path', 'src/a.ts')] },
          { name: 'x.md', size: 1, modifiedMs: 1, links: [...replaced, ...replaced], mentions: [] },
        ],
        [],
      ),
    );
    await ask();
    expect(await both.same(({ mentions }) => mentions.naming('path', ['src/a.ts']))).toHaveLength(3);
    await both.same(({ instructions }) => instructions.update([file('one', [], [])], ['two.json']));
    await both.same(({ decisions }) => decisions.update([], ['y.md']));
    await ask();
    expect(await both.same(({ graph }) => graph.links('decision:x', 'in', 'supersedes', 10))).toHaveLength(1);
  });
});
