import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closest, editsBetween, MOST_EDITS, meantBy } from './spelling.ts';

/** The same by trying everything, without a bound. */
function naive(a: string, b: string): number {
  const known = new Map<string, number>();
  const edits = (i: number, j: number): number => {
    if (i === 0 || j === 0) return i + j;
    const key = `${i},${j}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const same = a[i - 1] === b[j - 1] ? 0 : 1;
    const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
    const least = Math.min(
      edits(i - 1, j) + 1,
      edits(i, j - 1) + 1,
      edits(i - 1, j - 1) + same,
      ...(swapped ? [edits(i - 2, j - 2) + 1] : []),
    );
    known.set(key, least);
    return least;
  };
  return edits(a.length, b.length);
}

const word = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 9 }).map((letters) => letters.join(''));

describe('spelling', () => {
  it('counts edits as trying all of them does, up to a bound', () => {
    fc.assert(
      fc.property(word, word, fc.nat(4), (a, b, most) => {
        expect(editsBetween(a, b, most)).toBe(Math.min(naive(a, b), most + 1));
      }),
      { numRuns: 3000 },
    );
  });

  it('takes two neighbours that changed places for one edit', () => {
    expect(editsBetween('recieve', 'receive', 2)).toBe(1);
    expect(editsBetween('kitten', 'sitting', 3)).toBe(3);
    expect(editsBetween('', 'ab', 2)).toBe(2);
  });

  it('gives the nearest, none beyond the threshold', () => {
    const words = ['databank', 'databases', 'database', 'dative', 'data'];
    expect(meantBy('databse', words, 0.7, 3)).toEqual(['database']);
    expect(meantBy('databsse', ['databank', 'databases'], 0.7, 3)).toEqual(['databases']);
    expect(meantBy('databse', words, 0.9, 3)).toEqual(['database']);
    expect(meantBy('databse', words, 0.95, 3)).toEqual([]);
    expect(meantBy('cat', ['dog'], 0, 9)).toEqual([]);
  });

  it('gives those that are equally near in the order they came in, up to a number', () => {
    expect(meantBy('fora', ['fork', 'fords', 'form', 'ford'], 0.7, 9)).toEqual(['fork', 'form', 'ford']);
    expect(meantBy('fora', ['fork', 'fords', 'form', 'ford'], 0.7, 2)).toEqual(['fork', 'form']);
  });

  it('takes two edits in five letters, and one in four', () => {
    expect(meantBy('aisga', ['asiag'], 0.7, 3)).toEqual(['asiag']);
    expect(meantBy('dirt', ['diet'], 0.7, 3)).toEqual(['diet']);
    expect(meantBy('dirt', ['dusk', 'dear'], 0.7, 3)).toEqual([]);
  });

  it('rather thinks of letters that were lost or swapped than of strange ones', () => {
    expect(meantBy('plese', ['plebe', 'please'], 0.7, 3)).toEqual(['please']);
    expect(meantBy('form', ['fork', 'from', 'ford'], 0.7, 3)).toEqual(['from']);
  });

  it('orders all that are within its bounds, and no others', () => {
    const candidates = fc.array(word, { maxLength: 10 });
    fc.assert(
      fc.property(word, candidates, (wrong, words) => {
        const near = closest(wrong, words, MOST_EDITS);
        const wanted = words.filter((each) => naive(wrong, each) <= MOST_EDITS);
        expect(near.map((each) => each.word).sort()).toEqual([...wanted].sort());
        expect(near.map(({ edits }) => edits)).toEqual(near.map((each) => naive(wrong, each.word)));
        const ranks = near.map(({ edits, strange }) => edits * 100 + strange);
        expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
      }),
    );
  });
});
