import { describe, expect, it } from 'vitest';
import { derive } from './derive.ts';
import { highlight, rank, words } from './search.ts';

const options = { now: '2026-01-01T00:00:00.000Z', canonical: true, owner: 'unowned', status: 'approved' as const };

describe('the words of a question', () => {
  it('are those that tell something, and all of them where none does', () => {
    expect(words('How do I write tests in PowerShell?')).toEqual(['write', 'tests', 'powershell']);
    expect(words('what is it')).toEqual(['what', 'is', 'it']);
    expect(words('naïve/naïve C++')).toEqual(['naïve', 'c']);
    expect(words('…')).toEqual([]);
  });
});

describe('ranking', () => {
  const priority = (id: string) => ({ a: 50, b: 10, c: 50 })[id];

  it('puts what contains the text and holds its words first, and says how each matched', () => {
    const hits = rank(
      ['b', 'c'],
      [
        { id: 'a', score: 9 },
        { id: 'c', score: 1 },
      ],
      priority,
    );
    expect(hits.map(({ id, matched }) => [id, matched])).toEqual([
      ['c', ['substring', 'keyword']],
      ['b', ['substring']],
      ['a', ['keyword']],
    ]);
  });

  it('lets the more important entry win a tie, then the smaller id, and drops what is not on the shelf', () => {
    expect(rank(['c', 'a', 'b', 'gone'], [], priority).map(({ id }) => id)).toEqual(['b', 'a', 'c']);
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
