import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CairnError } from '../errors.ts';
import { checkShape } from './limit.ts';

function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 'core';
  for (let level = 0; level < levels; level++) value = wrap(value);
  return value;
}

function refusal(input: unknown): string | undefined {
  try {
    checkShape(input);
    return undefined;
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(CairnError);
    expect((thrown as CairnError).kind).toBe('limit_exceeded');
    return (thrown as CairnError).message;
  }
}

describe('the arguments of a call', () => {
  it.each([{}, [], null, 'text', 5, true, undefined, { a: { b: [1, { c: null }] } }])('%j pass', (input) => {
    expect(refusal(input)).toBeUndefined();
  });

  it('pass whatever they are, while they are of ordinary size', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 20 }), (input) => {
        expect(refusal(input)).toBeUndefined();
      }),
    );
  });

  it.each([
    ['lists', (inner: unknown) => [inner]],
    ['objects', (inner: unknown) => ({ inner })],
  ])('may be nested 64 levels deep in %s, not 65', (_, wrap) => {
    expect(refusal(nested(64, wrap))).toBeUndefined();
    expect(refusal(nested(65, wrap))).toBe('The arguments are nested deeper than 64 levels');
  });

  it('may be nested so deep that recursion would fail, and are refused without it', () => {
    expect(refusal(nested(200_000, (inner) => [inner]))).toContain('deeper');
  });

  it('may hold 200,000 values counting every list and object, not one more', () => {
    expect(refusal(Array(199_999).fill(1))).toBeUndefined();
    expect(refusal(Array(200_000).fill(1))).toBe('The arguments hold more than 200000 values');
    expect(refusal({ a: Array(99_999).fill(1), b: Array(99_999).fill(1) })).toContain('more than');
  });

  it('are refused quickly when they are numerous', () => {
    const input = Array.from({ length: 1000 }, () => Array(1000).fill(0));
    const started = process.cpuUsage();
    expect(refusal(input)).toContain('more than');
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(500);
  });
});
