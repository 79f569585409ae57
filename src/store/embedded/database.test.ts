import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Database } from './database.ts';

it('lets go of the lock of a transaction that it is closed in, though its statements are not collected yet', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-database-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'a.db');
  const one = new Database(path);
  one.exec('PRAGMA journal_mode = WAL; CREATE TABLE a (b); BEGIN IMMEDIATE');
  one.run('INSERT INTO a VALUES (1)');
  one.close();
  const other = new Database(path);
  onTestFinished(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  expect(other.get('SELECT count(*) AS found FROM a')?.found).toBe(0);
});
