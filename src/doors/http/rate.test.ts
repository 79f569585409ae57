import { describe, expect, it } from 'vitest';
import { Buckets, WrongKeys } from './rate.ts';

describe('a bucket of calls', () => {
  it('lets twice the rate through at once, then the rate', () => {
    const buckets = new Buckets(5);
    for (let call = 0; call < 10; call++) expect(buckets.wait('ann', 0)).toBe(0);
    expect(buckets.wait('ann', 0)).toBe(200);
    expect(buckets.wait('ann', 100)).toBe(100);
    expect(buckets.wait('ann', 200)).toBe(0);
    expect(buckets.wait('ann', 200)).toBe(200);
  });

  it('is everybody’s own, and full again after a while', () => {
    const buckets = new Buckets(1);
    for (const who of ['ann', 'bob']) expect([buckets.wait(who, 0), buckets.wait(who, 0)]).toEqual([0, 0]);
    expect(buckets.wait('ann', 0)).toBeGreaterThan(0);
    for (let call = 0; call < 2; call++) expect(buckets.wait('ann', 60_000)).toBe(0);
    expect(buckets.wait('ann', 60_000)).toBeGreaterThan(0);
  });

  it('forgets whoever was not seen for longest, beyond ten thousand', () => {
    const buckets = new Buckets(1);
    for (let call = 0; call < 3; call++) buckets.wait('first', 0);
    for (let other = 0; other < 10_000; other++) buckets.wait(`other ${other}`, 0);
    expect(buckets.wait('first', 0)).toBe(0);
  });
});

describe('wrong keys', () => {
  it('are let pass ten times a minute', () => {
    const wrong = new WrongKeys();
    for (let at = 0; at < 10; at++) {
      expect(wrong.wait('10.0.0.1', at * 1000)).toBe(0);
      wrong.note('10.0.0.1', at * 1000);
    }
    expect(wrong.wait('10.0.0.1', 10_000)).toBe(50_000);
    expect(wrong.wait('10.0.0.2', 10_000)).toBe(0);
    expect(wrong.wait('10.0.0.1', 60_000)).toBe(0);
    wrong.note('10.0.0.1', 60_000);
    expect(wrong.wait('10.0.0.1', 60_000)).toBe(1000);
  });
});
