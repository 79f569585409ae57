/** What real processes do to one home: die at any instant, crowd it, and stop half-way. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstBreak } from '../../src/store/audit-chain.ts';
import { openEmbedded, openMended } from '../../src/store/embedded/engine.ts';
import type { Store } from '../../src/store/store.ts';
import { putFile, readFile as readShelf, stagedIn, useBench } from './bench.ts';
import { feedbackRecord, pairText } from './samples.ts';
import { WriterProcess } from './writer-process.ts';

const KILLS = 200;
// Inside node_modules, so that the bundle finds the native SQLite that it leaves out.
const cache = resolve('node_modules/.cache');
const bundle = join(cache, `cairn-store-writer-${process.pid}.mjs`);

beforeAll(async () => {
  await mkdir(cache, { recursive: true });
  await build({
    entryPoints: [resolve('test/store/writer.ts')],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['@photostructure/sqlite'],
  });
});
afterAll(() => rm(bundle, { force: true }));

describe('a home that many processes write', () => {
  const bench = useBench((home) => openEmbedded({ home, lockWaitMs: 30_000 }));
  const start = (task: string, times = 1) => WriterProcess.start(bundle, task, bench.folder, times);

  it(`keeps every acknowledged write through ${KILLS} kills`, { timeout: 180_000 }, async ({ annotate }) => {
    let verified = { seq: 0, hash: '' };
    let [acknowledged, interrupted] = [0, 0];
    const everyAcknowledged: number[] = [];
    for (let round = 1; round <= KILLS; round++) {
      // Every other death has a witness: SQLite recovers differently while another process is connected.
      const witness = round % 2 === 0 ? await bench.open() : undefined;
      await witness?.generation();
      const writer = await start('pairs');
      writer.go();
      await writer.acknowledgement();
      await delay(5 + Math.random() * 55);
      await writer.kill();
      everyAcknowledged.push(...writer.acknowledged);
      acknowledged = writer.acknowledged.at(-1) ?? Number.NaN;

      const store = witness ?? (await bench.open());
      for (const file of ['left.txt', 'right.txt'] as const) await wholeText(store, file);
      if ((await store.inspect()).unfinished > 0) interrupted++;
      await store.write((change) => change.feedback.put(feedbackRecord({ id: 'parent' })));
      expect(await store.inspect()).toMatchObject({ unfinished: 0, problems: [] });
      const left = await wholeText(store, 'left.txt');
      expect(await wholeText(store, 'right.txt')).toBe(left);
      expect(left).toBeGreaterThanOrEqual(acknowledged);
      await expectRecords(store, writer.acknowledged);
      verified = await follow(store, verified);
      expect(verified.seq).toBe(left);
      await store.close();
    }
    const store = await bench.open();
    await expectRecords(store, everyAcknowledged);
    expect(await follow(store, { seq: 0, hash: '' })).toEqual(verified);

    const orphans = await stagedIn(bench.folder);
    await annotate(`${everyAcknowledged.length} acknowledged; ${interrupted} deaths between decision and files`);
    await annotate(`${orphans.length} staged files that died undecided`);
    expect(orphans.length).toBeLessThanOrEqual(2 * KILLS);
    const twoHoursAgo = new Date(Date.now() - 2 * 3_600_000);
    for (const orphan of orphans) await utimes(join(bench.folder, orphan), twoHoursAgo, twoHoursAgo);
    await (await bench.open()).write(async () => undefined);
    expect(await stagedIn(bench.folder)).toEqual([]);
  });

  it('keeps every acknowledged write through losses of power', { timeout: 120_000 }, async () => {
    for (let round = 1; round <= 20; round++) {
      const writer = await start('pairs');
      writer.go();
      await writer.acknowledgement();
      await delay(5 + Math.random() * 55);
      await writer.kill();
      await losePower(bench.folder);
      const store = await openMended({ home: bench.folder });
      const left = await wholeText(store, 'left.txt');
      expect(await wholeText(store, 'right.txt')).toBe(left);
      expect(left).toBeGreaterThanOrEqual(writer.acknowledged.at(-1) ?? Number.NaN);
      expect(await follow(store, { seq: 0, hash: '' })).toMatchObject({ seq: left });
      await store.close();
    }
  });

  it('takes a hundred writes from each of eight processes at once', { timeout: 120_000 }, async () => {
    const writers = await Promise.all(Array.from({ length: 8 }, () => start('count', 100)));
    for (const writer of writers) writer.go();
    expect(await Promise.all(writers.map((writer) => writer.end()))).toEqual(writers.map(() => 0));
    const counts = writers.flatMap((writer) => writer.acknowledged).sort((a, b) => a - b);
    expect(counts).toEqual(Array.from({ length: 800 }, (_, n) => n + 1));
    const store = await bench.open();
    expect(await readShelf(store, 'home', 'count.txt')).toBe('800');
    expect(await store.read((view) => view.feedback.count({}))).toBe(800);
    expect(await follow(store, { seq: 0, hash: '' })).toMatchObject({ seq: 800 });
    expect(await store.read((view) => view.audit.head())).toMatchObject({ count: 800 });
    expect(await store.inspect()).toMatchObject({ unfinished: 0, problems: [] });
    expect(await stagedIn(bench.folder)).toEqual([]);
  });

  it.each([1, 2, 3, 4])('lets five processes create one new home in the same instant (%i)', async () => {
    const writers = await Promise.all(Array.from({ length: 5 }, () => start('count')));
    expect(existsSync(bench.folder)).toBe(false);
    for (const writer of writers) writer.go();
    expect(await Promise.all(writers.map((writer) => writer.end()))).toEqual([0, 0, 0, 0, 0]);
    expect(writers.flatMap((writer) => writer.acknowledged).sort()).toEqual([1, 2, 3, 4, 5]);
    const store = await bench.open();
    expect(await store.read((view) => view.feedback.count({}))).toBe(5);
    expect(await follow(store, { seq: 0, hash: '' })).toMatchObject({ seq: 5 });
    expect(await readFile(join(bench.folder, '.gitignore'), 'utf8')).toContain('*.db');
  });

  it('lets a process that was stopped after its decision undo nothing that others wrote since', async () => {
    const store = openEmbedded({ home: bench.folder, lockWaitMs: 30_000 });
    await putFile(store, 'prompts', 'contested.txt', 'there before');
    const writer = await start('clear', 100);
    writer.go();
    await writer.acknowledgement();
    expect(intentsIn(bench.folder)).toBeGreaterThan(0);
    expect(await readShelf(store, 'prompts', 'contested.txt')).toBe('there before');
    await store.write(async ({ files }) => {
      await files.put('prompts', 'contested.txt', 'written since');
      await files.put('prompts', 'many-99.txt', 'written since');
    });
    writer.signal('SIGCONT');
    expect(await writer.end()).toBe(0);
    expect(await readShelf(store, 'prompts', 'contested.txt')).toBe('written since');
    expect(await readShelf(store, 'prompts', 'many-99.txt')).toBe('written since');
    expect(await readShelf(store, 'prompts', 'many-0.txt')).toBe('by the stopped process');
    expect(await store.inspect()).toMatchObject({ unfinished: 0 });
    expect(await stagedIn(bench.folder)).toEqual([]);
    await store.close();
  });
});

/** The count that a file of the pair holds; fails when it is not exactly what one write put there. */
async function wholeText(store: Store, file: 'left.txt' | 'right.txt'): Promise<number> {
  const text = (await readShelf(store, file === 'left.txt' ? 'instructions' : 'decisions', file)) ?? '';
  const count = Number.parseInt(text, 10);
  if (text !== pairText(count)) expect.fail(`${file} is torn: ${text.length} characters that begin with ${count}`);
  return count;
}

async function expectRecords(store: Store, counts: readonly number[]): Promise<void> {
  await store.read(async ({ feedback }) => {
    for (const count of counts) expect(await feedback.get(String(count))).toBeDefined();
  });
}

/** Verifies the chain onwards from a link that was verified before, up to the head that the store remembers. */
async function follow(store: Store, from: { seq: number; hash: string }): Promise<{ seq: number; hash: string }> {
  return store.read(async ({ audit }) => {
    const { seq, hash } = await audit.head();
    const entries = await audit.page(from.seq, 100_000);
    expect(firstBreak(entries, from.seq, from.hash)).toBeUndefined();
    expect({ seq, hash }).toEqual({ seq: entries.at(-1)?.seq ?? from.seq, hash: entries.at(-1)?.hash ?? from.hash });
    return { seq, hash };
  });
}

/** The machine starts again, and whatever was not synced has arrived in part, or not at all. */
async function losePower(home: string): Promise<void> {
  const database = new DatabaseSync(join(home, 'state.db'));
  database.exec("UPDATE unsynced_file SET boot = 'an earlier one'");
  const files = database.prepare('SELECT DISTINCT path FROM unsynced_file').all() as { path: string }[];
  database.close();
  for (const { path } of files) {
    const bytes = await readFile(join(home, path)).catch(() => Buffer.alloc(0));
    const arrived = Math.floor(Math.random() * bytes.length);
    const lost = Buffer.alloc(Math.random() < 0.5 ? 0 : bytes.length - arrived);
    await writeFile(join(home, path), Buffer.concat([bytes.subarray(0, arrived), lost]));
  }
}

/** How many file changes have been decided on and are not in place yet. */
function intentsIn(home: string): number {
  const database = new DatabaseSync(join(home, 'state.db'), { readOnly: true });
  const { found } = database.prepare('SELECT count(*) AS found FROM file_intent').get() as { found: number };
  database.close();
  return Number(found);
}
