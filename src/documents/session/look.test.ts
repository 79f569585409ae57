/** Looks at real folders without anybody telling what changed: what the rescan behind every watch relies on. */
import { mkdir, mkdtemp, realpath, rename, rm, symlink, unlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { selecting } from '../glob.ts';
import { Ears } from './ears.ts';
import { Look, type Rumour } from './look.ts';
import { Mirror } from './mirror.ts';
import { TreeRules } from './tree.ts';

let root: string;
let mirror: Mirror;
let ears: Ears;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'cairn-look-')));
  mirror = new Mirror();
  ears = new Ears(root, () => {});
  onTestFinished(async () => {
    ears.leave('');
    await rm(root, { recursive: true, force: true });
  });
});

const LONG_AGO = new Date(1_700_000_000_000);

async function put(path: string, content: string, time = LONG_AGO): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
  await utimes(join(root, path), time, time);
}

/** Looks, and remembers what it saw as a watch does. */
async function look(rumours: Record<string, Rumour> = { '': 'look' }, mayWait = true) {
  const rules = new TreeRules(root, join(root, 'home'));
  const tree = { root, mirror, ears, rules, wanted: selecting([], ['*.tmp']) };
  const { changed, gone, fresh } = await new Look(tree, () => mayWait).at(new Map(Object.entries(rumours)));
  for (const [path, stamp] of changed) mirror.keep(path, stamp);
  for (const path of gone) mirror.forget(path);
  return { changed: [...changed.keys()].sort(), gone: [...gone].sort(), fresh };
}

const nothing = { changed: [], gone: [], fresh: [] };

describe('a look at all of a tree', () => {
  it('finds what is new, changed and gone since the last, and then nothing', async () => {
    for (const path of ['a.md', 'sub/b.md', 'sub/deep/c.md', 'note.tmp', 'home/state.db', '.git/config'])
      await put(path, path);
    expect(await look()).toEqual({ ...nothing, changed: ['a.md', 'sub/b.md', 'sub/deep/c.md'] });
    expect(await look()).toEqual(nothing);
    await put('a.md', 'longer than before');
    await put('sub/new/d.md', 'd');
    await rm(join(root, 'sub/deep'), { recursive: true });
    expect(await look()).toEqual({ ...nothing, changed: ['a.md', 'sub/new/d.md'], gone: ['sub/deep/c.md'] });
    expect(await look()).toEqual(nothing);
  });

  it('follows no link, and takes a file whose place a link or folder took as gone', async () => {
    await put('a.md', 'a');
    await put('b.md', 'b');
    await look();
    await unlink(join(root, 'a.md'));
    await symlink(join(root, 'b.md'), join(root, 'a.md'));
    await unlink(join(root, 'b.md'));
    await put('b.md/inside.md', 'now a folder');
    expect(await look()).toEqual({ ...nothing, changed: ['b.md/inside.md'], gone: ['a.md', 'b.md'] });
  });

  it('forgets what is left out from now on, without calling it gone', async () => {
    await put('sub/a.log', 'a');
    await put('sub/b.md', 'b');
    await look();
    await put('.gitignore', '*.log\n');
    expect(await look({ '.gitignore': 'rename' })).toEqual({ ...nothing, changed: ['.gitignore'] });
    expect(mirror.hasFile('sub/a.log')).toBe(false);
    await unlink(join(root, 'sub/a.log'));
    expect(await look()).toEqual(nothing);
    await put('sub/a.log', 'a');
    await unlink(join(root, '.gitignore'));
    expect(await look({ '.gitignore': 'rename' })).toEqual({
      ...nothing,
      changed: ['sub/a.log'],
      gone: ['.gitignore'],
    });
  });
});

describe('a look at what is said to have changed', () => {
  it('is at nothing else', async () => {
    await put('a.md', 'a');
    await put('b.md', 'b');
    await look();
    await put('a.md', 'changed');
    await put('b.md', 'changed');
    await put('c.md', 'new');
    expect(await look({ 'b.md': 'change' })).toEqual({ ...nothing, changed: ['b.md'] });
    expect(await look({ 'c.md': 'rename', 'never.md': 'rename' })).toEqual({ ...nothing, changed: ['c.md'] });
  });

  it('takes a folder with all that is in it, moved here or away', async () => {
    await put('old/a.md', 'a');
    await put('old/deep/b.md', 'b');
    await look();
    await rename(join(root, 'old'), join(root, 'new'));
    expect(await look({ old: 'rename', new: 'rename' })).toEqual({
      ...nothing,
      changed: ['new/a.md', 'new/deep/b.md'],
      gone: ['old/a.md', 'old/deep/b.md'],
    });
  });

  it('enters no folder that is left out', async () => {
    await put('.gitignore', 'build/\n');
    await look();
    await put('build/deep/out.js', 'x');
    expect(await look({ build: 'rename', 'build/deep/out.js': 'rename' })).toEqual(nothing);
  });

  it('leaves a file that was written this very moment for the next look, once', async () => {
    let first = await look({});
    // On a slow machine the moment may be over before the look.
    for (let attempt = 0; attempt < 200 && first.fresh.length === 0; attempt++) {
      await put('a.md', `attempt ${attempt}`, new Date());
      first = await look({ 'a.md': 'change' });
    }
    expect(first).toEqual({ ...nothing, fresh: ['a.md'] });
    await put('b.md', 'b', new Date());
    expect((await look({ 'b.md': 'change' }, false)).changed).toEqual(['b.md']);
  });
});

describe('files that were taken one by one', () => {
  it('are gone with a folder that nobody looked into, also when another took its place', async () => {
    await put('sub/a.md', 'a');
    await put('other/b.md', 'b');
    await look({ 'sub/a.md': 'change', 'other/b.md': 'change' });
    await rm(join(root, 'sub'), { recursive: true });
    await rm(join(root, 'other'), { recursive: true });
    await put('other/c.md', 'c');
    const rumours = { sub: 'rename', other: 'rename', 'other/b.md': 'rename', 'sub/a.md': 'rename' } as const;
    expect(await look(rumours)).toEqual({ ...nothing, changed: ['other/c.md'], gone: ['other/b.md', 'sub/a.md'] });
  });
});
