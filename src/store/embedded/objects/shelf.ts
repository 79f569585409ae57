/** Chunks and contents in objects.db. SQLite answers without a round trip, so rows with bytes are asked for one by one. */

import { setImmediate as breathe } from 'node:timers/promises';
import { bytesOf, nameOf } from '../../objects/names.ts';
import type { Arrival, Kept, ObjectShelf, StoredChunk, StoredList } from '../../objects/shelf.ts';
import type { ObjectStats } from '../../objects.ts';
import type { Queries, Row } from '../database.ts';
import type { ObjectFile } from './file.ts';
import {
  chunkRow,
  collectionsIn,
  countCollection,
  insertChunk,
  isKept,
  listContent,
  naming,
  removeChunks,
  touchChunk,
} from './rows.ts';

const PAGES_AT_ONCE = 2000;

export function shelfIn(file: ObjectFile): ObjectShelf {
  return {
    atOnce: 1,
    batchBytes: 1024 * 1024,
    now: async () => Date.now(),
    kept: (hashes) => file.look((database) => namesOf(hashes.filter((hash) => isKept(database, hash))), new Set()),
    keep: (arrival) => file.write(arrival.durability, (database) => keep(database, arrival)),
    settle: () => settle(file),
    size: (hash) => file.look((database) => sizeIn(database, 'content', hash), undefined),
    sound: (hashes) => file.look((database) => soundAmong(database, hashes), new Set()),
    between: (first, last, limit) => {
      const sql = 'SELECT hash FROM content WHERE hash BETWEEN ? AND ? ORDER BY hash LIMIT ?';
      return file.look((database) => database.all(sql, first, last, limit).map(({ hash }) => bytesOf(hash)), []);
    },
    stats: () => stats(file),
    chunks: (hashes, content) =>
      file.look((database) => rowsOf(hashes, (hash) => naming(content, () => chunkIn(database, hash))), new Map()),
    lists: (hashes, content) =>
      file.look((database) => rowsOf(hashes, (hash) => naming(content, () => listIn(database, hash))), new Map()),
    sizesOfChunks: (hashes) =>
      file.look((database) => rowsOf(hashes, (hash) => sizeIn(database, 'chunk', hash)), new Map()),
    page: (of, after, before, limit) => {
      const sql = `SELECT hash, size FROM ${of} WHERE hash > ? AND created <= ? ORDER BY hash LIMIT ?`;
      const named = ({ hash, size }: Row) => ({ hash: bytesOf(hash), size: Number(size) });
      return file.look((database) => database.all(sql, after, before, limit).map(named), []);
    },
    distrust: (hashes) =>
      file.write('soon', (database) => {
        for (const hash of hashes) database.run('UPDATE chunk SET damaged = 1 WHERE hash = ?', hash);
      }),
    makeYoung: (latest, now) => makeYoung(file, latest, now),
    beginCollection: () => file.write('soon', countCollection),
    removeContents: (hashes, before) =>
      file.write('soon', (database) => {
        const sql = 'DELETE FROM content WHERE hash = ? AND created <= ?';
        return hashes.reduce((sum, hash) => sum + database.run(sql, hash, before), 0);
      }),
    removeChunks: (hashes, before) => file.write('soon', (database) => removeChunks(database, hashes, before)),
    endCollection: async (removed) => {
      if (removed > 0) await shrink(file);
    },
    close: () => file.close(),
  };
}

function keep(database: Queries, { chunks, content, mark = collectionsIn(database) }: Arrival): Kept {
  const now = Date.now();
  let added = 0;
  for (const chunk of chunks) {
    // Only what is touched under the lock can be relied on: from now on it is young.
    if (touchChunk(database, chunk.hash, now)) continue;
    insertChunk(database, chunk.hash, chunk.packed(), chunk.size, now);
    added += chunk.size;
  }
  if (content !== undefined) listContent(database, content.hash, content.manifest, mark);
  return { added, mark };
}

/** Looks first: where there is nothing, nothing is made. */
async function makeYoung(file: ObjectFile, latest: number, now: number): Promise<void> {
  for (const table of ['content', 'chunk']) {
    const sql = `SELECT 1 AS ahead FROM ${table} WHERE created > ? LIMIT 1`;
    const isAhead = await file.look((database) => database.get(sql, latest) !== undefined, false);
    const young = `UPDATE ${table} SET created = ? WHERE created > ?`;
    if (isAhead) await file.write('soon', (database) => database.run(young, now, latest));
  }
}

/** Any durable commit makes those before it durable too. */
function settle(file: ObjectFile): Promise<void> {
  return file.write('durably', (database) => {
    const sql = "INSERT INTO counter VALUES ('settled', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1";
    database.run(sql);
  });
}

function namesOf(hashes: readonly Buffer[]): ReadonlySet<string> {
  return new Set(hashes.map(nameOf));
}

function rowsOf<T>(hashes: readonly Buffer[], rowOf: (hash: Buffer) => T | undefined): Map<string, T> {
  const rows = new Map<string, T>();
  for (const hash of hashes) {
    const row = rowOf(hash);
    if (row !== undefined) rows.set(nameOf(hash), row);
  }
  return rows;
}

function sizeIn(database: Queries, of: 'chunk' | 'content', hash: Buffer): number | undefined {
  const row = database.get(`SELECT size FROM ${of} WHERE hash = ?`, hash);
  return row === undefined ? undefined : Number(row.size);
}

function chunkIn(database: Queries, hash: Buffer): StoredChunk | undefined {
  const row = chunkRow(database, hash);
  if (row === undefined) return undefined;
  const data = row.data instanceof Uint8Array ? row.data : undefined;
  return { codec: Number(row.codec), size: Number(row.size), data };
}

function listIn(database: Queries, hash: Buffer): StoredList | undefined {
  const row = database.get('SELECT size, seal, manifest FROM content WHERE hash = ?', hash);
  if (row === undefined) return undefined;
  return { size: Number(row.size), seal: String(row.seal), manifest: row.manifest as Uint8Array };
}

function soundAmong(database: Queries, hashes: readonly Buffer[]): ReadonlySet<string> {
  if (database.get('SELECT 1 FROM chunk WHERE damaged = 1 LIMIT 1') !== undefined) return new Set();
  const there = 'SELECT 1 FROM content WHERE hash = ?';
  return namesOf(hashes.filter((hash) => database.get(there, hash) !== undefined));
}

async function stats(file: ObjectFile): Promise<ObjectStats> {
  const sql = `
    SELECT (SELECT count(*) FROM content) AS contents, (SELECT total(size) FROM content) AS totalBytes,
      count(*) AS chunks, total(size) AS uniqueBytes, total(stored) AS storedBytes FROM chunk`;
  const row = await file.look((database) => database.get(sql), undefined);
  return {
    contents: Number(row?.contents ?? 0),
    chunks: Number(row?.chunks ?? 0),
    totalBytes: Number(row?.totalBytes ?? 0),
    uniqueBytes: Number(row?.uniqueBytes ?? 0),
    storedBytes: Number(row?.storedBytes ?? 0),
  };
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
