import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { type Found, type LineMatch, scanner, type Wanted } from './scan.ts';

const full = process.env.CAIRN_TEST_FULL !== undefined;

const all: Wanted = { pattern: '', ignoreCase: false, word: false, invert: false, context: 0, show: true };
const EVERY = Number.MAX_SAFE_INTEGER;

/** As texts are kept: every line ended. */
const written = (text: string) => Buffer.from(text === '' || text.endsWith('\n') ? text : `${text}\n`);

function scan(text: string, wanted: Wanted, most = EVERY, firstLine = 1): Found {
  const bytes = written(text);
  const whole = { from: 0, to: bytes.length, low: 0, high: bytes.length, firstLine, insideKey: false };
  return scanner(wanted)(bytes).scan(whole, most);
}

const linesOf = (text: string, wanted: Partial<Wanted>) =>
  scan(text, { ...all, ...wanted }).matches.map(({ line }) => line);

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
  '(',
  '_',
  '—',
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
function reference(
  given: string,
  { pattern: source, ignoreCase, word: whole, invert, context }: Wanted,
  most = EVERY,
): LineMatch[] {
  const lines = given.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const compiled = RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  const hit = (line: string) => (whole ? isWhole(line, compiled) : compiled.matcher(line).find());
  return lines
    .flatMap((line, at) =>
      hit(line) !== invert
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
      invert: fc.boolean(),
      context: fc.nat(2),
      word: fc.constant(false),
      show: fc.constant(true),
    });
    fc.assert(
      fc.property(text, options, fc.constantFrom(1, 2, 1000), (given, wanted, most) => {
        const expected = reference(given, wanted, most);
        expect(scan(given, wanted, most)).toEqual({ count: expected.length, matches: expected });
        expect(scan(given, { ...wanted, show: false }, most)).toEqual({ count: expected.length, matches: [] });
      }),
      { numRuns: full ? 20_000 : 1000 },
    );
  });

  it('finds the same in texts that lie together, in whatever order they are looked at', () => {
    const texts = fc.array(text, { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(texts, pattern, fc.boolean(), fc.nat(), (given, source, ignoreCase, turn) => {
        const wanted = { ...all, pattern: source, ignoreCase, context: 1 };
        const bytes = given.map(written);
        const block = scanner(wanted)(Buffer.concat(bytes));
        const places = bytes.map((each, at) => {
          const from = bytes.slice(0, at).reduce((sum, { length }) => sum + length, 0);
          return { at, from, to: from + each.length };
        });
        for (const { at, from, to } of [...places.slice(turn % places.length), ...places]) {
          const stretch = { from, to, low: from, high: to, firstLine: 1, insideKey: false };
          expect(block.scan(stretch, EVERY).matches).toEqual(reference(given[at] ?? '', wanted));
        }
      }),
      { numRuns: full ? 10_000 : 500 },
    );
  });

  it('finds whole words as they stand in any script', () => {
    // Without anchors: the reference looks at parts of a line, which begin and end elsewhere.
    const plain = fc.constantFrom(
      'a',
      'ab?',
      'a+',
      '(?:a|ab)',
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
        expect(scan(given, wanted).matches).toEqual(reference(given, wanted));
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
    const wanted = { ...all, pattern: 'x' };
    expect(scan('x\n\nx\n', wanted, EVERY, 10)).toMatchObject({ count: 2, matches: [{ line: 10 }, { line: 12 }] });
    expect(scan('a\nx', wanted)).toMatchObject({ matches: [{ line: 2 }] });
    expect(scan('', wanted)).toEqual({ count: 0, matches: [] });
    expect(scan('\n\n', { ...wanted, invert: true })).toMatchObject({ count: 2 });
    expect(linesOf('a\nb', { pattern: 'a\nb' })).toEqual([]);
  });

  it('goes on at a line of its own', () => {
    const bytes = written('a\nb\nc');
    const block = scanner({ ...all, pattern: '.' })(bytes);
    const whole = { from: 0, to: bytes.length, low: 0, high: bytes.length, firstLine: 5, insideKey: false };
    expect(block.lineIn(whole, 6)).toEqual({ from: 2, firstLine: 6 });
    expect(block.scan({ ...whole, ...block.lineIn(whole, 7) }, EVERY).matches).toMatchObject([{ line: 7, text: 'c' }]);
    expect(block.scan({ ...whole, ...block.lineIn(whole, 8) }, EVERY).count).toBe(0);
    expect(block.scan({ ...whole, ...block.lineIn(whole, 99) }, EVERY).count).toBe(0);
  });

  it('shows a long line around its match, whole letters only', () => {
    for (const pattern of ['needle', 'n[a-e]+dle', 'needle.*$']) {
      const long = `${'😀'.repeat(50_000)}needle${'😀'.repeat(50_000)}`;
      const [match] = scan(long, { ...all, pattern }).matches;
      expect(match?.text).toContain('needle');
      expect(match?.text.length).toBeLessThan(400);
      expect(match?.text).not.toMatch(/\p{Surrogate}/u);
    }
  });

  it('shows no secret, also where only a part of a key is looked at', () => {
    const key = `-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAK\n-----END RSA PRIVATE KEY-----\nIBAAK`;
    expect(scan(key, { ...all, pattern: 'IBAAK', context: 1 }).matches).toMatchObject([
      { line: 3, text: '…[private-key]', before: ['…[private-key]'] },
      { line: 5, text: 'IBAAK' },
    ]);
    const bytes = written('IBAAK\nIBAAK\n-----END RSA PRIVATE KEY-----\nIBAAK');
    const part = { from: 0, to: bytes.length, low: 0, high: bytes.length, firstLine: 3, insideKey: true };
    const found = scanner({ ...all, pattern: 'IBAAK' })(bytes).scan(part, EVERY);
    expect(found.matches.map(({ text }) => text)).toEqual(['…[private-key]', '…[private-key]', 'IBAAK']);
    const token = `ghp_${'a1B2'.repeat(9)}`;
    expect(scan(`token ${token}`, { ...all, pattern: 'token' }).matches[0]?.text).not.toContain(token);
  });
});
