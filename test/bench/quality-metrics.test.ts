import { describe, expect, it } from 'vitest';
import { randomFrom } from '../../bench/documents/random.ts';
import { matchOf } from '../../bench/quality/floor.ts';
import { intervalOf, mean, scoresOf } from '../../bench/quality/metrics.ts';
import { judgmentsIn, spread } from '../../bench/quality/sets.ts';

const judged = new Map([
  ['a', 3],
  ['b', 1],
]);

describe('the scores of a ranking', () => {
  it('are 1 for the best possible one', () => {
    expect(scoresOf(['a', 'b', 'x'], judged)).toEqual({ ndcg: 1, recall: 1, mrr: 1, deep: 1 });
  });

  it('count a gain by its judgment and the place where it stands', () => {
    // (1 / log2(3) + 3 / log2(4)) / (3 / log2(2) + 1 / log2(3)) = 2.13093 / 3.63093
    const { ndcg, recall, mrr } = scoresOf(['x', 'b', 'a'], judged);
    expect(ndcg).toBeCloseTo(0.58688, 5);
    expect([recall, mrr]).toEqual([1, 0.5]);
  });

  it('see ten places; what comes later counts for the deep recall alone', () => {
    const late = [...'0123456789', 'a'];
    expect(scoresOf(late, judged)).toEqual({ ndcg: 0, recall: 0, mrr: 0, deep: 0.5 });
  });

  it('measure against ten judgments where there are more, but recall against all', () => {
    const many = new Map(Array.from({ length: 20 }, (_, at) => [`${at}`, 1]));
    expect(scoresOf([...many.keys()].slice(0, 10), many)).toEqual({ ndcg: 1, recall: 0.5, mrr: 1, deep: 0.5 });
  });

  it('are 0 for an empty ranking', () => {
    expect(scoresOf([], judged)).toEqual({ ndcg: 0, recall: 0, mrr: 0, deep: 0 });
  });
});

describe('the interval of a mean', () => {
  it('is a point where all differences are the same', () => {
    expect(intervalOf([0.25, 0.25, 0.25], randomFrom(1))).toEqual({ low: 0.25, high: 0.25 });
  });

  it('is about two standard errors to either side', () => {
    const random = randomFrom(3);
    const values = Array.from({ length: 400 }, () => random() - 0.5);
    const { low, high } = intervalOf(values, randomFrom(1));
    // The standard deviation of a uniform draw is 0.2887; of the mean of 400 it is 0.0144.
    expect(high - low).toBeGreaterThan(0.05);
    expect(high - low).toBeLessThan(0.063);
    expect((high + low) / 2).toBeCloseTo(mean(values), 2);
  });

  it('refuses to be made of nothing', () => {
    expect(() => intervalOf([], randomFrom(1))).toThrow('No differences');
  });
});

describe('what is read and asked', () => {
  it('takes judgments by question, without those that say no', () => {
    const found = judgmentsIn('query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td1\t1\n');
    expect([...found].map(([query, own]) => [query, ...own])).toEqual([
      ['q1', ['d1', 2]],
      ['q2', ['d1', 1]],
    ]);
  });

  it('takes fewer questions from all over the list', () => {
    expect(spread([0, 1, 2, 3, 4, 5, 6, 7], 4)).toEqual([0, 2, 4, 6]);
    expect(spread([0, 1], 5)).toEqual([0, 1]);
  });

  it('leaves the words of asking out of the floor', () => {
    expect(matchOf('What is the best way to sort a list? Sort it!')).toBe('"best" OR "way" OR "sort" OR "list"');
  });
});
