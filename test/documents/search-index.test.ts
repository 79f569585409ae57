/** The search index follows the store, whoever changes it and whatever becomes of its file. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Database } from '../../src/store/embedded/database.ts';
import type { Message } from '../support/cairn.ts';
import { openProject, type Project } from './project.ts';

const indexFiles = (project: Project) =>
  ['', '-wal', '-shm'].map((suffix) => join(project.folder, '.cairn', `index.db${suffix}`));

async function pathsFor(project: Project, query: string): Promise<string[]> {
  return (await project.ask('search', { query, fuzzy: false, paths_only: true })).paths;
}

async function restart(project: Project, between: () => Promise<unknown> = async () => {}): Promise<void> {
  project.server.endInput();
  await project.server.exited;
  await between();
  project.server = project.start();
}

const words = ['alder', 'birch', 'cedar', 'databse', 'database', 'elmTree'];

/** All that search and grep say, but for the time they took. */
async function everythingSaid(project: Project): Promise<unknown[]> {
  const said: unknown[] = [];
  for (const query of [...words, 'alder birch', 'databaze', 'alda', 'txt', 'elm']) {
    const { execution_time_ms: _, results, ...answer } = await project.ask('search', { query, limit: 100, context: 1 });
    // SQLite's ranking goes on counting what was deleted: scores may differ, and with them the order.
    const found = results.map(({ score, ...result }: Message) => result);
    said.push({ query, answer, found: found.sort((a: Message, b: Message) => a.id - b.id) });
  }
  for (const pattern of ['a', 'alder', 'birch|cedar', '^elm']) {
    // How many were looked at is the one thing that may differ: what was dropped may be looked at in vain.
    const { files_searched: _, ...answer } = await project.ask('grep', { pattern, line_numbers: true, limit: 1000 });
    said.push({ pattern, answer });
  }
  return said;
}

describe('the index of documents', () => {
  it('follows updates, deletions and moves', async () => {
    const project = await openProject();
    await project.ask('add', { name: 'a.txt', content: 'the old albatross' });
    await project.ask('add', { name: 'copy.txt', content: 'the old albatross' });
    expect((await pathsFor(project, 'albatross')).sort()).toEqual(['a.txt', 'copy.txt']);
    await project.ask('add', { name: 'a.txt', content: 'the new buzzard' });
    expect(await pathsFor(project, 'albatross')).toEqual(['copy.txt']);
    expect(await pathsFor(project, 'buzzard')).toEqual(['a.txt']);
    await project.ask('delete', { name: 'copy.txt' });
    expect(await pathsFor(project, 'albatross')).toEqual([]);
    expect((await project.ask('grep', { pattern: 'albatross' })).total).toBe(0);
    // A move as a caller makes it: gone from one path, there at another, before anybody searched.
    await project.ask('delete', { name: 'a.txt' });
    await project.ask('add', { name: 'moved.txt', content: 'the new buzzard' });
    expect(await pathsFor(project, 'buzzard')).toEqual(['moved.txt']);
    expect((await project.ask('grep', { pattern: 'buzzard' })).files_matched).toBe(1);
  });

  it('keeps a text that is moved past a step of the index', async () => {
    const project = await openProject();
    await project.ask('add', { name: 'a.txt', content: 'the wandering albatross' });
    expect(await pathsFor(project, 'albatross')).toEqual(['a.txt']);
    await project.ask('delete', { name: 'a.txt' });
    const long = { name: 'long.txt', content: 'some filling words\n'.repeat(150_000) };
    const moved = { name: 'moved.txt', content: 'the wandering albatross' };
    await project.ask('execute', { operations: [long, moved].map((params) => ({ op: 'add', params })) });
    expect(await pathsFor(project, 'albatross')).toEqual(['moved.txt']);
  });

  it('has what another process added a moment ago', async () => {
    const project = await openProject();
    await project.ask('add', { name: 'mine.txt', content: 'heron one' });
    expect(await pathsFor(project, 'heron')).toEqual(['mine.txt']);
    const other: Project = { ...project, server: project.start() };
    const asOther = async (op: string, params: object) => (await other.server.ask(op, params)).result;
    await asOther('add', { name: 'theirs.txt', content: 'heron two' });
    expect((await pathsFor(project, 'heron')).sort()).toEqual(['mine.txt', 'theirs.txt']);
    await asOther('delete', { name: 'mine.txt' });
    expect(await pathsFor(project, 'heron')).toEqual(['theirs.txt']);
    expect((await asOther('search', { query: 'heron' })).total).toBe(1);
    expect((await project.ask('grep', { pattern: 'heron' })).total).toBe(1);
  });

  it('says the same when it is built anew, whatever was done before', { timeout: 180_000 }, async () => {
    const project = await openProject();
    const name = fc.constantFrom('a.txt', 'b.txt', 'dir/c.txt', 'cedar.txt', 'd.md');
    const content = fc
      .array(fc.constantFrom(...words, 'alder\n', '# alder\n'), { maxLength: 8 })
      .map((parts) => parts.join(' '));
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ op: fc.constant('add'), params: fc.record({ name, content }) }) },
      fc.record({ op: fc.constant('delete'), params: fc.record({ name }) }),
      fc.record({ op: fc.constant('search'), params: fc.record({ query: fc.constantFrom(...words) }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        // A deletion of what is not there is refused: nothing happened.
        for (const { op, params } of steps) await project.server.ask(op, params);
        const live = await everythingSaid(project);
        await restart(project, () => Promise.all(indexFiles(project).map((file) => rm(file, { force: true }))));
        expect(await everythingSaid(project)).toEqual(live);
      }),
      { numRuns: process.env.CAIRN_TEST_FULL === undefined ? 3 : 40 },
    );
  });

  it('answers when index.db is garbage', async () => {
    const project = await openProject();
    for (let at = 0; at < 5; at++) await project.ask('add', { name: `${at}.txt`, content: `kestrel ${at}` });
    expect((await project.ask('search', { query: 'kestrel' })).total).toBe(5);
    await restart(project, async () => {
      const [file = '', ...beside] = indexFiles(project);
      for (const other of beside) await rm(other, { force: true });
      await writeFile(file, Buffer.alloc(20_000, 'garbage '));
    });
    expect((await project.ask('search', { query: 'kestrel' })).total).toBe(5);
    expect((await project.ask('grep', { pattern: 'kestrel' })).total).toBe(5);
  });

  it('goes on when index.db is deleted under a running process', async () => {
    const project = await openProject();
    await project.ask('add', { name: 'a.txt', content: 'kestrel' });
    expect(await pathsFor(project, 'kestrel')).toEqual(['a.txt']);
    for (const file of indexFiles(project)) await rm(file, { force: true });
    await project.ask('add', { name: 'b.txt', content: 'kestrel again' });
    await project.ask('add', { name: 'c.txt', content: 'kestrel in a long text\n'.repeat(10_000) });
    expect((await pathsFor(project, 'kestrel')).sort()).toEqual(['a.txt', 'b.txt', 'c.txt']);
  });

  it('says how much is not indexed yet', async () => {
    const project = await openProject();
    await project.ask('add', { name: 'a.txt', content: 'kestrel' });
    expect(await pathsFor(project, 'kestrel')).toEqual(['a.txt']);
    const [file = ''] = indexFiles(project);
    const writer = new Database(file);
    writer.exec('BEGIN IMMEDIATE');
    const added = project.ask('add', { name: 'b.txt', content: 'kestrel' });
    let early: Message = {};
    while (early.pending === undefined) early = await project.ask('search', { query: 'kestrel' });
    writer.exec('ROLLBACK');
    writer.close();
    expect(early).toMatchObject({ total: 1, pending: 1 });
    expect((await added).added).toBe(1);
    await expect
      .poll(async () => (await project.ask('search', { query: 'kestrel' })).pending ?? 0, { timeout: 30_000 })
      .toBe(0);
    expect((await pathsFor(project, 'kestrel')).sort()).toEqual(['a.txt', 'b.txt']);
  });
});
