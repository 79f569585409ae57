/** Backups: by hand, before every bulk removal, and back to the letter. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serveStdio } from '../support/cairn.ts';
import { freshHome } from '../support/home.ts';

async function catalogOf(count: number) {
  const home = await freshHome();
  const server = serveStdio(['--home', home, '--mutation', '--role', 'admin']);
  for (let index = 0; index < count; index++) {
    await server.ask('instructions/add', { entry: { id: `e${index}`, body: `Body ${index}.` }, lax: true });
  }
  const folder = join(home, 'instructions');
  const contents = async () =>
    Object.fromEntries(
      await Promise.all(
        (await readdir(folder)).map(async (name) => [name, await readFile(join(folder, name), 'utf8')]),
      ),
    );
  return { home, folder, server, contents };
}

describe('a backup', () => {
  it('is made before a bulk removal and brings every byte back', async () => {
    const { server, contents } = await catalogOf(12);
    const before = await contents();
    const ids = Object.keys(before).map((name) => name.replace('.json', ''));
    const { backup } = (await server.ask('instructions/remove', { ids, confirm: true })).result;
    expect(await contents()).toEqual({});
    expect((await server.ask('backup_restore', { backup })).result).toMatchObject({
      restored: 12,
      unchanged: 0,
      removed: 0,
      unreadable: [],
    });
    expect(await contents()).toEqual(before);
    expect((await server.ask('instructions/list')).result.count).toBe(12);
  });

  it('is not made for a few', async () => {
    const { server } = await catalogOf(2);
    expect((await server.ask('instructions/remove', { ids: ['e0'] })).result.backup).toBeUndefined();
    expect((await server.ask('backup_list')).result.backups).toEqual([]);
  });

  it('replaces the catalog only when confirmed, and guards what was there', async () => {
    const { server, contents } = await catalogOf(2);
    const before = await contents();
    const { backup } = (await server.ask('backup_create', { reason: 'test' })).result;
    await server.ask('instructions/add', { entry: { id: 'later', body: 'Later.' }, lax: true });
    await server.ask('instructions/add', { entry: { id: 'e0', body: 'Changed.' }, overwrite: true });
    const changed = await contents();
    expect((await server.ask('backup_restore', { backup, replace: true })).error.code).toBe(-32002);
    const { result } = await server.ask('backup_restore', { backup, replace: true, confirm: true });
    expect(result).toMatchObject({ restored: 1, unchanged: 1, removed: 1 });
    expect(await contents()).toEqual(before);
    await server.ask('backup_restore', { backup: result.guard, replace: true, confirm: true });
    expect(await contents()).toEqual(changed);
  });

  it('that is damaged or missing is named, and changes nothing', async () => {
    const { server, home, contents } = await catalogOf(1);
    const { backup } = (await server.ask('backup_create')).result;
    const before = await contents();
    await writeFile(join(home, 'backups', backup), '{"format":"cairn-instructions-1","files":');
    expect((await server.ask('backup_restore', { backup })).error.code).toBe(-32003);
    expect((await server.ask('backup_restore', { backup: 'nobody.json' })).error.data.backups).toEqual([backup]);
    expect((await server.ask('backup_restore', { backup: '../state.db' })).error.code).toBe(-32002);
    expect(await contents()).toEqual(before);
  });
});
