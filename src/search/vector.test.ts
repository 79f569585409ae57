import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cosine, decode, encode, nearest, pack, unit } from './vector.ts';

const DIMENSIONS = 384;

/** Numbers that look random and are the same every time. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
}

/** Vectors around a few centres, as the texts of one project are. */
function vectors(count: number, seed: number): Float32Array[] {
  const next = numbers(seed);
  const random = () => Float32Array.from({ length: DIMENSIONS }, next);
  const centres = Array.from({ length: 20 }, random);
  return Array.from({ length: count }, (_, i) => {
    const centre = centres[i % centres.length] as Float32Array;
    return unit(random().map((value, dimension) => value + (centre[dimension] as number)));
  });
}

function exact(query: Float32Array, all: readonly Float32Array[], k: number): number[] {
  const similarities = all.map((vector, index) => ({ index, similarity: cosine(query, vector) }));
  return similarities
    .sort((a, b) => b.similarity - a.similarity)
    .slice(0, k)
    .map(({ index }) => index);
}

describe('a code', () => {
  it('takes one byte a dimension and gives back a unit vector', () => {
    for (const vector of vectors(20, 1)) {
      const code = encode(vector);
      expect(code).toHaveLength(DIMENSIONS);
      const back = decode(code);
      expect(cosine(back, back)).toBeCloseTo(1, 5);
      expect(cosine(back, vector)).toBeGreaterThan(0.9995);
    }
  });

  it('changes no similarity by more than half a hundredth', () => {
    const all = vectors(100, 2);
    const back = all.map((vector) => decode(encode(vector)));
    for (let i = 1; i < all.length; i++) {
      const before = cosine(all[0] as Float32Array, all[i] as Float32Array);
      expect(Math.abs(before - cosine(back[0] as Float32Array, back[i] as Float32Array))).toBeLessThan(0.005);
    }
  });

  it('of any vector decodes, also of one without direction', () => {
    expect(decode(encode(new Float32Array(8)))).toEqual(new Float32Array(8));
    const any = fc.float32Array({ minLength: 1, maxLength: 50, noNaN: true, min: -1, max: 1 });
    fc.assert(
      fc.property(any, (vector) => {
        const again = encode(decode(encode(vector)));
        expect(decode(again)).toEqual(decode(encode(vector)));
      }),
    );
  });

  it('may lie anywhere in a larger buffer, as a database hands it out', () => {
    const [vector] = vectors(1, 3) as [Float32Array];
    const room = new Uint8Array(DIMENSIONS + 3);
    room.set(encode(vector), 3);
    expect(decode(room.subarray(3))).toEqual(decode(encode(vector)));
  });
});

describe('the nearest', () => {
  const all = vectors(3000, 4);
  const codes = pack(all.map(encode), DIMENSIONS);

  it('are those that a full comparison finds, best first', () => {
    let agreed = 0;
    const queries = vectors(50, 4);
    for (const query of queries) {
      const found = nearest(query, codes, 10);
      expect(found.map(({ similarity }) => similarity)).toEqual(
        found.map(({ similarity }) => similarity).toSorted((a, b) => b - a),
      );
      const wanted = exact(query, all, 10);
      agreed += found.filter(({ index }) => wanted.includes(index)).length;
    }
    expect(agreed / (queries.length * 10)).toBeGreaterThan(0.95);
  });

  it('starts with the vector itself, at similarity 1', () => {
    for (const index of [0, 17, 2999]) {
      const [first] = nearest(all[index] as Float32Array, codes, 3);
      expect(first?.index).toBe(index);
      expect(first?.similarity).toBeCloseTo(1, 3);
    }
  });

  it('leaves out what is not accepted, and still gives as many as asked for', () => {
    const found = nearest(all[0] as Float32Array, codes, 25, (index) => index % 2 === 1);
    expect(found).toHaveLength(25);
    expect(found.every(({ index }) => index % 2 === 1)).toBe(true);
    expect(nearest(all[0] as Float32Array, codes, 25, () => false)).toEqual([]);
  });

  it('are all of them when more are asked for, and none of none', () => {
    const few = pack(all.slice(0, 5).map(encode), DIMENSIONS);
    expect(nearest(all[0] as Float32Array, few, 50)).toHaveLength(5);
    expect(nearest(all[0] as Float32Array, pack([], DIMENSIONS), 50)).toEqual([]);
    expect(nearest(all[0] as Float32Array, few, 0)).toEqual([]);
  });

  it('come in the order they were given where they are alike', () => {
    const same = pack(
      Array.from({ length: 30 }, () => encode(all[7] as Float32Array)),
      DIMENSIONS,
    );
    expect(nearest(all[7] as Float32Array, same, 3).map(({ index }) => index)).toEqual([0, 1, 2]);
  });
});
