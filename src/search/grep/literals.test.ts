import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { literalOf, type Required, requiredIn } from './literals.ts';

const full = process.env.CAIRN_TEST_FULL !== undefined;

const examples: [string, Required][] = [
  ['cairn', [['cairn']]],
  ['a.b', [['a', 'b']]],
  ['class\\s+\\w+Handler', [['class', 'Handler']]],
  ['TODO|FIXME', [['TODO'], ['FIXME']]],
  ['a|', [['a'], []]],
  ['|', [[], []]],
  ['^start', [['start']]],
  ['end$', [['end']]],
  ['\\Awhole\\z', [['whole']]],
  ['ab?c', [['a', 'c']]],
  ['ab*c', [['a', 'c']]],
  ['ab+c', [['ab', 'c']]],
  ['ab+?c', [['ab', 'c']]],
  ['ab{2}c', [['ab', 'c']]],
  ['ab{0}c', [['a', 'c']]],
  ['ab{0,3}?c', [['a', 'c']]],
  ['ab{1,}c', [['ab', 'c']]],
  ['a{,5}', [['a{,5}']]],
  ['a{x', [['a{x']]],
  ['a(b|c)d', [['a', 'd']]],
  ['a(?:b)?d', [['a', 'd']]],
  ['a(?P<name>b)d', [['a', 'd']]],
  ['a(?<name>b)d', [['a', 'd']]],
  ['a((b|(c))d)*e', [['a', 'e']]],
  ['a[bc]d', [['a', 'd']]],
  ['a[]b]d', [['a', 'd']]],
  ['a[^]b]d', [['a', 'd']]],
  ['a[\\]|]d', [['a', 'd']]],
  ['a[[:alpha:]|]d', [['a', 'd']]],
  ['a[\\p{Lu}]d', [['a', 'd']]],
  ['a\\.b', [['a.b']]],
  ['a\\tb', [['a\tb']]],
  ['a\\nb', [['a', 'b']]],
  ['a\\|b', [['a|b']]],
  ['über', [['über']]],
  ['😀+x', [['😀', 'x']]],
  // Where there is doubt: anything.
  ['(?i)abc', [[]]],
  ['a(?i:b)c', [[]]],
  ['\\Qa|b\\E', [[]]],
  ['\\x41', [[]]],
  ['\\x{41}b', [[]]],
  ['\\pLabc', [[]]],
  ['\\07abc', [[]]],
  ['abc)def', [[]]],
  ['abc(def', [[]]],
  ['abc[def', [[]]],
];

describe('what a text must hold for a pattern', () => {
  it.each(examples)('%s', (pattern, expected) => {
    expect(requiredIn(pattern)).toEqual(expected);
  });

  it('knows a pattern that is nothing but letters', () => {
    expect(literalOf('plain text, 100 %')).toBe('plain text, 100 %');
    for (const pattern of ['a.b', 'a\\b', '(a)', 'a|b', 'a{2}', '\ud800', ''])
      expect(literalOf(pattern)).toBeUndefined();
    expect(literalOf('😀')).toBe('😀');
  });

  it('never asks for more than a match needs', () => {
    fc.assert(
      fc.property(pattern(), texts, fc.boolean(), (source, text, ignoreCase) => {
        const compiled = compiledOrNot(source, ignoreCase);
        if (compiled === undefined || !compiled.matcher(text).find()) return;
        const [held, fold] = ignoreCase ? [folded(text), folded] : [text, (piece: string) => piece];
        const required = requiredIn(source);
        const isMet = required.some((pieces) => pieces.every((piece) => held.includes(fold(piece))));
        expect({ source, text, required, isMet }).toMatchObject({ isMet: true });
      }),
      { numRuns: full ? 100_000 : 3000 },
    );
  });

  it('holds for strings of signs that mean something too', () => {
    const signs = fc.array(
      fc.constantFrom(
        ...'ab|()[]{}?*+^$.\\-:,01',
        '(?:',
        '(?P<n>',
        '[:',
        ':]',
        '[[:alpha:]',
        '{0}',
        '{1,2}',
        '\\Q',
        '\\E',
        '\\pL',
        '\\b',
      ),
      { maxLength: 9 },
    );
    fc.assert(
      fc.property(signs, texts, (parts, text) => {
        const source = parts.join('');
        const compiled = compiledOrNot(source, false);
        if (compiled === undefined || !compiled.matcher(text).find()) return;
        const required = requiredIn(source);
        const isMet = required.some((pieces) => pieces.every((piece) => text.includes(piece)));
        expect({ source, text, required, isMet }).toMatchObject({ isMet: true });
      }),
      { numRuns: full ? 100_000 : 3000 },
    );
  });
});

/** Patterns by a grammar: most of them compile, and most match something short. */
function pattern(): fc.Arbitrary<string> {
  const letter = fc.constantFrom(
    'a',
    'b',
    'K',
    's',
    'é',
    'ſ',
    '\u212a',
    'ß',
    '😀',
    ' ',
    '-',
    '}',
    '\\.',
    '\\|',
    '\\t',
    '\\x41',
    '\\Qa|\\E',
  );
  const vague = fc.constantFrom(
    '.',
    '\\w',
    '\\b',
    '\\d',
    '\\pL',
    '^',
    '$',
    '[ab]',
    '[^a]',
    '[]a]',
    '[[:alpha:]]',
    '[\\]b]',
    '\\S',
  );
  const quantifier = fc.constantFrom(
    '',
    '',
    '',
    '?',
    '*',
    '+',
    '??',
    '*?',
    '+?',
    '{0}',
    '{1}',
    '{2}',
    '{0,2}',
    '{1,}',
    '{1,2}?',
    '{,2}',
    '{',
  );
  const { top } = fc.letrec<{ top: string; sequence: string; atom: string }>((tie) => ({
    atom: fc.oneof(
      { maxDepth: 3 },
      { weight: 6, arbitrary: letter },
      { weight: 2, arbitrary: vague },
      {
        weight: 2,
        arbitrary: fc
          .tuple(fc.constantFrom('(', '(?:', '(?P<n>', '(?<n>', '(?i:'), tie('top'))
          .map(([open, inner]) => `${open}${inner})`),
      },
    ),
    sequence: fc
      .array(
        fc.tuple(tie('atom'), quantifier).map((parts) => parts.join('')),
        { maxLength: 4 },
      )
      .map((parts) => parts.join('')),
    top: fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('|')),
  }));
  return fc.tuple(fc.constantFrom('', '', '', '(?i)', '(?s)'), top).map((parts) => parts.join(''));
}

const texts = fc
  .array(
    fc.constantFrom(
      'a',
      'b',
      'A',
      'B',
      'k',
      'K',
      's',
      'S',
      'é',
      'É',
      'ſ',
      '\u212a',
      'ß',
      'ẞ',
      '😀',
      ' ',
      '-',
      '.',
      '|',
      '\t',
      '{',
      '}',
      '1',
      '\ud83d',
    ),
    {
      maxLength: 12,
    },
  )
  .map((parts) => parts.join(''));

function compiledOrNot(source: string, ignoreCase: boolean): RE2JS | undefined {
  try {
    return RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch {
    return undefined;
  }
}

/** Every letter as the smallest of those that are one but for their case. */
function folded(text: string): string {
  const same: Record<string, string> = { ſ: 's', '\u212a': 'k', ẞ: 'ß' };
  return [...text].map((letter) => same[letter] ?? letter.toLowerCase()).join('');
}
