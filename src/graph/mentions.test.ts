import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Mention, mentionsIn } from './mentions.ts';

const path = (value: string, symbol?: string): Mention => ({ type: 'path', value, ...(symbol && { symbol }) });
const symbol = (value: string): Mention => ({ type: 'symbol', value });
const id = (value: string): Mention => ({ type: 'id', value });

describe('files', () => {
  it.each([
    ['Edit src/store/store.ts first.', [path('src/store/store.ts')]],
    ['It is in store.ts, then in README.md.', [path('store.ts'), path('README.md')]],
    [
      'See `src/store`, "docs/guide.md" and [the plan](./docs/plan.md#next).',
      [path('src/store'), path('docs/guide.md'), path('docs/plan.md')],
    ],
    ['src/a.ts:12:3 and `src/b.ts:4-9` and src/c.ts#L10-L20', [path('src/a.ts'), path('src/b.ts'), path('src/c.ts')]],
    [
      '`src/a.ts#Store.open` and tests/a_test.py::Case::test_it',
      [
        path('src/a.ts', 'Store.open'),
        symbol('Store.open'),
        path('tests/a_test.py', 'Case.test_it'),
        symbol('Case.test_it'),
      ],
    ],
    [
      '`Makefile` and deploy/Dockerfile and `.gitignore`',
      [path('Makefile'), path('deploy/Dockerfile'), path('.gitignore')],
    ],
    ['Run `node scripts/build.mjs --watch src/main.ts`.', [path('scripts/build.mjs'), path('src/main.ts')]],
    ['`src\\win\\file.cs`', [path('src/win/file.cs')]],
    ['```\nimport x from "./lib/x.ts";\n```', [path('lib/x.ts')]],
    ['(see src/ünïcode/straße.ts)', [path('src/ünïcode/straße.ts')]],
  ])('finds in %j what is a file', (text, expected) => {
    expect(mentionsIn(text)).toEqual(expected);
  });

  it.each([
    'https://example.com/a/b.ts',
    '[x](https://example.com/docs/x.md)',
    'Write to ann@example.com or www.example.com/x.html',
    '/etc/passwd.txt and ~/notes.md and ../other/file.ts and C:/x/y.ts',
    'and/or, 1/2, client/server, n/a, TCP/IP',
    '`@scope/package` and `src/**/*.ts` and `$HOME/x.sh` and `src/<name>.ts`',
    'Ends e.g. here. It costs 1.5 or v2.0 … or so...',
  ])('takes %j for no file', (text) => {
    expect(mentionsIn(text).filter(({ type }) => type === 'path')).toEqual([]);
  });
});

describe('symbols', () => {
  it.each([
    ['Call `parseHtmlPage` or `parse_html`, never `Parser::next`.', ['parseHtmlPage', 'parse_html', 'Parser.next']],
    ['Use open() and store.read() and `close()`.', ['open', 'store.read', 'close']],
    ['`InstructionShelf` and `Store.open(path)` and `MAX_SIZE`', ['InstructionShelf', 'Store.open', 'MAX_SIZE']],
    ['Plain Words and camelCase outside of backticks, `true`, `the`', []],
  ])('finds those of %j', (text, expected) => {
    const found = mentionsIn(text).filter(({ type }) => type === 'symbol');
    expect(found.map(({ value }) => value)).toEqual(expected);
  });
});

describe('instructions and decisions', () => {
  it.each([
    ['As `commit-why` and "review.small" say', [id('commit-why'), id('review.small')]],
    [
      'Since 2025-01-31_session_storage_1a2b3c4d and ADR-0012.',
      [id('2025-01-31_session_storage_1a2b3c4d'), id('ADR-0012')],
    ],
    ['decisions/2025-01-31_x_1a2b3c4d.md, instructions/commit-why', [id('2025-01-31_x_1a2b3c4d'), id('commit-why')]],
    ['cairn://instruction/commit-why', [id('commit-why')]],
    ['proposal_2025-01-31_x_1a2b3c4d', [id('proposal_2025-01-31_x_1a2b3c4d')]],
    ['a well-known state-of-the-art thing', []],
    ['version `1.2.3`', []],
  ])('finds those of %j', (text, expected) => {
    expect(mentionsIn(text).filter(({ type }) => type === 'id')).toEqual(expected);
  });
});

describe('bounds', () => {
  it('names each thing once, and two hundred things at most', () => {
    expect(mentionsIn('src/a.ts src/a.ts `src/a.ts`')).toEqual([path('src/a.ts')]);
    const many = Array.from({ length: 1000 }, (_, at) => `src/file${at}.ts`).join(' ');
    expect(mentionsIn(many)).toHaveLength(200);
  });

  it.each([
    ['backticks', '`a'],
    ['links', ']('],
    ['quotes', `"a'`],
    ['one word', 'a'],
    ['dots', 'a.'],
    ['slashes', 'a/'],
    ['colons', 'a:1'],
    ['braces', '()'],
    ['hashes', 'a#'],
    ['dashes in backticks', '`a-a` '],
  ])('reads a megabyte of %s without looking twice', (_name, piece) => {
    const started = performance.now();
    mentionsIn(piece.repeat(Math.ceil(1_000_000 / piece.length)));
    mentionsIn(`\`${piece.repeat(Math.ceil(1_000_000 / piece.length))}\``);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  it('takes any text, and finds only what stands in it', () => {
    const pieces = fc.constantFrom(
      '`',
      '"',
      '](',
      ')',
      'src/',
      'a.ts',
      '#',
      '::',
      '()',
      ' ',
      '\n',
      '```',
      '..',
      ':1',
      'X_y',
      '-',
      '@',
    );
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(pieces).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        for (const { type, value } of mentionsIn(text)) {
          expect(value).not.toBe('');
          if (type === 'path') expect(text.replaceAll('\\', '/')).toContain(value);
          if (type === 'path') expect(value.split('/')).not.toContain('..');
        }
      }),
      { numRuns: 500 },
    );
  });
});
