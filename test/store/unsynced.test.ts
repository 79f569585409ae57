/** What a death or a loss of power leaves of files that the disk did not have yet, built by hand, and what comes of it. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, truncate, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { bootMark } from '../../src/store/embedded/boot.ts';
import { type EmbeddedOptions, openEmbedded, openMended } from '../../src/store/embedded/engine.ts';
import { sha256 } from '../../src/store/hash.ts';
import type { Store } from '../../src/store/store.ts';
import { putFile, readFile as readShelf, stagedIn, useBench } from './bench.ts';

const BEFORE = 'what was there before';
const AFTER = 'what was written: äöü, and more of it';
const STAGED = 'decisions/.d.md.0123456789ab.tmp';

describe('a file that the disk did not have yet', () => {
  const problems: string[] = [];
  const options = (home: string): EmbeddedOptions => ({ home, onProblem: (message) => problems.push(message) });
  const bench = useBench((home) => openEmbedded(options(home)));
  const inHome = (...path: string[]) => join(bench.folder, ...path);
  const target = () => inHome('decisions', 'd.md');
  const names = async () => (await readdir(inHome('decisions'))).sort();
  let store: Store;

  beforeEach(async () => {
    problems.length = 0;
    store = await bench.open();
    await store.write(async () => {});
    await mkdir(inHome('decisions'));
  });

  function inDatabase<T>(work: (database: InstanceType<typeof DatabaseSync>) => T): T {
    const database = new DatabaseSync(inHome('state.db'));
    try {
      return work(database);
    } finally {
      database.close();
    }
  }
  const rows = () => inDatabase((database) => database.prepare('SELECT path, boot FROM unsynced_file').all());
  const powerWasLost = () =>
    inDatabase((database) => database.exec("UPDATE unsynced_file SET boot = 'an earlier one'"));

  /** As a process leaves it that dies right after its answer: what it wrote is in place, and its row is there. */
  async function writeAndDie(text: string, before?: string, staged = STAGED): Promise<void> {
    await writeFile(target(), text);
    inDatabase((database) =>
      database
        .prepare('INSERT INTO unsynced_file (path, staged, before, after, boot, bytes) VALUES (?, ?, ?, ?, ?, ?)')
        .run(
          'decisions/d.md',
          staged,
          before === undefined ? null : sha256(before),
          sha256(text),
          bootMark(),
          Buffer.from(text),
        ),
    );
  }
  async function openAgain(): Promise<Store> {
    const opened = await openMended(options(bench.folder));
    onTestFinished(() => opened.close());
    return opened;
  }
  const text = (from: Store) => readShelf(from, 'decisions', 'd.md');

  describe('after the process died', () => {
    it('is put in place by the next write when it was decided and not renamed', async () => {
      await writeAndDie(AFTER, BEFORE);
      await rename(target(), inHome(STAGED));
      await writeFile(target(), BEFORE);
      expect(await store.inspect()).toMatchObject({ unfinished: 1, problems: [] });
      await store.write(async () => {});
      expect(await text(store)).toBe(AFTER);
      expect(await names()).toEqual(['d.md']);
      expect(await store.inspect()).toMatchObject({ unfinished: 0 });
      expect(problems).toEqual([]);
    });

    it.each([
      ['edited it', 'by hand'],
      ['emptied it', ''],
      ['took it back', BEFORE],
      ['removed it', undefined],
    ])('stays as a person left it who %s', async (_what, edit) => {
      await writeAndDie(AFTER, BEFORE);
      if (edit === undefined) await unlink(target());
      else await writeFile(target(), edit);
      const opened = await openAgain();
      await opened.write(async () => {});
      expect(await text(opened)).toBe(edit);
      expect(await names()).toEqual(edit === undefined ? [] : ['d.md']);
      expect(problems).toEqual([]);
    });

    it('is synced by whoever finds it', async () => {
      await writeAndDie(AFTER);
      expect(rows()).toHaveLength(1);
      await store.write(async () => {});
      await store.close();
      expect(rows()).toEqual([]);
      expect(await readFile(target(), 'utf8')).toBe(AFTER);
    });
  });

  describe('after a loss of power', () => {
    const length = Buffer.byteLength(AFTER);
    const losses: [string, () => Promise<void>][] = [
      ['gone', () => unlink(target())],
      ['empty', () => truncate(target(), 0)],
      ['cut off', () => truncate(target(), 20)],
      ['cut off inside of a character', () => truncate(target(), AFTER.indexOf('ä') + 1)],
      ['nothing but zeros', () => writeFile(target(), Buffer.alloc(length))],
      [
        'zeros at its end',
        () => writeFile(target(), Buffer.concat([Buffer.from(AFTER).subarray(0, 10), Buffer.alloc(9)])),
      ],
      [
        'there under its other name only',
        () => writeFile(inHome(STAGED), AFTER.slice(0, 7)).then(() => unlink(target())),
      ],
    ];
    it.each(losses)('is there before anybody reads, if it was %s', async (_how, lose) => {
      await writeAndDie(AFTER);
      await lose();
      powerWasLost();
      const opened = await openAgain();
      expect(await opened.files.read('decisions', 'd.md')).toBe(AFTER);
      expect(problems).toEqual([]);
      await opened.close();
      expect(rows()).toEqual([]);
    });

    it('is there again if the disk had an older text, however many were written since', async () => {
      for (const old of [BEFORE, 'between', 'bet', '']) {
        await writeAndDie('between', BEFORE, 'decisions/.d.md.aaaaaaaaaaaa.tmp');
        await writeAndDie(AFTER, 'between');
        await writeFile(target(), old);
        powerWasLost();
        const opened = await openAgain();
        expect(await text(opened)).toBe(AFTER);
        await opened.close();
        expect(rows()).toEqual([]);
      }
      expect(problems).toEqual([]);
    });

    it('stays as a person edited it', async () => {
      await writeAndDie(AFTER);
      await writeFile(target(), `${AFTER} And a line by hand.`);
      powerWasLost();
      expect(await text(await openAgain())).toBe(`${AFTER} And a line by hand.`);
      expect(await names()).toEqual(['d.md']);
    });

    it('is kept aside if a person may have removed it', async () => {
      await writeAndDie(AFTER, BEFORE);
      await unlink(target());
      powerWasLost();
      await openAgain();
      const [aside = '', ...more] = await names();
      expect(more).toEqual([]);
      expect(aside).toMatch(/^d\.md\.interrupted-/);
      expect(await readFile(inHome('decisions', aside), 'utf8')).toBe(AFTER);
      expect(problems).toEqual([expect.stringContaining(aside)]);
    });

    it('does not come back if it was removed since', async () => {
      await writeAndDie(AFTER);
      await store.write(({ files }) => files.remove('decisions', 'd.md'));
      expect(rows()).toEqual([]);
      powerWasLost();
      expect(await text(await openAgain())).toBeUndefined();
      expect(await names()).toEqual([]);
    });

    it('writes nothing that a database from elsewhere names outside of its shelves', async () => {
      await writeAndDie(AFTER);
      const outside = join(bench.folder, '..', 'mine.txt');
      inDatabase((database) => {
        const insert = database.prepare(
          "INSERT INTO unsynced_file (path, staged, after, boot, bytes) VALUES (?, ?, 'x', 'an earlier one', x'41')",
        );
        insert.run('../mine.txt', '../.mine.txt.0123456789ab.tmp');
        insert.run('history.git/config', 'history.git/.config.0123456789ab.tmp');
        insert.run('state.db', '.state.db.0123456789ab.tmp');
      });
      await openAgain();
      expect(existsSync(outside)).toBe(false);
      expect(existsSync(inHome('history.git', 'config'))).toBe(false);
      expect(rows()).toHaveLength(1);
    });
  });

  it.each([true, false])('is synced behind the answer, and before the store closes (history: %s)', async (history) => {
    store = openEmbedded({ ...options(bench.folder), history });
    await putFile(store, 'decisions', 'd.md', AFTER);
    expect(rows()).toEqual([{ path: join('decisions', 'd.md'), boot: bootMark() }]);
    await expect.poll(rows, { timeout: 15_000 }).toEqual([]);
    await putFile(store, 'decisions', 'd.md', BEFORE);
    await store.close();
    expect(rows()).toEqual([]);
    expect(await readFile(target(), 'utf8')).toBe(BEFORE);
  });

  it('is waited for when it is large, or not of this home', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'cairn-elsewhere-'));
    onTestFinished(() => rm(elsewhere, { recursive: true }));
    const other = openEmbedded({ ...options(bench.folder), instructionsFolder: elsewhere });
    onTestFinished(() => other.close());
    await putFile(other, 'decisions', 'd.md', 'x'.repeat(300_000));
    await putFile(other, 'instructions', 'i.json', '{}');
    expect(rows()).toEqual([]);
    expect(await readFile(join(elsewhere, 'i.json'), 'utf8')).toBe('{}');
    expect(await text(other)).toHaveLength(300_000);
    expect(await stagedIn(bench.folder)).toEqual([]);
  });
});
