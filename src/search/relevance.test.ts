import { describe, expect, it, vi } from 'vitest';
import type { VectorShelf } from '../store/store.ts';
import type { Embedder, EmbedderState } from './embed/embedder.ts';
import { isRelevant, type Signs, type Source, scoreOf, signsOf, telltale, weigh, weightsOf } from './relevance.ts';
import { encode, unit } from './vector.ts';

const signs: Signs = {
  kind: 'decision',
  id: 'one',
  told: 1,
  covered: 0.4,
  words: 3,
  length: 500,
  asked: 1,
  texts: 1000,
  similarity: 0.45,
  aside: 0.25,
};
const { similarity: _, aside: __, ...byWords } = signs;

describe('how telling words are', () => {
  it('is by their rarity over all kinds of texts', () => {
    const [unknown = 0, rare = 0, common = 0, elsewhere = 0] = weightsOf([
      { texts: 100, frequencies: [0, 1, 90, 0] },
      { texts: 100, frequencies: [0, 0, 80, 90] },
    ]);
    expect(unknown).toBe(1);
    expect(rare).toBeLessThan(unknown);
    expect(elsewhere).toBeLessThan(rare);
    expect(common).toBeLessThan(elsewhere);
    expect(common).toBeGreaterThan(0);
  });

  it('adds up to a prompt that tells enough, or does not', () => {
    expect(telltale([1, 0.9, 0.4], [false, true, true])).toEqual({ told: 2.3 / 3, covered: 1.3 / 2.3, words: 2 });
    expect(telltale([1, 1, 1, 1], [true, false, false, false])).toEqual({ told: 1, covered: 0.25, words: 1 });
    expect(telltale([0.3], [true])).toEqual({ told: 0.3 / 3, covered: 1, words: 1 });
    expect(telltale([], [])).toEqual({ told: 0, covered: 0, words: 0 });
  });
});

describe('the floor', () => {
  it('lets through what is near and holds some of the words', () => {
    expect(isRelevant(signs)).toBe(true);
    expect(isRelevant({ ...signs, covered: 0 })).toBe(false);
    expect(isRelevant({ ...signs, similarity: 0.3 })).toBe(false);
    expect(isRelevant({ ...signs, covered: 0, similarity: 0.55 })).toBe(true);
  });

  it('is higher for a prompt that is like what is asked elsewhere', () => {
    expect(isRelevant({ ...signs, aside: 0.4 })).toBe(false);
    expect(isRelevant({ ...signs, aside: 0.4, similarity: 0.6 })).toBe(true);
  });

  it('is higher for a prompt of a word or two, even if a text holds all of it', () => {
    const short = { ...signs, told: 0.1, covered: 1, words: 1, asked: 0.1 };
    expect(isRelevant({ ...short, similarity: 0.45 })).toBe(false);
    expect(isRelevant({ ...short, similarity: 0.6 })).toBe(true);
  });

  it('is higher for a long text, which has more passages to be near by chance', () => {
    expect(isRelevant({ ...signs, length: 20_000 })).toBe(false);
    expect(isRelevant({ ...signs, length: 20_000, similarity: 0.7 })).toBe(true);
    expect(scoreOf({ ...signs, length: 0 })).toBe(scoreOf({ ...signs, length: 800 }));
  });

  it('is lower among few texts, but not without end, and no higher among very many', () => {
    const further = { ...signs, similarity: 0.35 };
    expect([1000, 20].map((texts) => isRelevant({ ...further, texts }))).toEqual([false, true]);
    expect(scoreOf({ ...signs, texts: 0 })).toBe(scoreOf({ ...signs, texts: 20 }));
    expect(scoreOf({ ...signs, texts: 100_000 })).toBe(scoreOf(signs));
  });

  it('asks words alone for more than one, and for a good part of what is told', () => {
    expect(isRelevant({ ...byWords, covered: 0.5 })).toBe(true);
    expect(isRelevant({ ...byWords, covered: 0.5, words: 1 })).toBe(false);
    expect(isRelevant({ ...byWords, covered: 0.3 })).toBe(false);
    expect(isRelevant({ ...byWords, covered: 0.5, length: 20_000 })).toBe(false);
  });

  it('is a little lower beside a text above it', () => {
    const below = { ...signs, similarity: 0.35 };
    expect([isRelevant(below), isRelevant({ ...below, accompanied: true })]).toEqual([false, true]);
    expect(isRelevant({ ...below, similarity: 0.25, accompanied: true })).toBe(false);
    expect(isRelevant({ ...byWords, covered: 0.3, accompanied: true })).toBe(false);
  });

  it('is at a score of 0.5 between 0 and 1, and the score grows with what is weighed', () => {
    expect(scoreOf(signs)).toBe(0.767);
    expect(scoreOf({ ...signs, covered: 1, similarity: 1 })).toBe(1);
    expect(scoreOf({ ...signs, covered: 0, similarity: 0 })).toBe(0);
    expect(weigh(signs)).toBeLessThan(weigh({ ...signs, similarity: 0.46 }));
    expect(isRelevant(signs)).toBe(scoreOf(signs) >= 0.5);
  });
});

const east = unit(Float32Array.from({ length: 32 }, (_, at) => (at === 0 ? 1 : 0)));
const northEast = unit(Float32Array.from({ length: 32 }, (_, at) => (at < 2 ? 1 : 0)));

const north = unit(Float32Array.from({ length: 32 }, (_, at) => (at === 1 ? 1 : 0)));

/** A prompt lies in the east, whatever is asked elsewhere in the north. */
function embedder(state: EmbedderState['state']): Embedder & { asked: number } {
  return {
    model: 'fake',
    dimensions: 32,
    asked: 0,
    async embed(texts) {
      this.asked++;
      return texts.map(() => (texts.length === 1 ? east : north));
    },
    state: () => ({ state }),
    close: async () => {},
  };
}

/** `sessions` has a vector and matches; `late` matches and has none yet; `meant` has one and shares no word. */
function source(): Source {
  const vectors: Partial<VectorShelf> = {
    since: async (_, version) => ({
      version: 1,
      vectors:
        version === 0
          ? [
              { id: 'sessions', codes: [encode(northEast)], passages: [0] },
              { id: 'meant', codes: [encode(northEast), encode(east)], passages: [0, 1] },
              { id: 'removed', codes: [encode(east)], passages: [0] },
            ]
          : [],
      more: false,
    }),
  };
  const holds = new Map([
    ['sessions', { words: [true, true], length: 300 }],
    ['late', { words: [true, false], length: 300 }],
    ['meant', { words: [false, false], length: 300 }],
  ]);
  return {
    kind: 'decision',
    vectors: vectors as VectorShelf,
    matching: async () => [
      { id: 'sessions', score: 2 },
      { id: 'late', score: 1 },
    ],
    coverage: async (words, ids) => ({
      texts: 3,
      frequencies: words.map(() => 1),
      holds: new Map([...holds].filter(([id]) => ids.includes(id))),
    }),
  };
}

describe('signs', () => {
  const ask = (model: Embedder) => signsOf([source()], 'Where do sessions live?', ['sessions', 'live'], model);

  it('are of what the words and the meaning find, each with all that is known of it', async () => {
    const ready = embedder('ready');
    expect((await ask(ready)).vectors).toBe(false);
    const { signs: found, vectors } = await ask(ready);
    expect([vectors, ready.asked]).toEqual([true, 3]);
    expect(found.map(({ id }) => id)).toEqual(['sessions', 'late', 'meant']);
    expect(found[0]?.similarity).toBeCloseTo(Math.SQRT1_2, 2);
    expect(found[0]).toMatchObject({ aside: 0, texts: 3, asked: 23 / 60 });
    expect(found[1]).not.toHaveProperty('similarity');
    expect(found[1]).not.toHaveProperty('aside');
    expect(found[2]?.similarity).toBeCloseTo(1, 2);
    expect(found[2]?.covered).toBe(0);
    expect(found.every(({ accompanied }) => accompanied)).toBe(true);
  });

  it('are by words while the model loads, and start it', async () => {
    const idle = embedder('idle');
    const { signs: found, vectors } = await ask(idle);
    expect([vectors, idle.asked]).toEqual([false, 2]);
    await ask(idle);
    expect(idle.asked).toBe(3);
    expect(found.map(({ id, similarity }) => [id, similarity])).toEqual([
      ['sessions', undefined],
      ['late', undefined],
    ]);
  });

  it('are by words once the model fails, and it is asked again', async () => {
    const failing = { ...embedder('ready'), embed: vi.fn(async () => Promise.reject(new Error('gone'))) };
    for (const times of [2, 4]) {
      expect((await ask(failing)).vectors).toBe(false);
      expect(failing.embed).toHaveBeenCalledTimes(times);
    }
  });

  it('do not ask a model that is not there', async () => {
    const none = embedder('unavailable');
    expect([(await ask(none)).vectors, none.asked]).toEqual([false, 0]);
  });
});
