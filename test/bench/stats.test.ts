import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { median, percentile, ratio, summarize } from '../../bench/stats.ts';

const measurements = fc.array(fc.double({ min: 0.001, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 50 });

describe('percentiles', () => {
  it('are the measurements themselves at the ends and in the middle', () => {
    const values = [5, 1, 4, 2, 3];
    expect([0, 50, 100].map((percent) => percentile(values, percent))).toEqual([1, 3, 5]);
  });

  it('are interpolated between two measurements', () => {
    expect(median([1, 2])).toBe(1.5);
    expect(percentile([0, 10], 90)).toBeCloseTo(9);
  });

  it('leave the measurements in the order they came in', () => {
    const values = [3, 1, 2];
    percentile(values, 50);
    expect(values).toEqual([3, 1, 2]);
  });

  it('refuse an empty list, because a figure without a measurement is a lie', () => {
    expect(() => percentile([], 50)).toThrow('No measurements');
  });

  it('rise with the percent and stay between the least and the greatest', () => {
    fc.assert(
      fc.property(measurements, (values) => {
        const { p10, median: middle, p90, samples } = summarize(values);
        const ranked = [Math.min(...values), p10, middle, p90, Math.max(...values)];
        const slack = 1e-9 * Math.max(...values);
        for (const [index, value] of ranked.slice(1).entries()) {
          expect(value).toBeGreaterThanOrEqual((ranked[index] ?? 0) - slack);
        }
        expect(samples).toBe(values.length);
      }),
    );
  });
});

describe('ratios', () => {
  it('compare each subject with its own baseline, so that a busy moment cancels out', () => {
    expect(ratio([2, 200, 4], [1, 100, 2])).toEqual({ median: 2, p10: 2, p90: 2, samples: 3 });
  });

  it('refuse lists that are no pairs', () => {
    expect(() => ratio([1, 2], [1])).toThrow('must be pairs');
  });
});
