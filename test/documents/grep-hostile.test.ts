/** Grep is complete for any text, and stays polite for any pattern. */
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import type { Message } from '../support/cairn.ts';
import { openProject } from './project.ts';

describe('grep of anything', () => {
  it('finds exactly the lines that match', async () => {
    const project = await openProject();
    const word = fc.constantFrom(
      'alpha',
      'Alpha',
      'beta',
      'al',
      'a',
      'x_y',
      'fooBar',
      'über',
      'ſoap',
      'soap',
      '\u212aelvin',
      '😀',
      '\t',
      ' ',
      '\n',
      '\r\n',
      '(x)',
      'a.b',
      '1',
    );
    const text = fc.array(word, { maxLength: 25 }).map((parts) => parts.join(''));
    const pattern = fc.constantFrom(
      'alpha',
      'alp|bet',
      'a(l|b)',
      '(?i)ALPHA',
      'a.*b',
      '^a',
      'a$',
      '^$',
      'x_y',
      '\\bal\\b',
      'kelvin',
      'soap',
      'foo(Bar)?',
      'foo[A-Z]ar',
      '[^a]lpha',
      '\\(x\\)',
      'a\\.b',
      '.',
      '\\d',
      'ü',
      '😀',
      'alpha ?alpha',
      '(alpha){2}',
      'al{1}pha',
      '\\Qa.b\\E',
      'beta|',
      'nowhere',
      '\\t',
    );
    const round = fc.record({
      texts: fc.array(text, { minLength: 1, maxLength: 6 }),
      patterns: fc.array(pattern, { minLength: 3, maxLength: 8 }),
      ignoreCase: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(round, async ({ texts, patterns, ignoreCase }) => {
        await project.server.ask('delete', { name: '**' });
        const operations = texts.map((content, at) => ({ op: 'add', params: { name: `${at}.txt`, content } }));
        await project.ask('execute', { operations });
        for (const source of patterns) {
          const answer = await project.ask('grep', {
            pattern: source,
            ignore_case: ignoreCase,
            line_numbers: true,
            limit: 10_000,
          });
          const found = answer.matches.map(({ path, line, text: shown }: Message) => [path, line, shown]);
          expect({ source, found }).toEqual({ source, found: naive(texts, source, ignoreCase) });
        }
      }),
      { numRuns: process.env.CAIRN_TEST_FULL === undefined ? 25 : 300 },
    );
  });

  it('refuses what is no pattern, and says what to do', async () => {
    const project = await openProject();
    await project.ask('add', { name: 'a.txt', content: 'aaa' });
    const broken = [
      '(',
      '[',
      'a)|(b',
      '*',
      '(?=a)',
      '(?<!a)',
      '\\1',
      'a{1000}{1000}',
      '(a{1000}){1000}',
      '('.repeat(5000) + ')'.repeat(5000),
      'a{2,1}',
    ];
    for (const pattern of broken) {
      for (const word of [false, true]) {
        const { message, data } = await project.refusal('grep', { pattern, word });
        expect(message).toMatch(/no regular expression/);
        expect(data.suggestion).toBeTruthy();
      }
    }
    expect((await project.refusal('grep', { pattern: 'a'.repeat(10_001) })).code).toBe(-32602);
    expect((await project.refusal('grep', { pattern: '' })).code).toBe(-32602);
  });

  it('answers other calls while a pattern takes its time, and ends what takes too long', async () => {
    const project = await openProject([], { CAIRN_CALL_TIMEOUT_MS: '6000' });
    await project.ask('add', { name: 'a.txt', content: `${'a'.repeat(100_000)}!\n` });
    const answered: string[] = [];
    const slow = ['\\pL{1000}'.repeat(300), '(a+)+$', '(a*)*b'].map(async (pattern) => {
      const { result, error } = await project.server.ask('grep', { pattern });
      answered.push(pattern);
      expect(result?.total ?? error.message).toBeOneOf([0, expect.stringMatching(/cancelled/)]);
    });
    await project.ask('mcp_echo', { message: 'hello' });
    expect(answered).toEqual([]);
    await Promise.all(slow);
    expect((await project.ask('grep', { pattern: 'a!$' })).total).toBe(1);
  });

  it('takes thousands of alternatives', async () => {
    const project = await openProject();
    await project.ask('add', { name: 'a.txt', content: 'one\nz01\nz99\n' });
    const alternatives = Array.from({ length: 2000 }, (_, at) => `z${String(at).padStart(2, '0')}`).join('|');
    expect((await project.ask('grep', { pattern: alternatives.slice(0, 9999) })).total).toBe(2);
  });
});

function naive(texts: readonly string[], source: string, ignoreCase: boolean): [string, number, string][] {
  const compiled = RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  return texts.flatMap((text, at) => {
    const lines = text.replaceAll('\r\n', '\n').split('\n');
    if (lines.at(-1) === '') lines.pop();
    return lines.flatMap((line, index): [string, number, string][] =>
      compiled.matcher(line).find() ? [[`${at}.txt`, index + 1, line]] : [],
    );
  });
}
