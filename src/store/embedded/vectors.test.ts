import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DocumentRecord } from '../documents.ts';
import { EmbeddedDocumentIndex } from './document-index.ts';
import { IndexDatabase } from './index-database.ts';
import { EmbeddedInstructionIndex } from './instruction-index.ts';

let home: string;
let database: IndexDatabase;
let index: EmbeddedInstructionIndex;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'cairn-vectors-'));
  database = new IndexDatabase(home, undefined);
  index = new EmbeddedInstructionIndex(database);
});

afterEach(async () => {
  await database.close();
  await rm(home, { recursive: true, force: true });
});

const write = (id: string, body: string) =>
  index.update([{ name: `${id}.md`, id, size: body.length, modifiedMs: 1, head: '{}', title: id, body }], []);
const code = (value: number) => new Uint8Array([value, 0, 0]);

/** Embeds what is missing, with these codes each. */
async function embed(...codes: (Uint8Array | undefined)[]): Promise<void> {
  const missing = await index.vectors.missing('m', 10);
  await index.vectors.put(
    'm',
    missing.map(({ id, hash }) => ({ id, hash, codes })),
  );
}

describe('the shelf of vectors', () => {
  it('asks for whole texts and gives the passages back in order', async () => {
    await write('go', 'Wrap errors.');
    expect(await index.vectors.missing('m', 10)).toMatchObject([{ id: 'go', title: 'go', body: 'Wrap errors.' }]);
    expect(await index.vectors.progress('m')).toEqual({ done: 0, of: 1 });
    await embed(...Array.from({ length: 12 }, (_, at) => code(at)));
    expect(await index.vectors.missing('m', 10)).toEqual([]);
    expect(await index.vectors.progress('m')).toEqual({ done: 1, of: 1 });
    const { vectors } = await index.vectors.since('m', 0);
    expect(vectors.map(({ id, codes }) => [id, codes.map(([first]) => first)])).toEqual([
      ['go', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]],
    ]);
  });

  it('replaces all passages of a text that changed, and says so to whoever knows the old ones', async () => {
    await write('go', 'Wrap errors.');
    await write('rust', 'No unwrap.');
    await embed(code(1), code(2), code(3));
    const { version } = await index.vectors.since('m', 0);
    await write('go', 'Wrap all errors.');
    expect((await index.vectors.since('m', 0)).vectors.map(({ id }) => id)).toEqual(['rust']);
    await embed(code(9));
    expect((await index.vectors.since('m', version)).vectors).toEqual([{ id: 'go', codes: [code(9)], passages: [0] }]);
    expect((await index.vectors.since('m', 0)).vectors).toHaveLength(2);
  });

  it('keeps in mind that the model has nothing to say of a passage, or of a text', async () => {
    await write('go', 'Wrap errors.');
    await embed(undefined, code(2));
    expect((await index.vectors.since('m', 0)).vectors).toMatchObject([{ id: 'go', codes: [{ 0: 2 }] }]);
    await write('go', '???');
    await embed();
    expect(await index.vectors.missing('m', 10)).toEqual([]);
    expect((await index.vectors.since('m', 0)).vectors).toEqual([{ id: 'go', codes: [], passages: [] }]);
  });

  it('gives many in several steps, and never a part of a text', async () => {
    const many = Array.from({ length: 900 }, () => code(1));
    for (const id of ['a', 'b', 'c']) {
      await write(id, id);
      await embed(...many);
    }
    const first = await index.vectors.since('m', 0);
    expect(first.vectors.map(({ id, codes }) => [id, codes.length])).toEqual([
      ['a', 900],
      ['b', 900],
    ]);
    const second = await index.vectors.since('m', first.version);
    expect(second.vectors.map(({ id, codes }) => [id, codes.length])).toEqual([['c', 900]]);
    expect([first.more, second.more]).toEqual([true, false]);
    await write('d', 'd');
    await embed(...many, ...many, ...many);
    const third = await index.vectors.since('m', second.version);
    expect(third.vectors.map(({ id, codes }) => [id, codes.length])).toEqual([['d', 2700]]);
    expect(await index.vectors.since('m', third.version)).toMatchObject({ vectors: [], more: false });
  });

  it('refuses vectors of a text that is no longer the one', async () => {
    await write('go', 'Wrap errors.');
    const [old] = await index.vectors.missing('m', 10);
    await write('go', 'Wrap all errors.');
    await index.vectors.put('m', [{ id: 'go', hash: old?.hash ?? '', codes: [code(1)] }]);
    expect(await index.vectors.missing('m', 10)).toHaveLength(1);
  });

  it('knows of each text its length and which words it holds, whatever their endings', async () => {
    await write('go', 'Wrap errors.');
    const { texts, frequencies, holds } = await index.coverage(['wrapped', 'error', 'tokens'], ['go', 'unknown']);
    expect([texts, frequencies]).toEqual([1, [1, 1, 0]]);
    expect([...holds]).toEqual([['go', { words: [true, true, false], length: 12 }]]);
  });
});

describe('vectors of documents', () => {
  it('go with their content, and whoever holds them learns of it', async () => {
    const documents = new EmbeddedDocumentIndex(database);
    const record = (id: number, hash: string): DocumentRecord => ({
      id,
      hash,
      path: `${id}.md`,
      collection: 'default',
      size: 1,
      kind: 'text',
      mime: 'text/plain',
      tags: [],
      metadata: {},
      created: '2026-01-01T00:00:00.000Z',
      modified: '2026-01-01T00:00:00.000Z',
      indexed: '2026-01-01T00:00:00.000Z',
    });
    const text = (hash: string) => ({ hash, text: `text ${hash}`, extracted: false, partial: false });
    await documents.follow(0, [{ seq: 1, id: 1, document: record(1, 'aa') }], [text('aa')]);
    await documents.follow(1, [{ seq: 2, id: 2, document: record(2, 'bb') }], [text('bb')]);
    const missing = await documents.vectors.missing('m', 10);
    expect(missing.map(({ id, body }) => [id, body])).toEqual([
      ['aa', undefined],
      ['bb', undefined],
    ]);
    await documents.vectors.put(
      'm',
      missing.map(({ id, hash }) => ({ id, hash, codes: [code(1), undefined, code(3)] })),
    );
    const first = await documents.vectors.since('m', 0);
    expect(first.vectors).toEqual(['aa', 'bb'].map((id) => ({ id, codes: [code(1), code(3)], passages: [0, 2] })));
    await documents.follow(2, [{ seq: 3, id: 1, document: record(1, 'cc') }], [text('cc')]);
    const second = await documents.vectors.since('m', first.version);
    expect(second.vectors).toEqual([{ id: 'aa', codes: [], passages: [] }]);
    expect((await documents.vectors.since('m', second.version)).vectors).toEqual([]);
    expect((await documents.vectors.missing('m', 10)).map(({ id }) => id)).toEqual(['cc']);
    // The content comes back under a new number, and is asked for again.
    await documents.follow(3, [{ seq: 4, id: 1, document: record(1, 'aa') }], [text('aa')]);
    expect((await documents.vectors.missing('m', 10)).map(({ id }) => id)).toEqual(['aa']);
    await documents.vectors.put('m', [{ id: 'aa', hash: 'aa', codes: [code(4)] }]);
    expect((await documents.vectors.since('m', second.version)).vectors).toEqual([
      { id: 'aa', codes: [code(4)], passages: [0] },
    ]);
  });
});
