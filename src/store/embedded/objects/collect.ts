/** Removes what nobody needs, and nothing that somebody may be about to need. */

import { setImmediate as breathe } from 'node:timers/promises';
import type { Collected, CollectOptions, Manifest } from '../../objects.ts';
import type { Value } from '../database.ts';
import { type ObjectFile, ROWS_AT_ONCE } from './file.ts';
import { manifestIn, unlessUnknown } from './read.ts';
import { EVER, nameOf, removeChunks, slices } from './rows.ts';

const HOUR_MS = 3_600_000;

const CANDIDATES_AT_ONCE = 100_000;

const PAGES_AT_ONCE = 2000;

export async function collect(
  file: ObjectFile,
  isLive: (hash: string) => boolean | Promise<boolean>,
  { spareMs = HOUR_MS, now = Date.now() }: CollectOptions = {},
): Promise<Collected> {
  const before = now - spareMs;
  const contents = await collectContents(file, isLive, before);
  let [chunks, freedBytes] = [0, 0];
  for await (const page of file.pages('SELECT hash FROM chunk', before, CANDIDATES_AT_ONCE)) {
    const orphans = new Set(page.map(({ hash }) => nameOf(hash)));
    await spareNeeded(file, orphans);
    for (const some of slices([...orphans], ROWS_AT_ONCE)) {
      const removed = await file.write('soon', (database) => removeChunks(database, some, before));
      chunks += removed.length;
      freedBytes += removed.reduce((sum, stored) => sum + stored, 0);
    }
  }
  if (chunks > 0) await shrink(file);
  return { contents, chunks, freedBytes };
}

async function collectContents(
  file: ObjectFile,
  isLive: (hash: string) => boolean | Promise<boolean>,
  before: number,
): Promise<number> {
  let removed = 0;
  for await (const page of file.pages('SELECT hash FROM content', before)) {
    const dead: Value[] = [];
    for (const { hash } of page) if (hash !== undefined && !(await isLive(nameOf(hash)))) dead.push(hash);
    if (dead.length === 0) continue;
    // Asked again under the lock, for somebody may have stored it once more since.
    const sql = 'DELETE FROM content WHERE hash = ? AND created <= ?';
    const rows = await file.write('soon', (database) => dead.map((hash) => database.run(sql, hash, before)));
    removed += rows.reduce((sum, count) => sum + count, 0);
  }
  return removed;
}

/** Takes from `orphans` what a content needs. A content that comes after this look has touched its chunks. */
async function spareNeeded(file: ObjectFile, orphans: Set<string>): Promise<void> {
  for await (const page of file.pages('SELECT hash FROM content', EVER)) {
    for (const { hash } of page) {
      // One that is damaged stops the collection: without its list nobody knows which chunks it needs.
      const manifest = await manifestIn(file, nameOf(hash)).catch(unlessUnknown);
      for (let index = 0; index < (manifest?.length ?? 0); index++) {
        orphans.delete(nameOf((manifest as Manifest).hashOf(index)));
      }
    }
  }
}

/** Gives the disk back what was freed, a little at a time. */
async function shrink(file: ObjectFile): Promise<void> {
  for (let free = Number.POSITIVE_INFINITY; free > PAGES_AT_ONCE; await breathe()) {
    free = await file.write('soon', (database) => {
      const row = database.get('PRAGMA freelist_count');
      database.all(`PRAGMA incremental_vacuum(${PAGES_AT_ONCE})`);
      return Number(row?.freelist_count ?? 0);
    });
  }
}
