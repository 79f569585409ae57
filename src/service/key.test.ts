import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf, newKey, sameKey } from './key.ts';

describe('a new key', () => {
  it('has 256 random bits, an id that tells nothing of it, and the digest it is kept as', () => {
    const { id, key, digest } = newKey();
    expect(key).toMatch(/^cairn_[A-Za-z0-9_-]{43}$/);
    expect(id).toMatch(/^[0-9a-f]{8}$/);
    expect(digest).toBe(digestOf(key));
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(digest).not.toContain(id);
  });

  it('is like no other', () => {
    const made = Array.from({ length: 200 }, newKey);
    expect(new Set(made.map(({ key }) => key)).size).toBe(200);
    expect(new Set(made.map(({ digest }) => digest)).size).toBe(200);
  });
});

describe('two keys', () => {
  const text = fc.array(fc.nat({ max: 0xffff })).map((units) => String.fromCharCode(...units));

  it('are the same exactly when their texts are', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(sameKey(a, b)).toBe(Buffer.from(a).equals(Buffer.from(b)));
        expect(sameKey(a, a)).toBe(true);
      }),
    );
  });

  it.each([
    ['a prefix', 'cairn_secret', 'cairn_secre'],
    ['the empty text', 'cairn_secret', ''],
    ['another case', 'cairn_secret', 'Cairn_secret'],
    ['a blank at the end', 'cairn_secret', 'cairn_secret '],
    ['the digest', 'cairn_secret', digestOf('cairn_secret')],
  ])('differ when one is %s of the other', (_, key, other) => {
    expect(sameKey(key, other)).toBe(false);
  });

  it('of very different lengths are compared without an error', () => {
    expect(sameKey('x', 'x'.repeat(1_000_000))).toBe(false);
  });
});
