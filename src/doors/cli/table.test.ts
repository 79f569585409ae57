import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { table } from './table.ts';
import { toned, widthOf, written } from './terminal.ts';

const columns = [
  { title: 'SIZE', right: true },
  { title: 'PATH', keep: 'end' },
  { title: 'TAGS', keep: 'start' },
] as const;

function drawn(rows: readonly (readonly string[])[], width?: number): string[] {
  return written(table(columns, rows, width), false)
    .split('\n')
    .slice(0, -1);
}

describe('table', () => {
  it('aligns numbers to the right and text to the left, without blanks at the end', () => {
    expect(
      drawn([
        ['9 B', 'a.md', 'x'],
        ['1.2 kB', 'docs/long.md', ''],
      ]),
    ).toEqual(['  SIZE  PATH          TAGS', '   9 B  a.md          x', '1.2 kB  docs/long.md']);
  });

  it('leaves out columns that are empty in every row', () => {
    expect(
      drawn([
        ['1 B', 'a', ''],
        ['2 B', 'b', ''],
      ]),
    ).toEqual(['SIZE  PATH', ' 1 B  a', ' 2 B  b']);
  });

  it('cuts the widest column first, and of a path its beginning', () => {
    const lines = drawn([['1 B', 'a/very/long/path/to/some/file.md', 'short']], 30);
    expect(lines[1]).toBe(' 1 B  …/to/some/file.md  short');
    expect(lines.every((line) => widthOf(line) <= 30)).toBe(true);
  });

  it('counts wide characters as two columns and marks as none', () => {
    expect([widthOf('日本'), widthOf('e\u0301'), widthOf('🙂'), widthOf('👩‍👩‍👧'), widthOf('abc')]).toEqual([
      4, 1, 2, 2, 3,
    ]);
    expect(
      drawn([
        ['1 B', '日本.md', 'x'],
        ['1 B', 'abcd.md', 'y'],
      ]),
    ).toEqual(['SIZE  PATH     TAGS', ' 1 B  日本.md  x', ' 1 B  abcd.md  y']);
  });

  it('shows what would act on the terminal instead of obeying it, in colour too', () => {
    const text = written(table(columns, [['1 B', toned('name', 'a\x1b[2Jb\nc\td\u202ee\u009b1m'), '']]), true);
    expect(text).toContain('a\\x1b[2Jb\\nc\\td\\u202ee\\x9b1m');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours that are ours
    expect(text.replace(/\x1b\[[\d;]*m/g, '')).not.toMatch(/[^\n\P{Cc}]/u);
  });

  it('never draws a line wider than the terminal where there is room to cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constant('1 B'), fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' })), {
          minLength: 1,
          maxLength: 5,
        }),
        fc.integer({ min: 30, max: 80 }),
        (rows, width) => {
          for (const line of drawn(rows, width)) expect(widthOf(line)).toBeLessThanOrEqual(width);
        },
      ),
    );
  });
});
