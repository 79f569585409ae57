import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { randomFrom } from '../../bench/documents/random.ts';
import { commonWords, documentNumber, middlingWords, pathOf, wordOf } from '../../bench/documents/texts.ts';
import { filesBelow, isText } from '../../bench/documents/tree.ts';
import { edited, nextVersion } from '../../bench/documents/versions.ts';
import { tableOf } from '../../bench/table.ts';

const wordsOf = (text: string) => new Set(text.match(/[a-z]+/g));

describe('made-up documents', () => {
  const many = Array.from({ length: 2000 }, (_, number) => documentNumber(number));
  const words = many.map(({ text }) => wordsOf(text));
  const share = (word: string) => words.filter((each) => each.has(word)).length / many.length;

  it('are the same every time, each at a path of its own', () => {
    expect(documentNumber(7)).toEqual(documentNumber(7));
    expect(documentNumber(7).text).not.toBe(documentNumber(8).text);
    expect(new Set(many.map(({ path }) => path)).size).toBe(many.length);
    expect(documentNumber(7).path).toBe(pathOf(7));
  });

  it('have one or two kilobytes', () => {
    const sizes = many.map(({ text }) => Buffer.byteLength(text));
    expect(Math.min(...sizes)).toBeGreaterThan(700);
    expect(Math.max(...sizes)).toBeLessThan(2500);
  });

  it('hold their rare words, which few others hold', () => {
    for (const { text, rare } of many.slice(0, 50)) {
      for (const word of rare) {
        expect(wordsOf(text)).toContain(word);
        expect(share(word)).toBeLessThan(0.005);
      }
    }
  });

  it('mostly hold the common words, and seldom the middling ones', () => {
    for (const word of commonWords) expect(share(word)).toBeGreaterThan(0.7);
    for (const word of middlingWords) {
      expect(share(word)).toBeGreaterThan(0.005);
      expect(share(word)).toBeLessThan(0.02);
    }
  });

  it('have a word for every rank', () => {
    const all = Array.from({ length: 20_000 }, (_, rank) => wordOf(rank));
    expect(new Set(all).size).toBe(all.length);
  });
});

describe('versions of a tree', () => {
  const text = Array.from({ length: 200 }, (_, line) => `line ${line}`).join('\n');
  const first = new Map(Array.from({ length: 100 }, (_, file) => [`src/file-${file}.ts`, `${file}\n${text}`]));

  it('differ by a few edited files, one renamed and one new', () => {
    const next = nextVersion(first, 2, randomFrom(1));
    const gone = [...first.keys()].filter((path) => !next.has(path));
    const come = [...next.keys()].filter((path) => !first.has(path));
    const changed = [...first].filter(([path, content]) => next.has(path) && next.get(path) !== content);
    expect(gone).toHaveLength(1);
    expect(come.sort()).toEqual(['added-2.ts', gone[0]?.replace('file', 'v2-file')]);
    expect(changed.length).toBeGreaterThan(0);
    expect(changed.length).toBeLessThan(6);
  });

  it('are the same in every run', () => {
    expect(nextVersion(first, 2, randomFrom(5))).toEqual(nextVersion(first, 2, randomFrom(5)));
  });

  it('keep most lines of a file that is edited', () => {
    for (let seed = 0; seed < 20; seed++) {
      const lines = new Set(edited(text, randomFrom(seed)).split('\n'));
      const kept = text.split('\n').filter((line) => lines.has(line)).length;
      expect(kept).toBeGreaterThanOrEqual(170);
    }
  });
});

describe('trees', () => {
  it('are all files, without links', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cairn-tree-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await mkdir(join(folder, 'b'));
    await writeFile(join(folder, 'b', 'deep.txt'), 'x');
    await writeFile(join(folder, 'a.txt'), 'x');
    await symlink('a.txt', join(folder, 'link.txt'));
    expect(await filesBelow(folder)).toEqual(['a.txt', join('b', 'deep.txt')]);
  });

  it('know text by its lack of zeros', () => {
    expect([isText(Buffer.from('text')), isText(Buffer.from('t\0t'))]).toEqual([true, false]);
  });
});

describe('the table', () => {
  it('says which way a budget goes', () => {
    const table = tableOf('speed', [
      { name: 'more is better', unit: 'MB/s', value: 7, least: 5, verdict: 'PASS' },
      { name: 'less is better', unit: 'ms', value: 7, budget: 5, verdict: 'over budget' },
    ]);
    expect(table).toMatch(/more is better +7\.00 MB\/s +≥ 5 MB\/s +PASS/);
    expect(table).toMatch(/less is better +7\.00 ms +≤ 5 ms +over budget/);
  });
});
