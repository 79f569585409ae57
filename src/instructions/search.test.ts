import { describe, expect, it } from 'vitest';
import { derive } from './derive.ts';
import type { Status } from './entry.ts';
import { highlight, inOrder } from './search.ts';

const options = { now: '2026-01-01T00:00:00.000Z', canonical: true, owner: 'unowned', status: 'approved' as const };

describe('the order of a search', () => {
  const heads: Record<string, { priority: number; status: Status; title: string }> = {
    a: { priority: 50, status: 'approved', title: 'Alpha' },
    b: { priority: 10, status: 'approved', title: 'Beta' },
    c: { priority: 50, status: 'approved', title: 'Gamma' },
    d: { priority: 50, status: 'deprecated', title: 'Delta' },
  };
  const headOf = (id: string) => {
    const head = heads[id];
    return head && { id, ...head };
  };
  const worded = (id: string, keyword: number) => ({ id, score: keyword, parts: { keyword } });

  it('puts what contains the text and holds its words first, and says how each matched', () => {
    const near = { id: 'd', score: 0.3, parts: { keyword: 0, vector: 0.5 } };
    const hits = inOrder('text', ['b', 'c'], [worded('a', 0.2), worded('c', 0.1), near], headOf);
    expect(hits.map(({ id, matched }) => [id, matched])).toEqual([
      ['c', ['substring', 'keyword']],
      ['b', ['substring']],
      ['a', ['keyword']],
      ['d', ['vector']],
    ]);
    expect(hits.at(-1)?.parts).toMatchObject({ vector: 0.5, deprecated: -0.1 });
  });

  it('lets the more important entry win a tie, then the smaller id, and drops what is not on the shelf', () => {
    const hits = inOrder('text', ['c', 'a', 'b', 'gone'], [], headOf);
    expect(hits.map(({ id }) => id)).toEqual(['b', 'a', 'c']);
  });

  it('lifts the entry whose id or title is the question', () => {
    expect(inOrder('gamma', ['a', 'b', 'c'], [worded('a', 0.2)], headOf)[0]).toMatchObject({
      id: 'c',
      parts: { named: 0.3 },
    });
  });
});

describe('highlights', () => {
  const entry = derive(
    { id: 'a', title: 'Small changes', body: 'One.\nKeep changes small.\nReview small ones.' },
    options,
  );

  it('name the line, 0 for the title, and show the place', () => {
    expect(highlight(entry, 'small').map(({ line }) => line)).toEqual([0, 2, 3]);
    expect(highlight(entry, 'keep CHANGES')[0]).toEqual({
      id: 'a',
      line: 2,
      snippet: expect.stringContaining('Keep changes small.'),
    });
  });

  it('fall back to a word that is there, and are none where nothing is', () => {
    expect(highlight(entry, 'review of nothing else')[0]?.line).toBe(3);
    expect(highlight(entry, 'zebra')).toEqual([]);
  });
});
