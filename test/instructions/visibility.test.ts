/** Files are the truth: what people, git and other processes do to them is seen, and one bad file harms no other. */
import { mkdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { cairn, type Message, serveStdio } from '../support/cairn.ts';
import { freshHome } from '../support/home.ts';

const entry = (id: string, more: Record<string, unknown> = {}) => ({ id, body: `Body of ${id}.`, ...more });

async function catalog(...entries: Record<string, unknown>[]) {
  const home = await freshHome();
  const folder = join(home, 'instructions');
  await mkdir(folder, { recursive: true });
  for (const one of entries) await writeFile(join(folder, `${one.id}.json`), JSON.stringify(one));
  const file = (id: string) => join(folder, `${id}.json`);
  return { home, folder, file, serve: (...args: string[]) => serveStdio(['--home', home, ...args]) };
}

async function soon(check: () => Promise<boolean>): Promise<boolean> {
  for (let tries = 0; tries < 40; tries++) {
    if (await check()) return true;
    await delay(25);
  }
  return false;
}

const idsOf = ({ result }: Message): string[] => result.items.map(({ id }: { id: string }) => id);

describe('a hand-written catalog', () => {
  it('is served as it lies there, without a single file being written', async () => {
    const { file, serve } = await catalog(entry('alpha', { categories: ['B', 'a', 'scope:team:core'] }));
    const before = await readFile(file('alpha'), 'utf8');
    const { result } = await serve('--read-only').ask('instructions/get', { id: 'alpha' });
    expect(result.item).toMatchObject({
      title: 'alpha',
      categories: ['a', 'b'],
      teamIds: ['core'],
      priorityTier: 'P3',
      version: '1.0.0',
    });
    expect(await readFile(file('alpha'), 'utf8')).toBe(before);
  });

  it('shows an edit to get at once, and to list within moments', async () => {
    const { file, serve } = await catalog(entry('alpha'), entry('beta'));
    const server = serve();
    const first = await server.ask('instructions/list');
    await writeFile(file('alpha'), JSON.stringify(entry('alpha', { body: 'Edited by hand.', title: 'New title' })));
    expect((await server.ask('instructions/get', { id: 'alpha' })).result.item.body).toBe('Edited by hand.');
    await writeFile(file('beta'), JSON.stringify(entry('beta', { title: 'Second' })));
    expect(await soon(async () => (await server.ask('instructions/list')).result.items[1].title === 'Second')).toBe(
      true,
    );
    expect((await server.ask('instructions/list')).result.hash).not.toBe(first.result.hash);
  });

  it('notices files that appear, move and vanish', async () => {
    const { file, serve } = await catalog(entry('alpha'));
    const server = serve();
    await server.ask('instructions/list');
    await writeFile(file('new'), JSON.stringify(entry('new')));
    await rm(file('alpha'));
    expect(await soon(async () => idsOf(await server.ask('instructions/list')).join() === 'new')).toBe(true);
    await rename(file('new'), file('moved'));
    expect(await soon(async () => idsOf(await server.ask('instructions/list')).join() === '')).toBe(true);
    const { result } = await server.ask('integrity/verify');
    expect(result.unreadable).toEqual([
      { file: 'moved.json', problem: expect.stringContaining('its name says "moved"') },
    ]);
  });

  it('sees in one process what another wrote, in its next call', async () => {
    const { serve } = await catalog();
    const [writer, reader] = [serve('--mutation'), serve()];
    await reader.ask('instructions/list');
    for (let index = 0; index < 5; index++) {
      await writer.ask('instructions/add', { entry: entry(`e${index}`), lax: true });
      expect(idsOf(await reader.ask('instructions/list'))).toContain(`e${index}`);
    }
    await writer.ask('instructions/remove', { ids: ['e2'] });
    expect(idsOf(await reader.ask('instructions/list'))).toEqual(['e0', 'e1', 'e3', 'e4']);
  });

  it('names bad files in health, inspect, integrity and doctor while everything else works', async () => {
    const { folder, home, serve } = await catalog(entry('good'));
    await writeFile(join(folder, 'torn.json'), '{"id": "torn", "body": "unfin');
    await writeFile(join(folder, 'empty.json'), JSON.stringify({ id: 'empty' }));
    await writeFile(join(folder, 'odd.json'), JSON.stringify(entry('odd', { priority: 'high' })));
    await writeFile(join(folder, '_manifest.json'), 'not looked at');
    await writeFile(join(folder, 'notes.txt'), 'not looked at');
    const server = serve();
    expect(idsOf(await server.ask('instructions/list'))).toEqual(['good']);
    const files = ['empty.json', 'odd.json', 'torn.json'];
    const named = (list: { file: string }[]) => list.map(({ file }) => file).sort();
    const health = (await server.ask('instructions/health')).result;
    expect([health.status, named(health.unreadable)]).toEqual(['degraded', files]);
    expect(named((await server.ask('integrity/verify')).result.unreadable)).toEqual(files);
    expect(named((await server.ask('instructions/inspect')).result.data.validation.unreadable)).toEqual(files);
    const doctor = await cairn(['doctor', '--home', home]);
    expect(doctor.code).toBe(1);
    for (const file of files) expect(doctor.stdout).toContain(file);
  });

  it('is found again after index.db was deleted or damaged, with the same hash', async () => {
    const { home, serve } = await catalog(entry('alpha'), entry('beta'));
    const first = serve();
    const { hash } = (await first.ask('instructions/list')).result;
    first.endInput();
    await first.exited;
    for (const suffix of ['', '-wal', '-shm']) await rm(join(home, `index.db${suffix}`), { force: true });
    expect((await serve().ask('instructions/list')).result.hash).toBe(hash);
    for (const suffix of ['-wal', '-shm']) await rm(join(home, `index.db${suffix}`), { force: true });
    await writeFile(join(home, 'index.db'), 'no database at all, but long enough to be looked at as one');
    expect((await serve().ask('instructions/list')).result.hash).toBe(hash);
  });

  it('gives the same hashes whatever the times of its files, and in every process', async () => {
    const { file, home } = await catalog(entry('alpha', { createdAt: '2026-01-01T00:00:00.000Z' }), entry('dateless'));
    const hashes = async () => {
      const governance = JSON.parse(
        (await cairn(['call', 'instructions/governanceHash', '{}', '--home', home])).stdout,
      );
      const listed = JSON.parse((await cairn(['call', 'instructions/list', '{}', '--home', home])).stdout);
      return [governance.governanceHash, listed.hash];
    };
    const before = await hashes();
    await utimes(file('dateless'), new Date('2020-01-01'), new Date('2020-01-01'));
    expect(await hashes()).toEqual(before);
  });

  it('tells in the trace that an entry somebody missed had to be read first', async () => {
    const { home, folder } = await catalog(entry('alpha'));
    const traces = join(folder, '../traces');
    const server = serveStdio(['--home', home], { MCP_TRACE_DIR: traces, MCP_TRACE_SESSION: 's' });
    await server.ask('instructions/list');
    expect((await server.ask('instructions/list', { expectId: 'alpha' })).result.count).toBe(1);
    server.endInput();
    await server.exited;
    const { readdir } = await import('node:fs/promises');
    const [name = ''] = await readdir(traces);
    expect(await readFile(join(traces, name), 'utf8')).toMatch(
      /\[trace:list:[^\]]+\] .*"expectOnDisk":true,"expectInCatalog":true/,
    );
  });
});
