import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { threesOf } from './letters.ts';

const full = process.env.CAIRN_TEST_FULL !== undefined;

const unit = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...'abkKsS \t|"\'\\09~{}') },
  fc.constantFrom('é', '\u212a', 'ſ', '😀', '\n', '\0', '\x7f', '\ufffd', '\ud800'),
);
const text = fc.array(unit, { maxLength: 40 }).map((parts) => parts.join(''));

describe('runs of three letters', () => {
  it('are in a text where a piece is, whatever the case of its letters', () => {
    const cased = fc.tuple(text, text, text, fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }));
    fc.assert(
      fc.property(cased, ([before, piece, after, upper]) => {
        const other = [...piece].map((letter, at) => otherCase(letter, upper[at % 40] === true)).join('');
        const held = new Set(threesOf(before + other + after));
        for (const three of threesOf(piece)) expect(held).toContain(three);
      }),
      { numRuns: full ? 50_000 : 2000 },
    );
  });

  it('are numbers, each once', () => {
    fc.assert(
      fc.property(text, (given) => {
        const threes = threesOf(given);
        expect(new Set(threes).size).toBe(threes.length);
        for (const three of threes) expect(three).toBeLessThan(96 ** 3);
      }),
    );
  });

  it('differ where letters differ', () => {
    const signs = Array.from({ length: 95 }, (_, at) => String.fromCharCode(0x20 + at)).filter(
      (sign) => !/[A-Z]/.test(sign),
    );
    expect(new Set(['\t', ...signs].flatMap((sign) => threesOf(`a${sign}b`))).size).toBe(signs.length + 1);
  });

  it('leave out what is beyond ASCII, and runs across it', () => {
    expect(threesOf('ab')).toEqual([]);
    expect(threesOf('abéab')).toEqual([]);
    expect(threesOf('ab\nab')).toEqual([]);
    expect(threesOf('ABC')).toEqual(threesOf('abc'));
    expect(threesOf('\u212aſa')).toEqual(threesOf('ksa'));
  });
});

function otherCase(letter: string, upper: boolean): string {
  if (letter === 'k' && upper) return '\u212a';
  if (letter === 's' && upper) return 'ſ';
  return /[a-z]/i.test(letter) ? (upper ? letter.toUpperCase() : letter.toLowerCase()) : letter;
}
