import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { FreshPart, KeptTexts } from '../texts.ts';
import { EmbeddedTextCache } from './text-cache.ts';

async function newHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'cairn-letters-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  return home;
}

function opened(home: string): EmbeddedTextCache {
  const cache = new EmbeddedTextCache(home);
  onTestFinished(() => cache.close());
  return cache;
}

const partOf = (text: string, firstLine = 1): FreshPart => ({ bytes: Buffer.from(text), firstLine, insideKey: false });
const textsIn = ({ parts, read }: KeptTexts) => parts.map(({ hash, from, to }) => [hash, read(from, to)?.toString()]);
const fileOf = async (home: string) =>
  join(home, (await readdir(home)).find((name) => name.startsWith('letters-')) ?? '');

describe('copies of texts', () => {
  it('are read as they were kept, by whoever opens them', async () => {
    const home = await newHome();
    opened(home).keep(
      new Map([
        ['a', [partOf('one\n')]],
        ['b', [partOf('two\n'), { ...partOf('three\n', 2), insideKey: true }]],
      ]),
    );
    opened(home).keep(
      new Map([
        ['b', [partOf('another\n')]],
        ['c', [partOf('four\n')]],
      ]),
    );
    const kept = opened(home).find(['c', 'b', 'nowhere', 'c']);
    expect(textsIn(kept)).toEqual([
      ['b', 'two\n'],
      ['b', 'three\n'],
      ['c', 'four\n'],
    ]);
    expect(kept.parts[1]).toMatchObject({ part: 1, firstLine: 2, insideKey: true });
    expect(opened(home).hashes()).toEqual(['a', 'b', 'c']);
  });

  it('are read into memory that is given, where it is large enough', async () => {
    const home = await newHome();
    const cache = opened(home);
    cache.keep(new Map([['a', [partOf('one\n')]]]));
    const memory = Buffer.alloc(10);
    const { read } = cache.find(['a']);
    expect(read(0, 4, memory)?.buffer).toBe(memory.buffer);
    expect(read(0, 4, Buffer.alloc(3))?.toString()).toBe('one\n');
  });

  it('are gone from the disk when they are dropped', async () => {
    const home = await newHome();
    const cache = opened(home);
    cache.keep(
      new Map([
        ['a', [partOf('secret\n')]],
        ['b', [partOf('plain\n')]],
      ]),
    );
    const before = cache.find(['a']);
    cache.drop(['a']);
    expect(cache.hashes()).toEqual(['b']);
    expect(textsIn(cache.find(['a', 'b']))).toEqual([['b', 'plain\n']]);
    expect(textsIn(before)[0]?.[1]).not.toContain('secret');
    for (const name of await readdir(home)) expect((await readFile(join(home, name))).includes('secret')).toBe(false);
  });

  it('are not there where nothing was kept, and reading makes no file', async () => {
    const home = await newHome();
    expect(opened(home).find(['a']).parts).toEqual([]);
    expect(opened(home).hashes()).toEqual([]);
    expect(await readdir(home)).toEqual([]);
    const nowhere = join(home, 'nowhere');
    opened(nowhere).keep(new Map([['a', [partOf('one\n')]]]));
    expect(opened(nowhere).find(['a']).parts).toEqual([]);
  });

  it('are as if they were not there when a file is damaged, cut or gone, and can be kept again', async () => {
    const faults = [
      async (home: string) => {
        for (const suffix of ['', '-wal', '-shm']) await rm(join(home, `letters.db${suffix}`), { force: true });
        await writeFile(join(home, 'letters.db'), 'no database at all'.repeat(500));
      },
      async (home: string) => truncate(await fileOf(home), 3),
      async (home: string) => rm(await fileOf(home)),
    ];
    for (const damage of faults) {
      const home = await newHome();
      const first = new EmbeddedTextCache(home);
      first.keep(new Map([['a', [partOf('one\n')]]]));
      first.close();
      await damage(home);
      const cache = opened(home);
      for (const [, text] of textsIn(cache.find(['a']))) expect(text).toBeUndefined();
      cache.find(['a']);
      cache.keep(new Map([['b', [partOf('two\n')]]]));
      cache.keep(new Map([['b', [partOf('two\n')]]]));
      expect(textsIn(cache.find(['b']))).toEqual([['b', 'two\n']]);
    }
  });

  it('lets two keep at once', async () => {
    const home = await newHome();
    const [one, other] = [opened(home), opened(home)];
    for (let at = 0; at < 20; at++) {
      one.keep(new Map([[`one ${at}`, [partOf(`one ${at}\n`)]]]));
      other.keep(new Map([[`other ${at}`, [partOf(`other ${at}\n`)]]]));
    }
    for (const cache of [one, other])
      for (const hash of ['one 0', 'other 19']) expect(textsIn(cache.find([hash]))).toEqual([[hash, `${hash}\n`]]);
  });
});
