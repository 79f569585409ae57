import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { type LineMatch, scanner, type Wanted } from './scan.ts';

const full = process.env.CAIRN_TEST_FULL !== undefined;

const all: Wanted = { pattern: '', ignoreCase: false, word: false, context: 0, most: Number.MAX_SAFE_INTEGER };
const linesOf = (text: string, wanted: Partial<Wanted>) =>
  scanner({ ...all, ...wanted })(text).matches.map(({ line }) => line);

const word = fc.constantFrom(
  'a',
  'ab',
  'soap',
  'SOAP',
  'ſoap',
  'kelvin',
  '\u212aelvin',
  'straße',
  'STRASSE',
  'İzmir',
  'izmir',
  'über',
  '😀',
  '\ud83d',
  '\ude00',
  '(',
  '_',
);
const text = fc
  .array(fc.oneof({ weight: 4, arbitrary: word }, fc.constantFrom(' ', '\n', '\n', '.', '')), { maxLength: 30 })
  .map((parts) => parts.join(''));
const pattern = fc.oneof(
  word.map((each) => each.replace('(', '\\(')),
  fc.constantFrom(
    '.',
    'a|b',
    'a+b?',
    '^a',
    'a$',
    '^$',
    'oa?p',
    '[sk]',
    'so\\w+',
    'ſ|k',
    'a b',
    '\\bsoap\\b',
    '(?i)soap',
    'ß|ü',
    '\\p{Lu}',
    'x*',
  ),
);

/** Line by line, with nothing but the engine. */
function reference(given: string, { pattern: source, ignoreCase, word: whole, context, most }: Wanted): LineMatch[] {
  const lines = given.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const compiled = RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  const hit = (line: string) => (whole ? isWhole(line, compiled) : compiled.matcher(line).find());
  return lines
    .flatMap((line, at) =>
      hit(line)
        ? [
            {
              line: at + 1,
              text: line,
              before: lines.slice(Math.max(0, at - context), at),
              after: lines.slice(at + 1, at + 1 + context),
            },
          ]
        : [],
    )
    .slice(0, most);
}

/** Some part of the line is matched from its beginning to its end, and stands alone. */
function isWhole(line: string, compiled: RE2JS): boolean {
  const signs = [...line];
  const alone = (sign: string | undefined) => sign === undefined || !/[\p{L}\p{M}\p{N}_]/u.test(sign);
  for (let from = 0; from <= signs.length; from++)
    for (let to = from; to <= signs.length; to++) {
      if (!alone(signs[from - 1]) || !alone(signs[to])) continue;
      if (compiled.matches(signs.slice(from, to).join(''))) return true;
    }
  return false;
}

describe('scanning a text', () => {
  it('finds what the engine finds on each line', () => {
    const options = fc.record({
      pattern,
      ignoreCase: fc.boolean(),
      context: fc.nat(2),
      most: fc.constantFrom(1, 2, 1000),
      word: fc.constant(false),
    });
    fc.assert(
      fc.property(text, options, (given, wanted) => {
        const expected = reference(given, wanted);
        expect(scanner(wanted)(given).matches).toEqual(expected);
        expect(linesOf(given, { ...wanted, most: all.most }).slice(0, wanted.most)).toEqual(
          expected.map(({ line }) => line),
        );
      }),
      { numRuns: full ? 20_000 : 1000 },
    );
  });

  it('finds whole words as they stand in any script', () => {
    // Without anchors: the reference looks at parts of a line, which begin and end elsewhere.
    const plain = fc.constantFrom(
      'a',
      'ab?',
      'soap',
      'so\\w+',
      'über',
      'straße',
      '😀',
      '\\(',
      'a|soap',
      'elvin',
      '_',
      '[ak]b?',
    );
    fc.assert(
      fc.property(text, plain, fc.boolean(), (given, source, ignoreCase) => {
        const wanted = { ...all, pattern: source, ignoreCase, word: true };
        expect(scanner(wanted)(given).matches).toEqual(reference(given, wanted));
      }),
      { numRuns: full ? 5000 : 300 },
    );
    expect(linesOf('über\nüberall\nfoo(x)\nfoo(', { pattern: 'über|foo\\(', word: true })).toEqual([1, 4]);
  });

  it('takes letters of other cases for one another, those beyond ASCII too', () => {
    const text = 'soap\nSOAP\nſoap\nkelvin\n\u212aelvin\nSTRASSE\nstraße\nSTRAẞE';
    expect(linesOf(text, { pattern: 'soap', ignoreCase: true })).toEqual([1, 2, 3]);
    expect(linesOf(text, { pattern: 'ſoap', ignoreCase: true })).toEqual([1, 2, 3]);
    expect(linesOf(text, { pattern: '\u212aelvin', ignoreCase: true })).toEqual([4, 5]);
    expect(linesOf(text, { pattern: 'kelvin', ignoreCase: true })).toEqual([4, 5]);
    expect(linesOf(text, { pattern: 'straße', ignoreCase: true })).toEqual([7, 8]);
    expect(linesOf('İ\ni\nI', { pattern: 'i', ignoreCase: true })).toEqual([2, 3]);
  });

  it('refuses what is no pattern, also where it would be one between brackets', () => {
    for (const pattern of ['(', 'a)|(b', '[', '*', '(?=a)', '\\1']) {
      expect(() => scanner({ ...all, pattern, word: true })).toThrow();
      expect(() => scanner({ ...all, pattern })).toThrow();
    }
  });

  it('counts from the line it is told, and counts lines as they end', () => {
    const scan = scanner({ ...all, pattern: 'x' });
    expect(scan('x\n\nx\n', 10)).toMatchObject({ lines: 3, matches: [{ line: 10 }, { line: 12 }] });
    expect(scan('a\nx')).toMatchObject({ lines: 2, matches: [{ line: 2 }] });
    expect(scan('')).toEqual({ lines: 0, matches: [] });
  });

  it('shows a long line around its match, whole letters only', () => {
    const [match] = scanner({ ...all, pattern: 'needle' })(
      `${'😀'.repeat(100_000)}needle${'😀'.repeat(100_000)}`,
    ).matches;
    expect(match?.text).toContain('needle');
    expect(match?.text.length).toBeLessThan(400);
    expect(match?.text).not.toMatch(/\p{Surrogate}/u);
  });

  it('shows no carriage return', () => {
    expect(scanner({ ...all, pattern: 'b' })('a\r\nb\r\n').matches).toMatchObject([{ line: 2, text: 'b' }]);
  });

  it('takes time that is linear in the text, whatever the pattern', () => {
    for (const pattern of ['(a+)+$', '(a|a)*b', '(a*)*b', '(.*a){20}', '^(([a-z])+.)+[A-Z]([a-z])+$']) {
      const started = performance.now();
      expect(linesOf(`${'a'.repeat(30_000)}!`, { pattern }).length).toBeLessThan(2);
      expect(performance.now() - started).toBeLessThan(15_000);
    }
  });
});
