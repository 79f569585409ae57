/** Watches: the store follows a folder, whatever editors, builds and people do to it. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Message, StdioServer } from '../support/cairn.ts';
import { freshFolder } from '../support/home.ts';
import { ask, type Desk, openDesk, pathsOf, session, until } from './desk.ts';

let desk: Desk;
let server: StdioServer;

beforeEach(async () => {
  desk = await openDesk();
  server = desk.start();
});

const at = (path: string) => join(desk.project, path);

async function watching(params: object = { path: 'tree' }): Promise<Message> {
  await mkdir(at('tree'), { recursive: true });
  await session(server, 'start');
  const { watches } = await session(server, 'watch', params);
  expect(['starting', 'watching']).toContain(watches[0].state);
  // An answer does not wait for ever; on a busy machine the rest comes after it.
  return until(watch, ({ state, pending }) => state === 'watching' && pending === 0);
}

async function watch(of: StdioServer = server): Promise<Message> {
  return (await session(of, 'list')).sessions[0].watches[0];
}

const paths = () => pathsOf(server);
const equals = (wanted: readonly string[]) => (seen: readonly string[]) => `${seen}` === `${wanted}`;

async function contentOf(name: string): Promise<string | undefined> {
  const { result } = await server.ask('get', { name, include_content: true });
  return result?.content;
}

describe('a watched folder', () => {
  it('is stored as it is at the start, and then as it changes, within a second', async () => {
    await desk.put('tree/old.md', 'old');
    await watching();
    expect(await paths()).toEqual(['tree/old.md']);
    const began = Date.now();
    await desk.put('tree/new.md', 'new');
    await until(paths, equals(['tree/new.md', 'tree/old.md']));
    expect(Date.now() - began).toBeLessThan(3000);
    await desk.put('tree/old.md', 'changed');
    await until(
      () => contentOf('tree/old.md'),
      (content) => content === 'changed',
    );
    await unlink(at('tree/new.md'));
    await until(paths, equals(['tree/old.md']));
  });

  it('is not read again where nothing changed', async () => {
    await desk.put('tree/same.md', 'same');
    await ask(server, 'add', { path: 'tree' });
    const before = (await ask(server, 'list')).documents;
    expect(await watching()).toMatchObject({ files: 1, taken: 1 });
    expect((await ask(server, 'list')).documents).toEqual(before);
  });

  it('survives a burst of 2,000 writes', async () => {
    await watching();
    const names = Array.from({ length: 2000 }, (_, index) => `tree/${index % 20}/${index}.md`);
    for (let folder = 0; folder < 20; folder++) await mkdir(at(`tree/${folder}`));
    for (const name of names) await writeFile(at(name), `${name}\n`);
    await until(
      () => ask(server, 'list', { limit: 1 }),
      ({ total }) => total === 2000,
      60_000,
    );
    const again = names.slice(1800);
    for (const name of again) await writeFile(at(name), `${name} again\n`);
    await until(
      () => contentOf(again.at(-1) ?? ''),
      (content) => content === `${again.at(-1)} again\n`,
    );
    for (const name of again) expect(await contentOf(name)).toBe(`${name} again\n`);
    await Promise.all(names.slice(0, 1500).map((name) => unlink(at(name))));
    await until(
      () => ask(server, 'list', { limit: 1 }),
      ({ total }) => total === 500,
      60_000,
    );
    expect(await until(watch, ({ files }) => files === 500)).toMatchObject({
      state: 'watching',
      failed: 0,
      errors: [],
    });
  });

  it('sees files in folders that are made, filled and moved at once', async () => {
    await watching();
    await Promise.all(
      Array.from({ length: 30 }, async (_, index) => {
        await mkdir(at(`tree/a${index}/b/c/d`), { recursive: true });
        await writeFile(at(`tree/a${index}/b/c/d/deep.md`), `${index}`);
        await writeFile(at(`tree/a${index}/b/near.md`), `${index}`);
      }),
    );
    await until(paths, (seen) => seen.length === 60);
    await rename(at('tree/a0'), at('tree/moved'));
    await until(paths, (seen) => seen.includes('tree/moved/b/near.md') && !seen.includes('tree/a0/b/near.md'));
    // The folder is listened to under its new name, and one that takes the old name as well.
    await desk.put('tree/moved/b/c/more.md', 'more');
    await desk.put('tree/a0/b/again.md', 'again');
    await until(paths, (seen) => seen.includes('tree/moved/b/c/more.md') && seen.includes('tree/a0/b/again.md'));
    await rm(at('tree/a1'), { recursive: true });
    await desk.put('tree/a1/b/other.md', 'other');
    await until(paths, (seen) => seen.includes('tree/a1/b/other.md') && !seen.includes('tree/a1/b/near.md'));
    await desk.put('tree/a1/b/later.md', 'later');
    await until(paths, (seen) => seen.includes('tree/a1/b/later.md'));
  });

  it('takes what an editor saves by renaming, once, and nothing of its temporary file', async () => {
    await desk.put('tree/page.md', 'first');
    await watching();
    const { sessions } = await session(server, 'list');
    const taken = sessions[0].watches[0].taken;
    for (let save = 0; save < 5; save++) {
      await writeFile(at('tree/.page.md.swp~'), `save ${save}`);
      await rename(at('tree/.page.md.swp~'), at('tree/page.md'));
    }
    await until(
      () => contentOf('tree/page.md'),
      (content) => content === 'save 4',
    );
    expect(await paths()).toEqual(['tree/page.md']);
    expect((await until(watch, ({ pending }) => pending === 0)).taken).toBe(taken + 1);
    expect((await ask(server, 'status', { detailed: true })).documents).toBe(1);
  });

  it('leaves out what .gitignore and patterns say, also when they change', async () => {
    await desk.put('tree/.gitignore', '*.log\nbuild/\n');
    await desk.put('tree/build/out.js', 'x');
    await watching({ paths: ['tree'], exclude_patterns: ['*.tmp'] });
    await desk.put('tree/debug.log', 'x');
    await desk.put('tree/build/more.js', 'x');
    await desk.put('tree/note.tmp', 'x');
    await desk.put('tree/.git/config', 'x');
    await desk.put('tree/kept.md', 'x');
    await until(paths, equals(['tree/.gitignore', 'tree/kept.md']));
    await desk.put('tree/.gitignore', 'build/\nkept.md\n');
    await until(paths, equals(['tree/.gitignore', 'tree/debug.log', 'tree/kept.md']));
    // What is left out from now on is still there; its document stays, but is no longer looked after.
    await desk.put('tree/kept.md', 'changed');
    await desk.put('tree/last.md', 'x');
    await until(paths, (seen) => seen.includes('tree/last.md'));
    expect(await contentOf('tree/kept.md')).toBe('x');
  });

  it('keeps its documents when it vanishes, and is watched again when it is back', async () => {
    await desk.put('tree/sub/one.md', 'one');
    await desk.put('tree/two.md', 'two');
    await watching();
    await rename(at('tree'), at('away'));
    await until(watch, ({ state }) => state === 'gone');
    expect((await watch()).reason).toContain('goes on when it is back');
    expect(await paths()).toEqual(['tree/sub/one.md', 'tree/two.md']);
    await desk.put('tree/sub/three.md', 'three');
    await until(paths, equals(['tree/sub/three.md']));
    await desk.put('tree/sub/four.md', 'four');
    await until(paths, equals(['tree/sub/four.md', 'tree/sub/three.md']));
    await until(watch, ({ state, files }) => state === 'watching' && files === 2);
  });

  it('is watched again when it is removed and made anew at once', async () => {
    await desk.put('tree/one.md', 'one');
    await watching();
    for (let round = 0; round < 5; round++) {
      await rm(at('tree'), { recursive: true });
      await desk.put(`tree/round-${round}.md`, `${round}`);
      await until(paths, equals([`tree/round-${round}.md`]));
    }
  });

  it('never leads out of the allowed folders', async () => {
    const outside = await freshFolder();
    await writeFile(join(outside, 'secret.md'), 'not yours');
    await desk.put('tree/own.md', 'own');
    await watching();
    await symlink(outside, at('tree/way-out'));
    await symlink(join(outside, 'secret.md'), at('tree/link.md'));
    await desk.put('tree/next.md', 'next');
    await until(paths, equals(['tree/next.md', 'tree/own.md']));
    await rm(at('tree'), { recursive: true });
    await symlink(outside, at('tree'));
    await until(watch, ({ state }) => state !== 'watching');
    await writeFile(join(outside, 'more.md'), 'not yours either');
    await delay(1500);
    expect(await paths()).toEqual(['tree/next.md', 'tree/own.md']);
    await expect(session(server, 'watch', { path: outside })).rejects.toThrow('outside the allowed folders');
    await expect(session(server, 'watch', { path: '.cairn' })).rejects.toThrow('outside the allowed folders');
  });

  it('outside of the project keeps one place for each file', async () => {
    const outside = await freshFolder();
    await mkdir(join(outside, 'a/b'), { recursive: true });
    await writeFile(join(outside, 'a/b/same.md'), '1');
    server = desk.startWith({ CAIRN_ROOTS: outside });
    await session(server, 'start');
    await session(server, 'watch', { path: join(outside, 'a') });
    expect(await paths()).toEqual(['a/b/same.md']);
    await mkdir(join(outside, 'a/c'));
    await writeFile(join(outside, 'a/c/same.md'), '2');
    await until(paths, equals(['a/b/same.md', 'a/c/same.md']));
    await unlink(join(outside, 'a/b/same.md'));
    await until(paths, equals(['a/c/same.md']));
  });

  it('names the files that it cannot take, and takes the others', async () => {
    server = desk.startWith({ CAIRN_MAX_DOCUMENT: '65536' });
    await watching();
    await desk.put('tree/large.md', 'x'.repeat(70_000));
    await desk.put('tree/small.md', 'x');
    await until(paths, equals(['tree/small.md']));
    const { errors } = await until(watch, ({ failed }) => failed === 1);
    expect(errors).toEqual([{ path: 'large.md', error: expect.stringContaining('70000 bytes') }]);
    // It is not tried again and again, but when it changed.
    await desk.put('tree/large.md', 'not so large');
    await until(paths, equals(['tree/large.md', 'tree/small.md']));
    await until(watch, ({ failed }) => failed === 0);
  });

  it('loses no document that somebody else put in the place of a file', async () => {
    await desk.put('tree/page.md', 'from the file');
    await watching();
    await ask(server, 'add', { name: 'tree/page.md', content: 'from somebody' });
    await unlink(at('tree/page.md'));
    await until(watch, ({ files }) => files === 0);
    expect(await contentOf('tree/page.md')).toBe('from somebody');
  });

  it('loses no other document when a file with the characters of a pattern, or a short name, goes', async () => {
    for (const name of ['page[1].md', 'page1.md', 'sub/x.md', 'x.md']) await desk.put(`tree/${name}`, name);
    await watching();
    await unlink(at('tree/page[1].md'));
    await unlink(at('tree/x.md'));
    await until(paths, equals(['tree/page1.md', 'tree/sub/x.md']));
  });
});

describe('a folder in which everything happens at once', () => {
  it.each([9, 77])('is followed to the last file, however it came about (seed %i)', async (seed) => {
    await watching();
    const random = randomFrom(seed);
    for (let round = 0; round < 8; round++) {
      for (let count = 1 + random(50); count > 0; count--) {
        await upset(random, at('tree'), `${round} ${count}`);
        if (random(4) === 0) await delay(random(100));
      }
      const onDisk = await contentsIn(at('tree'));
      const stored = async () => {
        const { documents } = await ask(server, 'list', { limit: 1000 });
        return documents.map(({ path, hash }: Message) => `${path} ${hash}`);
      };
      await until(stored, equals(onDisk));
    }
  });
});

/** Numbers below a bound, the same for the same seed. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % below;
  };
}

async function everythingIn(folder: string): Promise<{ files: string[]; folders: string[] }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = (wanted: boolean) =>
    entries.filter((each) => each.isFile() === wanted).map((each) => join(each.parentPath, each.name));
  return { files: paths(true), folders: [folder, ...paths(false)] };
}

async function contentsIn(folder: string): Promise<string[]> {
  const { files } = await everythingIn(folder);
  const lines = files.map(async (file) => {
    const hash = createHash('sha256').update(await readFile(file));
    return `${relative(desk.project, file)} ${hash.digest('hex')}`;
  });
  return (await Promise.all(lines)).sort((a, b) => (a < b ? -1 : 1));
}

/** One thing that people and programs do to a tree. What cannot be done, as moving a folder into itself, is not. */
async function upset(random: (below: number) => number, root: string, text: string): Promise<void> {
  const { files, folders } = await everythingIn(root);
  const [file, folder, lower] = [files[random(files.length || 1)], folders[random(folders.length)] ?? root, folders[1]];
  const name = join(folder, `f${random(12)}.md`);
  const deeds = [
    () => writeFile(name, `new ${text}`),
    () => writeFile(file ?? name, `edited ${text}`),
    () =>
      mkdir(join(folder, `d${random(6)}`, 'e'), { recursive: true }).then((made) =>
        writeFile(`${made ?? folder}/in`, text),
      ),
    () => rm(file ?? name, { force: true }),
    () => rm(lower ?? name, { recursive: true, force: true }),
    () => rename(lower ?? name, join(folder, `d${random(6)}`)),
    () => writeFile(join(root, '.saved'), `saved ${text}`).then(() => rename(join(root, '.saved'), file ?? name)),
    () => rename(file ?? name, name),
  ];
  await deeds[random(deeds.length)]?.().catch(async (error: NodeJS.ErrnoException) => {
    if (error.syscall === undefined) throw error;
    await rm(join(root, '.saved'), { force: true });
  });
}

describe('a watched file', () => {
  it('is followed through edits, renames over it and removal, and nothing beside it', async () => {
    await desk.put('tree/one.md', 'one');
    await desk.put('tree/beside.md', 'beside');
    await watching({ paths: ['tree/one.md'] });
    expect(await paths()).toEqual(['tree/one.md']);
    await writeFile(at('tree/temporary'), 'two');
    await rename(at('tree/temporary'), at('tree/one.md'));
    await until(
      () => contentOf('tree/one.md'),
      (content) => content === 'two',
    );
    await desk.put('tree/more.md', 'more');
    await unlink(at('tree/one.md'));
    await until(paths, equals([]));
    await desk.put('tree/one.md', 'three');
    await until(paths, equals(['tree/one.md']));
  });
});

describe('a watch ends', () => {
  async function ended(change: () => Promise<void>): Promise<void> {
    const before = await paths();
    await change();
    await delay(1200);
    expect(await paths()).toEqual(before);
  }

  it('with its session', async () => {
    await watching();
    expect(await session(server, 'stop')).toMatchObject({ watches: 1 });
    await ended(() => desk.put('tree/late.md', 'late'));
  });

  it('when another process stops the session', async () => {
    await mkdir(at('tree'));
    const { session_id } = await session(server, 'start');
    await session(server, 'watch', { path: 'tree' });
    const other = desk.start();
    expect(await session(other, 'stop', { session_id })).toMatchObject({ watches: 0 });
    await ended(() => desk.put('tree/late.md', 'late'));
    expect(await watch()).toMatchObject({ state: 'ended', reason: 'the session was stopped' });
  });

  it('with the process, which goes within a second of the end of its input', async () => {
    for (let index = 0; index < 300; index++) await desk.put(`tree/${index}.md`, `${index}`);
    await watching();
    for (let index = 0; index < 300; index++) await desk.put(`tree/${index}.md`, `again ${index}`);
    await delay(200);
    const began = Date.now();
    server.endInput();
    expect(await server.exited).toBe(0);
    expect(Date.now() - began).toBeLessThan(2000);
    expect(server.stderr()).toBe('');
  });

  it('with a process that is killed, and nothing is stuck after it', async () => {
    await watching();
    for (let index = 0; index < 200; index++) await desk.put(`tree/${index}.md`, `${index}`);
    await delay(180);
    server.kill('SIGKILL');
    await server.exited;
    server = desk.start();
    const { sessions } = await session(server, 'list');
    expect(sessions).toEqual([expect.objectContaining({ watches: [] })]);
    const { session_id } = sessions[0];
    await session(server, 'watch', { session_id, path: 'tree' });
    expect((await paths()).length).toBe(200);
    expect(await session(server, 'stop', { session_id })).toMatchObject({ watches: 1, documents: 200 });
  });
});

describe('watches are bounded', () => {
  it('in number, all or none of a call, and one takes the place of another of the same folder', async () => {
    const all = Array.from({ length: 33 }, (_, index) => `f${index}`);
    for (const folder of all) await mkdir(at(folder));
    await session(server, 'start');
    await session(server, 'watch', { paths: all.slice(0, 31) });
    await expect(session(server, 'watch', { paths: all.slice(31) })).rejects.toThrow('can watch 32 paths');
    await session(server, 'watch', { path: 'f0', include_patterns: ['*.md'] });
    await session(server, 'watch', { path: 'f31' });
    const { watches } = (await session(server, 'list')).sessions[0];
    expect(watches.filter(({ state }: Message) => state === 'watching')).toHaveLength(32);
  });

  it('to roles that may write, and to servers that may', async () => {
    await mkdir(at('tree'));
    const viewer = desk.start('--role', 'viewer');
    await session(viewer, 'start');
    await expect(session(viewer, 'watch', { path: 'tree' })).rejects.toMatchObject({
      code: -32004,
      message: "Capability 'write' is required",
    });
    const { session_id } = await session(server, 'start');
    const readOnly = desk.start('--read-only');
    await expect(session(readOnly, 'watch', { session_id, path: 'tree' })).rejects.toMatchObject({ code: -32000 });
    await expect(ask(readOnly, 'session_watch', { session_id, path: 'tree' })).rejects.toMatchObject({ code: -32000 });
  });
});
