import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMetrics, latencyBuckets, type OperationFigures, quantile } from './metrics.ts';

function figuresOf(times: readonly number[]): OperationFigures {
  const metrics = createMetrics();
  for (const time of times) metrics.record('x', time, false);
  const [figures] = metrics.figures();
  if (figures === undefined) throw new Error('nothing was recorded');
  return figures;
}

const time = fc.double({ min: 0, max: 20_000, noNaN: true });
const times = fc.array(time, { minLength: 1, maxLength: 200 });
const share = fc.double({ min: 0.001, max: 1, noNaN: true });

describe('figures', () => {
  it('count calls and errors of each operation apart, in the order of their names', () => {
    const metrics = createMetrics();
    metrics.record('b', 2, false);
    metrics.record('a', 1, true);
    metrics.record('b', 4, true);
    expect(metrics.figures().map(({ histogram: _, ...figures }) => figures)).toEqual([
      { operation: 'a', count: 1, errors: 1, totalMs: 1, maxMs: 1 },
      { operation: 'b', count: 2, errors: 1, totalMs: 6, maxMs: 4 },
    ]);
  });

  it('are a copy: what a reader does to them changes nothing', () => {
    const metrics = createMetrics();
    metrics.record('a', 1, false);
    for (const { histogram } of metrics.figures()) (histogram as number[]).fill(99);
    expect(metrics.figures()[0]?.histogram.reduce((sum, calls) => sum + calls)).toBe(1);
  });

  it('put a call into the bucket whose bound it does not pass, and the slowest into the last', () => {
    for (const [index, bound] of latencyBuckets.entries()) {
      expect(figuresOf([bound]).histogram[index]).toBe(1);
      expect(figuresOf([bound + 1e-6]).histogram[index + 1]).toBe(1);
    }
    expect(figuresOf([1e9]).histogram.at(-1)).toBe(1);
    expect(figuresOf([0]).histogram[0]).toBe(1);
  });

  it('agree with the calls they were made from', () => {
    fc.assert(
      fc.property(times, (all) => {
        const { count, histogram, maxMs, totalMs } = figuresOf(all);
        expect(count).toBe(all.length);
        expect(histogram.reduce((sum, calls) => sum + calls)).toBe(all.length);
        expect(maxMs).toBe(Math.max(...all));
        expect(totalMs).toBeCloseTo(
          all.reduce((sum, one) => sum + one),
          3,
        );
      }),
    );
  });
});

describe('a quantile', () => {
  it.each([
    [[10], 0.5, 10],
    [[1, 1, 1, 100], 0.5, 1],
    [[1, 1, 1, 100], 0.95, 100],
    [[3, 3, 3], 0.5, 3],
    [[20_000, 30_000], 0.5, 30_000],
    [[0.1, 4, 4, 4, 4, 4, 4, 4, 4, 400], 0.9, 5],
  ])('of %j at %d is %d', (all, wanted, bound) => {
    expect(quantile(figuresOf(all), wanted)).toBe(bound);
  });

  it('of nothing is nothing', () => {
    const histogram = latencyBuckets.map(() => 0);
    expect(quantile({ operation: 'x', count: 0, errors: 0, totalMs: 0, maxMs: 0, histogram }, 0.5)).toBe(0);
  });

  it('is never below the exact value, and no higher than the bound of its bucket or the slowest call', () => {
    fc.assert(
      fc.property(times, share, (all, wanted) => {
        const sorted = [...all].sort((a, b) => a - b);
        const exact = sorted[Math.ceil(wanted * all.length) - 1] ?? Number.NaN;
        const estimate = quantile(figuresOf(all), wanted);
        const bound = latencyBuckets.find((one) => exact <= one) ?? Number.POSITIVE_INFINITY;
        expect(estimate).toBeGreaterThanOrEqual(exact);
        expect(estimate).toBeLessThanOrEqual(Math.min(bound, Math.max(...all)));
      }),
    );
  });

  it('rises with the share', () => {
    fc.assert(
      fc.property(times, share, share, (all, one, other) => {
        const figures = figuresOf(all);
        expect(quantile(figures, Math.min(one, other))).toBeLessThanOrEqual(quantile(figures, Math.max(one, other)));
      }),
    );
  });
});

describe('counters', () => {
  it('count by name, whatever the name', () => {
    const metrics = createMetrics();
    for (const name of ['a', 'b', 'a', '__proto__', 'constructor']) metrics.count(name);
    expect(Object.entries(metrics.counters())).toEqual([
      ['a', 2],
      ['b', 1],
      ['__proto__', 1],
      ['constructor', 1],
    ]);
  });
});
