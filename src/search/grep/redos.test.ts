/** Patterns that make engines which go back and try again take exponential or high polynomial time. */
import { describe, expect, it } from 'vitest';
import { scanner } from './scan.ts';

const hostile: readonly (readonly [pattern: string, text: (length: number) => string])[] = [
  ['(a+)+$', (n) => `${'a'.repeat(n)}!`],
  ['([a-z]+)*=', (n) => 'a'.repeat(n)],
  ['(a|aa)+$', (n) => `${'a'.repeat(n)}!`],
  ['(a|a?)+$', (n) => `${'a'.repeat(n)}!`],
  ['(a*)*b', (n) => 'a'.repeat(n)],
  ['(a|b|ab)*c', (n) => 'ab'.repeat(n / 2)],
  ['(.*a){12}', (n) => `${'a'.repeat(11)}${'b'.repeat(n)}`],
  ['(x+x+)+y', (n) => 'x'.repeat(n)],
  ['x*x*x*x*x*y', (n) => 'x'.repeat(n)],
  ['^(\\w+\\s?)*$', (n) => `${'word '.repeat(n / 5)}!`],
  ['^(([a-z])+.)+[A-Z]([a-z])+$', (n) => 'a'.repeat(n)],
  ['^([a-zA-Z0-9_.+-]+)*@example$', (n) => `${'a.'.repeat(n / 2)}`],
  ['\\s+$', (n) => `${' '.repeat(n)}x`],
  ['^\\s+|\\s+$', (n) => `x${' '.repeat(n)}x`],
  ['(\\d+\\.?)+[a-z]', (n) => '1.'.repeat(n / 2)],
  ['"([^"\\\\]|\\\\.)*"', (n) => `"${'\\a'.repeat(n / 2)}`],
  ['<(.|\\s)*>.*</p>', (n) => '<'.repeat(n)],
  ['(?:(?:a?){20}a{20}){3}b', (n) => 'a'.repeat(n)],
  ['(a?){30}a{30}c', (n) => 'a'.repeat(n)],
  ['(?i)(k+s*)+\\d', (n) => 'kS'.repeat(n / 2)],
  ['[\\w-]+@([\\w-]+\\.)+\\w+$', (n) => `a@${'a.'.repeat(n / 2)}`],
  ['(([^,]*,)*)+;', (n) => 'a,'.repeat(n / 2)],
  ['.*.*=.*;', (n) => 'x='.repeat(n / 2)],
  ['(\\pL+\\pN*)+$', (n) => `${'é1'.repeat(n / 2)}!`],
  ['\\b(\\w+)+\\b#', (n) => 'w'.repeat(n)],
  ['(?:a{0,9}){0,9}z', (n) => 'a'.repeat(n)],
  ['.{0,40}a.{0,40}b.{0,40}c', (n) => 'ab'.repeat(n / 2)],
];

function milliseconds(pattern: string, text: string, word: boolean): number {
  const bytes = Buffer.from(`${text}\n`);
  const whole = { from: 0, to: bytes.length, low: 0, high: bytes.length, firstLine: 1, insideKey: false };
  const wanted = { pattern, ignoreCase: false, word, invert: false, context: 0, show: true };
  const started = performance.now();
  scanner(wanted)(bytes).scan(whole, 10);
  return performance.now() - started;
}

describe('hostile patterns', () => {
  it.each(hostile)('%s takes time that is linear in the text', (pattern, text) => {
    for (const word of [false, true]) {
      milliseconds(pattern, text(1000), word);
      const short = milliseconds(pattern, text(8000), word);
      const long = milliseconds(pattern, text(32_000), word);
      // Four times the text: quadratic time would be sixteen times as long, and the half second is what a busy machine adds.
      expect(long).toBeLessThan(8 * short + 500);
      expect(long).toBeLessThan(15_000);
    }
  });
});
