import { describe, expect, it } from 'vitest';
import { hookOf, MOST_ATTEMPTS, pauseAfter, shownAddress, signatureOf } from './hook.ts';

describe('the address of a webhook', () => {
  it('is shown without credentials, query, fragment and long parts of its path', () => {
    const shown = (url: string) => shownAddress(new URL(url));
    expect(shown('https://user:password@example.com:8443/hook?token=abc#x')).toBe('https://example.com:8443/hook');
    expect(shown('https://hooks.example.com/services/T000/B000/abcdefghijklmnopqrstuvwx')).toBe(
      'https://hooks.example.com/services/T000/B000/abcd…',
    );
  });

  it('has an id of its own for each URL', () => {
    expect(hookOf('http://a.example').id).toBe(hookOf('http://A.example/').id);
    expect(hookOf('http://a.example/?b').id).not.toBe(hookOf('http://a.example/?c').id);
  });
});

describe('the pause after a failed attempt', () => {
  it('doubles, less up to a half', () => {
    expect([1, 2, 3, 7].map((attempts) => pauseAfter(attempts, 2000, 0))).toEqual([2000, 4000, 8000, 128_000]);
    expect(pauseAfter(1, 2000, 0.999)).toBeGreaterThanOrEqual(1000);
  });

  it('adds up to some minutes', () => {
    let total = 0;
    for (let attempts = 1; attempts < MOST_ATTEMPTS; attempts++) total += pauseAfter(attempts, 2000, 0.5);
    expect(total).toBeGreaterThan(120_000);
    expect(total).toBeLessThan(600_000);
  });
});

describe('the signature', () => {
  it('is that of HMAC-SHA256 over the time and the body', () => {
    // From `printf '1700000000.{}' | openssl dgst -sha256 -hmac secret`.
    expect(signatureOf('secret', '1700000000', '{}')).toBe(
      'sha256=b8569b78799ff9e3cbff0fc2d63a33a2b57f3282abd07c37ae5e8e7d79a5f163',
    );
  });
});
