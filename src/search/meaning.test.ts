import { describe, expect, it } from 'vitest';
import type { VectorShelf } from '../store/store.ts';
import type { Embedder } from './embed/embedder.ts';
import { Meanings } from './meaning.ts';
import { encode, unit } from './vector.ts';

const topics = ['cache', 'token', 'deploy', 'colour'];

/** A direction for each topic that a text names. */
function vectorOf(text: string): Float32Array | undefined {
  const vector = Float32Array.from({ length: 32 }, (_, at) => (text.includes(topics[at] ?? '–') ? 1 : 0));
  return vector.some((value) => value > 0) ? unit(vector) : undefined;
}

function fakeEmbedder(): Embedder & { batches: number[]; breaksAfter: number } {
  return {
    model: 'fake',
    dimensions: 32,
    batches: [],
    breaksAfter: Number.POSITIVE_INFINITY,
    async embed(texts) {
      if (this.batches.length >= this.breaksAfter) throw new Error('gone');
      this.batches.push(texts.length);
      return texts.map(vectorOf);
    },
    state: () => ({ state: 'ready' }),
    close: async () => {},
  };
}

function fakeShelf(texts: Record<string, string>) {
  const kept = new Map<string, { hash: string; version: number; codes: readonly (Uint8Array | undefined)[] }>();
  let version = 0;
  const shelf: VectorShelf = {
    missing: async (_, limit) =>
      Object.entries(texts)
        .filter(([id, body]) => kept.get(id)?.hash !== body)
        .slice(0, limit)
        .map(([id, body]) => ({ id, hash: body, title: id, body })),
    put: async (_, embedded) => {
      version++;
      for (const { id, hash, codes } of embedded) kept.set(id, { hash, codes, version });
    },
    since: async (_, from) => ({
      version,
      vectors: [...kept]
        .filter(([, each]) => each.version > from)
        .map(([id, { codes }]) => ({
          id,
          codes: codes.filter((code) => code !== undefined),
          passages: codes.flatMap((code, at) => (code === undefined ? [] : [at])),
        })),
      more: false,
    }),
    progress: async () => ({ done: kept.size, of: Object.keys(texts).length }),
    claim: async () => true,
  };
  return { shelf, kept };
}

async function filled(meanings: Meanings, shelf: VectorShelf): Promise<void> {
  meanings.fill();
  await expect.poll(async () => (await shelf.missing('fake', 1)).length, { timeout: 5000, interval: 20 }).toBe(0);
}

const rule = (topic: string) => `${'Nothing to see here, and nothing here either. '.repeat(19)}\n${topic}\n`;
const query = (text: string) => vectorOf(text) as Float32Array;

describe('meanings', () => {
  it('find a text by a passage far into it, and name it once', async () => {
    const { shelf } = fakeShelf({
      long: [rule('deploy'), rule('cache'), rule('cache token')].join(''),
      short: 'colour and cache',
    });
    const meanings = new Meanings(shelf, fakeEmbedder());
    await filled(meanings, shelf);
    const near = await meanings.nearest(query('cache'), 20);
    expect(near.map(({ id }) => id)).toEqual(['long', 'short']);
    expect(near[0]?.similarity).toBeCloseTo(1, 2);
    expect(meanings.similarity(query('cache'), 'short')).toBeCloseTo(Math.SQRT1_2, 2);
    expect(meanings.similarity(query('cache'), 'unknown')).toBeUndefined();
  });

  it('go by the text as it is: a change replaces its passages, and other texts stay', async () => {
    const texts: Record<string, string> = { one: rule('deploy') + rule('cache'), other: 'token' };
    const { shelf } = fakeShelf(texts);
    const meanings = new Meanings(shelf, fakeEmbedder());
    await filled(meanings, shelf);
    expect(meanings.similarity(query('cache'), 'one')).toBeUndefined();
    expect((await meanings.nearest(query('cache'), 1))[0]?.similarity).toBeCloseTo(1, 2);
    texts.one = 'colour';
    texts.late = 'deploy';
    await filled(meanings, shelf);
    expect((await meanings.nearest(query('cache'), 9)).map(({ similarity }) => similarity)).toEqual([0, 0, 0]);
    expect((await meanings.nearest(query('colour'), 9))[0]).toMatchObject({ id: 'one' });
    expect((await meanings.nearest(query('deploy'), 9))[0]).toMatchObject({ id: 'late' });
    expect((await meanings.nearest(query('token'), 9))[0]).toMatchObject({ id: 'other' });
  });

  it('are not there for a text that the model has nothing to say of, and it is not asked again', async () => {
    const texts: Record<string, string> = { one: 'cache' };
    const { shelf } = fakeShelf(texts);
    const embedder = fakeEmbedder();
    const meanings = new Meanings(shelf, embedder);
    await filled(meanings, shelf);
    await meanings.nearest(query('cache'), 1);
    texts.one = '?';
    await filled(meanings, shelf);
    expect(await meanings.nearest(query('cache'), 1)).toEqual([]);
    expect(meanings.similarity(query('cache'), 'one')).toBeUndefined();
    expect(embedder.batches).toEqual([1, 1]);
  });

  it('are made in small batches of whole texts, and go on where they stopped', async () => {
    const long = Array.from({ length: 20 }, () => rule('cache')).join('');
    const { shelf, kept } = fakeShelf({ long, a: 'token', b: 'deploy', c: 'colour' });
    const embedder = fakeEmbedder();
    const meanings = new Meanings(shelf, embedder);
    embedder.breaksAfter = 2;
    meanings.fill();
    await expect.poll(() => kept.size, { timeout: 5000, interval: 20 }).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(embedder.batches).toEqual([16, 4]);
    expect(kept.get('long')?.codes).toHaveLength(20);
    expect([...kept.keys()]).toEqual(['long']);
    embedder.breaksAfter = Number.POSITIVE_INFINITY;
    await filled(meanings, shelf);
    expect(embedder.batches).toEqual([16, 4, 3]);
    expect([...kept.keys()]).toEqual(['long', 'a', 'b', 'c']);
  });

  it('make room when most of them are of texts that changed', async () => {
    const [before, after] = [unit(Float32Array.from([1, 0])), unit(Float32Array.from([0, 1]))];
    const texts = (version: number, vector: Float32Array) =>
      Array.from({ length: 2500 }, (_, at) => ({
        id: `${at}`,
        codes: [encode(vector), encode(vector)],
        passages: [0, 3],
      })).slice(version === 3 ? 2499 : 0);
    let version = 0;
    const shelf: Partial<VectorShelf> = {
      since: async (_, from) => ({
        version,
        vectors: from === version ? [] : version === 1 ? texts(1, before) : texts(version, after),
        more: false,
      }),
    };
    const meanings = new Meanings(shelf as VectorShelf, { model: 'given', dimensions: 2 } as Embedder);
    version = 1;
    expect((await meanings.nearest(before, 10))[0]?.similarity).toBeCloseTo(1);
    version = 2;
    expect((await meanings.nearest(before, 10))[0]?.similarity).toBeCloseTo(0);
    expect((await meanings.nearest(after, 6000)).length).toBe(2500);
    expect(meanings.near(after, '2499')).toMatchObject({ similarity: expect.closeTo(1), passage: 0 });
    version = 3;
    expect((await meanings.nearest(after, 6000)).length).toBe(2500);
    expect(meanings.vectorOf('2499', 3)).toBeDefined();
    expect(meanings.vectorOf('7', 3)).toBeDefined();
  });
});
