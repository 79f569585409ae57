/** Grep answers what ripgrep answers on the same files, also from its copies of the texts. */
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rgPath } from '@vscode/ripgrep';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Message } from '../support/cairn.ts';
import { openProject, type Project } from './project.ts';

interface Asked {
  readonly pattern: string;
  readonly ignore_case: boolean;
  readonly word: boolean;
  readonly invert: boolean;
  readonly context: number;
  readonly max_count: number;
}

/** Where both mean the same: classes of Unicode are ripgrep's alone, so texts have few letters beyond ASCII. */
const word = fc.constantFrom(
  ...[
    'alpha',
    'Alpha',
    'ALPHA',
    'beta',
    'al',
    'a',
    'x_y',
    'fooBar',
    'foo',
    'Bar',
    'über',
    'Über',
    '\u212aelvin',
    'kelvin',
  ],
  ...['\t', ' ', ' ', '\n', '\n', '\r\n', '(x)', 'a.b', '1', '123-4567', '😀', '—', '-', '"'],
);
const content = fc.array(word, { maxLength: 40 }).map((parts) => parts.join(''));
const asked: fc.Arbitrary<Asked> = fc
  .record({
    pattern: fc.constantFrom(
      ...[
        'alpha',
        'alp|bet',
        'a(l|b)',
        'a.*b',
        '^a',
        'a$',
        '^$',
        'x_y',
        'kelvin',
        'foo(Bar)?',
        'foo[A-Z]ar',
        '[^a]lpha',
      ],
      ...[
        '\\(x\\)',
        'a\\.b',
        '.',
        '[0-9]{3}-[0-9]{4}',
        'über',
        '😀',
        'alpha ?alpha',
        '(alpha){2}',
        'nowhere',
        '\\t',
        '.+',
      ],
      ...[
        '[a-z]+Bar',
        'foo.*beta',
        '^[a-z]+$',
        '[A-Z][a-z]+',
        'a|b|c',
        '(a|al|alp)+ha',
        '"[^"]*"',
        'beta +alpha',
        'l.?p',
      ],
    ),
    ignore_case: fc.boolean(),
    word: fc.boolean(),
    invert: fc.boolean(),
    context: fc.constantFrom(0, 0, 1, 3),
    max_count: fc.constantFrom(0, 0, 1, 2),
  })
  // What follows the last line of a file that it counts, ripgrep calls a match whether it is one or not.
  .map((each) => (each.max_count > 0 ? { ...each, context: 0 } : each));

it('finds what ripgrep finds', async () => {
  const project = await openProject();
  const round = fc.record({
    contents: fc.array(content, { minLength: 1, maxLength: 6 }),
    questions: fc.array(asked, { minLength: 4, maxLength: 8 }),
  });
  await fc.assert(
    fc.asyncProperty(round, async ({ contents, questions }) => {
      await rm(join(project.folder, 'in'), { recursive: true, force: true });
      await project.server.ask('delete', { name: '**' });
      for (const [at, text] of contents.entries()) await project.put(`in/${at}.txt`, text);
      await project.ask('add', { path: 'in' });
      for (const question of questions) {
        const expected = await ripgrep(project, question);
        // The second time from the copies that the first one made.
        for (const time of [1, 2]) {
          const own = await ownLines(project, question);
          expect({ question, contents, time, own }).toEqual({ question, contents, time, own: expected });
        }
        const { total } = await project.ask('grep', { ...question, count: true });
        const { files } = await project.ask('grep', { ...question, files_with_matches: true });
        const found = expected.filter(({ kind }) => kind === 'match');
        expect({ question, total }).toEqual({ question, total: found.length });
        expect(files).toEqual([...new Set(found.map(({ path }) => path))]);
      }
    }),
    { numRuns: process.env.CAIRN_TEST_FULL === undefined ? 12 : 200 },
  );
}, 900_000);

interface Line {
  readonly kind: 'match' | 'context';
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

async function ripgrep(project: Project, { pattern, ...question }: Asked): Promise<Line[]> {
  const flags = [
    ...['--no-config', '-uuu', '--text', '--crlf', '--json', '--sort', 'path', '--context', String(question.context)],
    ...(question.ignore_case ? ['--ignore-case'] : []),
    ...(question.word ? ['--word-regexp'] : []),
    ...(question.invert ? ['--invert-match'] : []),
    ...(question.max_count > 0 ? ['--max-count', String(question.max_count)] : []),
  ];
  const { stdout } = await promisify(execFile)(rgPath, [...flags, '-e', pattern, 'in'], { cwd: project.folder }).catch(
    (thrown: { code?: number; stdout: string }) => {
      if (thrown.code === 1) return thrown;
      throw thrown;
    },
  );
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.flatMap((line): Line[] => {
    const { type, data } = JSON.parse(line) as Message;
    if (type !== 'match' && type !== 'context') return [];
    const text = data.lines.text.replace(/\r?\n$/, '');
    return [{ kind: type, path: data.path.text, line: data.line_number, text }];
  });
}

/** With the lines around, each once, as ripgrep says them. */
async function ownLines(project: Project, question: Asked): Promise<Line[]> {
  const { matches } = await project.ask('grep', { ...question, line_numbers: true, limit: 10_000 });
  const lines = new Map<string, Line>();
  const add = (line: Line) => {
    const key = `${line.path}:${line.line}`;
    if (lines.get(key)?.kind !== 'match') lines.set(key, line);
  };
  for (const { path, line, text, before = [], after = [] } of matches as Message[]) {
    for (const [at, each] of before.entries())
      add({ kind: 'context', path, line: line - before.length + at, text: each });
    add({ kind: 'match', path, line, text });
    for (const [at, each] of after.entries()) add({ kind: 'context', path, line: line + 1 + at, text: each });
  }
  return [...lines.values()].sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
}
