import { describe, expect, it } from 'vitest';
import type { VectorShelf } from '../store/store.ts';
import type { Embedder } from './embed/embedder.ts';
import { byMeaning, byWords, hybrid, leaning } from './hybrid.ts';
import { Meanings } from './meaning.ts';
import { encode, unit } from './vector.ts';

const direction = (...values: number[]) => unit(Float32Array.from(values));
const asked = direction(1, 0, 0, 0);

/** Texts by their vectors. */
function meaningsOf(texts: Record<string, Float32Array[]>): Meanings {
  const shelf: Partial<VectorShelf> = {
    since: async (_, version) => ({
      version: 1,
      vectors:
        version > 0
          ? []
          : Object.entries(texts).map(([id, vectors]) => ({
              id,
              codes: vectors.map(encode),
              passages: vectors.map((_each, at) => at),
            })),
      more: false,
    }),
  };
  const embedder: Partial<Embedder> = { model: 'given', dimensions: 4 };
  return new Meanings(shelf as VectorShelf, embedder as Embedder);
}

const texts = {
  near: [direction(0, 1, 0, 0), direction(0.9, 0.1, 0, 0)],
  alike: [direction(0.8, 0.2, 0, 0)],
  far: [direction(0, 0, 0, 1)],
};

describe('an order by words and meaning', () => {
  it('adds both as they are, and says of which parts a score is made', async () => {
    const meanings = meaningsOf(texts);
    const order = await hybrid([{ id: 'far', score: 0.5 }], { vector: asked, meanings }, 'letters');
    const far = order.find(({ id }) => id === 'far');
    expect(order.map(({ id }) => id)).toEqual(['far', 'near', 'alike']);
    expect(far?.score).toBeCloseTo((1 - leaning.letters) * 0.5, 2);
    expect(far?.parts).toEqual({ keyword: 0.5, vector: expect.closeTo(0, 1) });
    expect(order[1]).toMatchObject({ id: 'near', passage: 1, parts: { keyword: 0 } });
  });

  it('leans to the meaning of a sentence', async () => {
    const order = await hybrid([{ id: 'far', score: 0.5 }], { vector: asked, meanings: meaningsOf(texts) }, 'meaning');
    expect(order.map(({ id }) => id)).toEqual(['near', 'alike', 'far']);
    for (const { parts } of order) expect(parts.feedback).toBeGreaterThanOrEqual(0);
  });

  it('lifts what is like the best, though the question knows nothing of it', async () => {
    const meanings = meaningsOf({
      one: [direction(0.7, 0.7, 0, 0)],
      two: [direction(0.7, 0.68, 0, 0)],
      like: [direction(0.3, 0.9, 0, 0)],
      unlike: [direction(0.3, 0, 0.9, 0)],
    });
    const order = await hybrid([], { vector: asked, meanings }, 'meaning');
    expect(order.map(({ id }) => id)).toEqual(['two', 'one', 'like', 'unlike']);
  });

  it('knows only words of what has no vector, and finds only what is accepted', async () => {
    const meanings = meaningsOf(texts);
    const accepts = (id: string) => id !== 'near';
    const order = await hybrid([{ id: 'new', score: 1 }], { vector: asked, meanings, accepts }, 'words');
    expect(order.map(({ id }) => id).sort()).toEqual(['alike', 'far', 'new']);
    expect(order.find(({ id }) => id === 'new')?.parts).toEqual({ keyword: 1 });
  });

  it('is by one of the two alone where that is asked for', async () => {
    expect((await byMeaning({ vector: asked, meanings: meaningsOf(texts) })).map(({ id }) => id)).toEqual([
      'near',
      'alike',
      'far',
    ]);
    expect(byWords([{ id: 'a', score: 3 }])).toEqual([{ id: 'a', score: 0.75, parts: { keyword: 3 } }]);
  });
});
