import { describe, expect, it } from 'vitest';
import { Mirror, stampOf } from './mirror.ts';

function mirrorOf(...paths: string[]): Mirror {
  const mirror = new Mirror();
  for (const path of paths) mirror.keep(path, 'as it was');
  return mirror;
}

describe('a mirror', () => {
  it('knows files by their stamp, and all that lie below a folder', () => {
    const mirror = mirrorOf('a.md', 'sub/b.md', 'sub/deep/c.md', 'subway/d.md');
    mirror.keep('a.md', 'changed');
    expect(mirror.size).toBe(4);
    expect([mirror.isSame('a.md', 'changed'), mirror.isSame('a.md', 'as it was')]).toEqual([true, false]);
    expect(mirror.filesBelow('sub')).toEqual(['sub/b.md', 'sub/deep/c.md']);
    expect(mirror.filesBelow('')).toHaveLength(4);
    expect(mirror.filesBelow('nothing')).toEqual([]);
  });

  it('takes for a folder what it has been in, or knows files of, until they are forgotten', () => {
    const mirror = mirrorOf('sub/deep/c.md');
    mirror.enter('empty');
    mirror.enter('sub');
    mirror.enter('sub/deep');
    mirror.leave('sub');
    expect([mirror.hasEntered('sub'), mirror.hasEntered('sub/deep'), mirror.hasEntered('empty')]).toEqual([
      false,
      false,
      true,
    ]);
    expect([mirror.wasFolder('sub'), mirror.wasFolder('sub/deep'), mirror.wasFolder('empty')]).toEqual([
      true,
      true,
      true,
    ]);
    mirror.forget('sub/deep/c.md');
    mirror.forget('sub/deep/c.md');
    expect([mirror.wasFolder('sub'), mirror.wasFolder('sub/deep'), mirror.wasFolder('')]).toEqual([
      false,
      false,
      false,
    ]);
    mirror.keep('sub/a.md', 'again');
    expect(mirror.filesBelow('sub')).toEqual(['sub/a.md']);
  });

  it('takes a file for another one when its size, time or place on the disk differ', () => {
    const stats = { size: 1, mtimeMs: 2, ino: 3 };
    for (const other of [{ size: 9 }, { mtimeMs: 9 }, { ino: 9 }])
      expect(stampOf({ ...stats, ...other })).not.toBe(stampOf(stats));
  });
});
