/** The embedded engine: the contract of the port, then what only files and SQLite can go through. */
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, it } from 'vitest';
import { openEmbedded } from '../../src/store/embedded/engine.ts';
import { namesOn, putFile, readFile as readShelf, refusal, useBench } from './bench.ts';
import { storeContract } from './contract.ts';
import { feedbackRecord } from './samples.ts';

storeContract('embedded', (home) => openEmbedded({ home }));

describe('the embedded engine', () => {
  const bench = useBench((home) => openEmbedded({ home, lockWaitMs: 250 }));
  const inHome = (...path: string[]) => join(bench.folder, ...path);

  it('writes .gitignore with the first write and never again', async () => {
    const store = await bench.open();
    await store.write(async () => undefined);
    const ignored = (await readFile(inHome('.gitignore'), 'utf8')).split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['*.db', '*.db-shm', '*.db-wal', '*.tmp', 'logs/', 'history.git/']));
    await writeFile(inHome('.gitignore'), 'mine\n');
    await store.write(async () => undefined);
    await (await bench.open()).write(async () => undefined);
    expect(await readFile(inHome('.gitignore'), 'utf8')).toBe('mine\n');
  });

  it('keeps no webhook where there is no store', async () => {
    const store = await bench.open();
    const hook = { id: 'h', address: 'https://a.example/hook', cursor: 3, created: '2026-01-01T00:00:00.000Z' };
    await refusal(store.webhooks.register(hook), 'store_unavailable');
    expect(await store.read((view) => view.webhooks.list())).toEqual([]);
  });

  it('refuses a database of a newer Cairn, says so, and changes not a byte of the home', async () => {
    await mkdir(bench.folder);
    const newer = new DatabaseSync(inHome('state.db'));
    newer.exec('CREATE TABLE future (a); INSERT INTO future VALUES (1); PRAGMA user_version = 999');
    newer.close();
    const before = await readFile(inHome('state.db'));
    const store = await bench.open();
    const refused = await refusal(
      store.write(async () => undefined),
      'store_unavailable',
    );
    expect(refused.message).toMatch(/newer.*999/);
    const unread = await refusal(
      store.read((view) => view.keys.list()),
      'store_unavailable',
    );
    expect(unread.message).toContain('999');
    expect(unread.suggestion).toContain('Update Cairn');
    expect(await readFile(inHome('state.db'))).toEqual(before);
    expect(await readdir(bench.folder)).toEqual(['state.db']);
  });

  it.each(['text', 'folder'])('says that the store is unavailable when state.db is a %s', async (what) => {
    await mkdir(bench.folder);
    if (what === 'text') await writeFile(inHome('state.db'), 'not a database '.repeat(500));
    else await mkdir(inHome('state.db'));
    const store = await bench.open();
    await refusal(
      store.write(async () => undefined),
      'store_unavailable',
    );
    await refusal(
      store.read((view) => view.keys.list()),
      'store_unavailable',
    );
    await refusal(store.generation(), 'store_unavailable');
    expect((await store.inspect()).problems).toEqual([expect.stringContaining('state.db cannot be read')]);
  });

  it('gives up on a lock that is held too long, without holding up the event loop', async () => {
    const store = await bench.open();
    await store.write(async () => undefined);
    const holder = new DatabaseSync(inHome('state.db'));
    holder.exec('BEGIN IMMEDIATE');
    let [ticks, longest, last] = [0, 0, performance.now()];
    const timer = setInterval(() => {
      ticks++;
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 5);
    const start = performance.now();
    const refused = await refusal(
      store.write(async () => undefined),
      'store_unavailable',
    );
    clearInterval(timer);
    expect(refused.message).toContain('250 ms');
    expect(performance.now() - start).toBeGreaterThanOrEqual(245);
    expect(ticks).toBeGreaterThan(10);
    expect(longest).toBeLessThan(150);
    expect(await store.inspect()).toMatchObject({ locked: true, problems: [] });
    expect(await store.read((view) => view.feedback.count({}))).toBe(0);
    holder.exec('ROLLBACK');
    holder.close();
    expect(await store.inspect()).toMatchObject({ locked: false });
    await store.write((change) => change.feedback.put(feedbackRecord()));
    expect(await store.read((view) => view.feedback.count({}))).toBe(1);
  });

  it('neither lists, reads nor writes its own database as a file of the home', async () => {
    const store = await bench.open();
    await putFile(store, 'home', 'config.json', '{}');
    expect(await namesOn(store, 'home')).toEqual(['config.json']);
    for (const own of ['state.db', 'state.db-wal', 'state.db-shm', 'State.DB']) {
      await refusal(putFile(store, 'home', own, 'text'), 'validation_failed');
      await refusal(readShelf(store, 'home', own), 'validation_failed');
    }
  });

  it('keeps to the folder that a relative home meant when it was opened', () => {
    expect(isAbsolute(openEmbedded({ home: 'somewhere' }).location)).toBe(true);
  });

  it('lists plain files only: no link, no folder, nothing hidden', async () => {
    const store = await bench.open();
    await putFile(store, 'prompts', 'plain.md', 'plain');
    await writeFile(inHome('outside.md'), 'outside');
    await symlink(inHome('outside.md'), inHome('prompts', 'link.md'));
    await symlink(inHome('nowhere.md'), inHome('prompts', 'dangling.md'));
    await mkdir(inHome('prompts', 'folder.md'));
    await writeFile(inHome('prompts', '.hidden.md'), 'hidden');
    expect(await namesOn(store, 'prompts')).toEqual(['plain.md']);
  });
});
