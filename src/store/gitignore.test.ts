import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { type IgnoreFile, isIgnored, parseIgnore } from './gitignore.ts';

/** Folders end in a slash; a link to a folder is no folder. */
const tree = [
  'a',
  'b.log',
  'foo',
  'foobar',
  '#note',
  '!loud',
  'sp ',
  'back\\slash',
  'é.md',
  '[x]',
  'x]',
  'a-c',
  'link',
  'build/',
  'build/out.o',
  'build/keep/',
  'build/keep/a',
  'src/',
  'src/a',
  'src/ab',
  'src/b.log',
  'src/build/',
  'src/build/a.o',
  'src/foo/',
  'src/foo/bar/',
  'src/foo/bar/a',
  'src/foo/bar/b.log',
  'src/foo/baz',
  'docs/',
  'docs/x.md',
  'docs/Y.MD',
  'docs/a/',
  'docs/a/b/',
  'docs/a/b/c',
  'docs/a/b/foo',
];

const root = mkdtempSync(join(tmpdir(), 'cairn-gitignore-'));
const environment = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
afterAll(() => rmSync(root, { recursive: true, force: true }));

for (const path of tree) {
  if (path.endsWith('/')) mkdirSync(join(root, path), { recursive: true });
  else if (path === 'link') symlinkSync('src', join(root, path));
  else writeFileSync(join(root, path), '');
}
execFileSync('git', ['init', '-q', root], { env: environment });

type Files = Readonly<Record<string, string>>;
const folders = ['', 'src', 'docs/a'];

function gitSays(files: Files): string[] {
  for (const folder of folders) writeFileSync(join(root, folder, '.gitignore'), files[folder] ?? '', 'latin1');
  const input = tree.map((path) => path.replace(/\/$/, '')).join('\0');
  try {
    const options = { cwd: root, input, env: environment, stdio: ['pipe', 'pipe', 'pipe'] as const };
    return execFileSync('git', ['check-ignore', '--stdin', '-z', '--no-index'], {
      ...options,
      stdio: [...options.stdio],
    })
      .toString()
      .split('\0')
      .filter((path) => path !== '');
  } catch (thrown) {
    // It ends with 1 when nothing is ignored.
    if ((thrown as { status?: number }).status === 1) return [];
    throw thrown;
  }
}

function weSay(files: Files): string[] {
  const ignored = new Set<string>();
  const rules = new Map<string, IgnoreFile>(
    folders.map((folder) => [folder, parseIgnore(Buffer.from(files[folder] ?? '', 'latin1'), folder)]),
  );
  for (const entry of tree) {
    const path = entry.replace(/\/$/, '');
    const above = foldersAbove(path);
    const chain = above.flatMap((folder) => rules.get(folder) ?? []);
    const hidden = above.some((folder) => ignored.has(folder));
    if (hidden || isIgnored(chain, path, entry.endsWith('/'), { left: 1e9 })) ignored.add(path);
  }
  return [...ignored];
}

function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === '.' ? [''] : [...foldersAbove(folder), folder];
}

function agree(files: Files): void {
  expect({ files, ignored: weSay(files).sort() }).toEqual({ files, ignored: gitSays(files).sort() });
}

const table: readonly string[] = [
  'foo',
  '/foo',
  'foo/',
  'src/foo',
  '/src/foo/',
  '*.log',
  '*.log\n!src/b.log',
  '*.log\n!b.log',
  'build/\n!build/keep',
  'build/*\n!build/keep/',
  '**/foo',
  'foo/**',
  'src/**',
  'src/**/a',
  'src/**/**/a',
  '**/b/**',
  '**',
  '**/',
  '/**/a',
  'docs/**/',
  'foo**/bar',
  'src/f**/bar',
  'src/**b/a',
  'src/**\\/a',
  '*/a',
  '*/*/*',
  'src/*/bar',
  '?',
  '??',
  '?.md',
  '??.md',
  'Ã©.md',
  '[a-b]*',
  '[!a]',
  '[^a-f]*',
  '[]x]*',
  '[x]]',
  '[[]x]',
  '\\[x\\]',
  '[a',
  '[',
  '[]',
  '[z-a]',
  '[a-]*',
  '[-a]*',
  '[\\a]*',
  '[a-\\c]*',
  '[[:alpha:]]',
  '[[:upper:]].[[:upper:]][[:upper:]]',
  '[[:nonsense:]]',
  '[[:alpha:]-z]*',
  '[[:a]*',
  '[[:]*',
  '\\#note',
  '#note',
  '\\!loud',
  '!loud',
  'sp\\ ',
  'sp ',
  'sp\\  ',
  'foo   ',
  'foo\t',
  'foo\r\nfoobar\r',
  'back\\\\slash',
  'back\\slash',
  'foo\\',
  'fo\\o',
  'foo\\/',
  '/',
  '//',
  '!',
  '!!loud',
  '',
  ' ',
  'link/',
  'link',
  'ï»¿foo',
  'fo\0o',
  'src//foo',
  '.',
  './foo',
  '../foo',
  'src/',
  'src\n!src/a',
  'src/*\n!src/a',
  '*\n!*/\n!*.log',
  '/*\n!/src\n/src/*\n!/src/foo',
];

describe('what a .gitignore ignores', () => {
  it.each(table)('is what git ignores: %j', (rules) => {
    agree({ '': rules });
  });

  it('counts for the folder that the file is in, and the nearer file wins', () => {
    agree({ '': '*.log\nfoo', src: '!b.log\n/foo', 'docs/a': '!foo\nb/c' });
    agree({ '': '/docs', 'docs/a': '!b' });
    agree({ src: '/a\nfoo/bar\nbuild/' });
  });

  it('is what git ignores, whatever the rules are made of', () => {
    const piece = fc.constantFrom(
      ...[
        'a',
        'b',
        'c',
        'foo',
        'bar',
        'src',
        'docs',
        'build',
        '.log',
        '.md',
        '/',
        '/',
        '/',
        '*',
        '*',
        '**',
        '/**/',
        '?',
      ],
      ...['[ab]', '[!a]', '[a-f]', '[[:lower:]]', '[', ']', '-', '\\', '!', '#', ' ', 'keep', 'o'],
    );
    const line = fc
      .tuple(fc.constantFrom('', '', '', '!', '/'), fc.array(piece, { minLength: 1, maxLength: 6 }))
      .map(([start, pieces]) => start + pieces.join(''));
    const file = fc.array(line, { maxLength: 5 }).map((lines) => lines.join('\n'));
    const files = fc.record({ '': file, src: file, 'docs/a': file });
    fc.assert(fc.property(files, agree), { numRuns: 150 });
  });

  it('costs at most pattern times name for a pattern that was written to take for ever', () => {
    const effort = { left: 1_000_000 };
    for (const pattern of [`${'*a'.repeat(40)}*b`, `${'**/'.repeat(60)}b`, `x/${'**/*a'.repeat(40)}/b`]) {
      const file = parseIgnore(Buffer.from(pattern));
      expect(isIgnored([file], `x/${'a'.repeat(250)}`, false, effort)).toBe(false);
      expect(isIgnored([file], `x${'/a'.repeat(125)}`, false, effort)).toBe(false);
    }
    expect(effort.left).toBeGreaterThan(0);
  });

  it('is paid for: what cannot be afforded shows', () => {
    const effort = { left: 1000 };
    const file = parseIgnore(Buffer.from(`${'*a'.repeat(40)}*b\n`.repeat(50)));
    isIgnored([file], 'a'.repeat(250), false, effort);
    expect(effort.left).toBeLessThan(0);
  });
});
