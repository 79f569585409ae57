import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { boundedOf } from './bounded.ts';
import { finderOf } from './finder.ts';

const full = process.env.CAIRN_TEST_FULL !== undefined;

const asLetters = (text: string) => Buffer.from(text).toString('latin1');

describe('a pattern for the engine of V8', () => {
  it.each([
    ['abc', 'abc', true, true],
    ['a.c', undefined, true, true],
    ['[a-z]+Error', '(?:[a-z]){1,1}Error', true, false],
    ['.*needle.*', 'needle', true, false],
    ['\\d{3}-\\d{4}', '(?:[0-9]){3,3}\\x2d(?:[0-9]){4,4}', true, true],
    ['class\\s+\\w+Handler', undefined, false, false],
    ['foo.*bar', undefined, false, false],
    ['TODO|FIXME', 'TODO|FIXME', true, true],
    ['^import\\b', '^import\\b', true, true],
    ['é', '(?:\\xc3\\xa9)', true, true],
  ])('knows where to look for %s', (pattern, source, exact, whole) => {
    expect(boundedOf(pattern, false)).toMatchObject({ exact, whole, ...(source !== undefined && { source }) });
  });

  it.each(['x*', '^', '.*', '\\b', '(a*)', 'a|', '\\pL', '[[:alpha:]]', '(?s)a', '\\Qa\\E', '\\x41', '[é]', '('])(
    'leaves %s to the other',
    (pattern) => expect(boundedOf(pattern, false)).toBeUndefined(),
  );

  it('takes no repetition without an end, and none of many ways', () => {
    for (const pattern of ['x(a+)+y', 'x(a|a)*y', 'x(a{0,50}){0,50}y', 'x(a?){100}y', '(x+x+)+y', 'x.{0,3000}y']) {
      const source = boundedOf(pattern, false)?.source ?? '';
      expect(source).not.toMatch(/[*+]|Infinity|\{0,(50|3000)\}|\{100/);
    }
  });

  it('misses no line that matches, and where it is exact finds no other', () => {
    let exactOnes = 0;
    fc.assert(
      fc.property(patterns(), texts, fc.boolean(), fc.boolean(), (pattern, text, ignoreCase, word) => {
        const compiled = compiledOrNot(pattern, ignoreCase, word);
        if (compiled === undefined) return;
        const { sought, literal, exact } = finderOf({ pattern, ignoreCase, word });
        if (sought === undefined) return;
        const matches = compiled.matcher(text).find();
        // As it lies between other texts.
        sought.lastIndex = 0;
        const found = sought.test(`\n${asLetters(text)}\n`);
        if (matches && literal !== undefined) expect(text).toContain(literal.toString());
        if (exact === true && literal !== undefined) expect(found).toBe(text.includes(literal.toString()));
        const known = exact === true || (exact === 'beside ASCII' && /^[\0-\x7f]*$/.test(text));
        if (known) exactOnes++;
        if (matches || known)
          expect({ pattern, ignoreCase, word, text, found }).toEqual({
            pattern,
            ignoreCase,
            word,
            text,
            found: matches,
          });
      }),
      { numRuns: full ? 200_000 : 10_000 },
    );
    // About one in nine is, so that chance does not reach this guard against a test of nothing.
    expect(exactOnes).toBeGreaterThan(500);
  });
});

function compiledOrNot(pattern: string, ignoreCase: boolean, word: boolean): RE2JS | undefined {
  const beside = '[^\\pL\\pM\\pN_]';
  try {
    const flags = ignoreCase ? RE2JS.CASE_INSENSITIVE : 0;
    const compiled = RE2JS.compile(pattern, flags);
    return word ? RE2JS.compile(`(?:^|${beside})(?:${pattern})(?:$|${beside})`, flags) : compiled;
  } catch {
    return undefined;
  }
}

/** By a grammar: most of them compile, and most match something short. */
function patterns(): fc.Arbitrary<string> {
  const letter = fc.constantFrom(...'abkKsS1_ -', 'é', 'ſ', '\u212a', '😀', '\\.', '\\-', '\\t', '}', ']', '\\/');
  const vague = fc.constantFrom(
    ...['.', '\\w', '\\W', '\\b', '\\B', '\\d', '\\D', '\\s', '\\S', '^', '$', '\\A', '\\z'],
    ...[
      '[ab]',
      '[^a]',
      '[]a]',
      '[^]a]',
      '[\\]b]',
      '[a-k]',
      '[^a-k]',
      '[\\w-]',
      '[-a]',
      '[a-]',
      '[\\s_]',
      '[^\\d]',
      '[^s]',
      '[k]',
    ],
  );
  const quantifier = fc.constantFrom(
    '',
    '',
    '',
    '',
    '?',
    '*',
    '+',
    '+?',
    '*?',
    '{2}',
    '{0,2}',
    '{1,}',
    '{1,2}?',
    '{0}',
    '{,2}',
  );
  const { top } = fc.letrec<{ top: string; sequence: string; atom: string }>((tie) => ({
    atom: fc.oneof(
      { maxDepth: 3 },
      { weight: 6, arbitrary: letter },
      { weight: 3, arbitrary: vague },
      {
        weight: 2,
        arbitrary: fc
          .tuple(fc.constantFrom('(', '(?:', '(?P<n>'), tie('top'))
          .map(([open, inner]) => `${open}${inner})`),
      },
    ),
    sequence: fc
      .array(
        fc.tuple(tie('atom'), quantifier).map((parts) => parts.join('')),
        { minLength: 1, maxLength: 4 },
      )
      .map((parts) => parts.join('')),
    top: fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('|')),
  }));
  return top;
}

const texts = fc
  .array(fc.constantFrom(...'abbAkKsS1_ -.}]/\t', 'é', 'É', 'ſ', '\u212a', '😀', '—', '\u00a0'), { maxLength: 10 })
  .map((parts) => parts.join(''));
