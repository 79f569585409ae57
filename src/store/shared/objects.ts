/**
 * Contents on PostgreSQL: chunks as rows, or in an object store where one is given, and the lists of contents always as rows.
 * Chunks come before the content that lists them, so whatever instant a process dies at, a content that is there is whole.
 */
import { CairnError } from '../../errors.ts';
import { bytesOf, damage, nameOf } from '../objects/names.ts';
import type { ObjectShelf, StoredList } from '../objects/shelf.ts';
import { objectStore } from '../objects/store.ts';
import type { ObjectStats, ObjectStore } from '../objects.ts';
import type { Row } from '../rows.ts';
import { type Bucket, openBucket } from './bucket.ts';
import type { BucketOptions } from './bucket-address.ts';
import { BucketChunks } from './bucket-chunks.ts';
import type { SharedDatabase } from './database.ts';
import { codeOf } from './failure.ts';
import { keepArrival } from './object-keep.ts';
import { AMONG_GIVEN, NOW_MS, REMOVE_CHUNKS, REMOVE_CONTENTS } from './object-statements.ts';

export interface SharedObjectsOptions {
  /** Where the bytes of chunks go; into rows where it is absent. What is in rows already is read from there. */
  readonly bucket?: BucketOptions | undefined;
}

/** A round trip for this many chunks, of 16 KB or so each. */
const CHUNKS_AT_ONCE = 32;
const BATCH_BYTES = 2 * 1024 * 1024;

export function sharedObjects(database: SharedDatabase, options: SharedObjectsOptions = {}): ObjectStore {
  const bucket = options.bucket === undefined ? undefined : openBucket(options.bucket);
  return objectStore(shelfIn(database, bucket));
}

function shelfIn(database: SharedDatabase, bucket: Bucket | undefined): ObjectShelf {
  const { rows } = database;
  const away = new BucketChunks(database, bucket);
  const named = async (sql: string, hashes: readonly Buffer[]) => rows.all(sql, listOf(hashes));
  return {
    atOnce: CHUNKS_AT_ONCE,
    batchBytes: BATCH_BYTES,
    now: async () => Number((await rows.get(`SELECT ${NOW_MS} AS now`))?.now),
    kept: async (hashes) => namesIn(await named(`SELECT hash FROM chunk WHERE ${AMONG_GIVEN} AND damaged = 0`, hashes)),
    keep: (arrival) => keepArrival(database, arrival, bucket === undefined ? undefined : away),
    settle: async () => {
      // Any commit that waits for the disk brings those before it there too.
      await rows.run("UPDATE counter SET value = value + 1 WHERE name = 'settled'");
    },
    size: async (hash) => {
      const row = await rows.get('SELECT size FROM content WHERE hash = ?', hash);
      return row === undefined ? undefined : Number(row.size);
    },
    sound: async (hashes) => {
      const sql = `SELECT hash FROM content WHERE ${AMONG_GIVEN}
        AND NOT EXISTS (SELECT FROM chunk WHERE damaged = 1)`;
      return namesIn(await named(sql, hashes));
    },
    between: async (first, last, limit) => {
      const sql = 'SELECT hash FROM content WHERE hash BETWEEN ? AND ? ORDER BY hash LIMIT ?';
      return (await rows.all(sql, first, last, limit)).map(({ hash }) => bytesOf(hash));
    },
    stats: async () => statsOf(await rows.get(STATS)),
    chunks: (hashes, content) => naming(content, () => away.read(hashes)),
    lists: (hashes, content) =>
      naming(content, async () => {
        const sql = `SELECT hash, size, seal, manifest FROM content WHERE ${AMONG_GIVEN}`;
        return new Map((await named(sql, hashes)).map((row) => [nameOf(row.hash), toList(row)]));
      }),
    sizesOfChunks: async (hashes) => {
      const found = await named(`SELECT hash, size FROM chunk WHERE ${AMONG_GIVEN}`, hashes);
      return new Map(found.map(({ hash, size }) => [nameOf(hash), Number(size)]));
    },
    page: async (of, after, before, limit) => {
      const sql = `SELECT hash, size FROM ${of} WHERE hash > ? AND created <= ? ORDER BY hash LIMIT ?`;
      const page = await rows.all(sql, after, before, limit);
      return page.map(({ hash, size }) => ({ hash: bytesOf(hash), size: Number(size) }));
    },
    distrust: async (hashes) => {
      await rows.run(`UPDATE chunk SET damaged = 1 WHERE ${AMONG_GIVEN}`, listOf(hashes));
    },
    // Waits for those who list a content under the mark before it.
    beginCollection: async () => void (await rows.run(COUNT_COLLECTION)),
    removeContents: async (hashes, before) => rows.run(REMOVE_CONTENTS, listOf(hashes), before),
    removeChunks: (hashes, before) =>
      database.maintain(async (held) => {
        await held.run(COUNT_COLLECTION);
        return (await held.all(REMOVE_CHUNKS, listOf(hashes), before)).map(({ stored }) => Number(stored));
      }),
    endCollection: (_, before) => away.sweep(before),
    close: async () => {},
  };
}

const COUNT_COLLECTION = "UPDATE counter SET value = value + 1 WHERE name = 'collections'";

const STATS = `SELECT count(*) AS chunks, coalesce(sum(size), 0)::bigint AS unique_bytes,
    coalesce(sum(stored), 0)::bigint AS stored_bytes, (SELECT count(*) FROM content) AS contents,
    (SELECT coalesce(sum(size), 0)::bigint FROM content) AS total_bytes FROM chunk`;

function statsOf(row: Row | undefined): ObjectStats {
  return {
    contents: Number(row?.contents ?? 0),
    chunks: Number(row?.chunks ?? 0),
    totalBytes: Number(row?.total_bytes ?? 0),
    uniqueBytes: Number(row?.unique_bytes ?? 0),
    storedBytes: Number(row?.stored_bytes ?? 0),
  };
}

function toList({ size, seal, manifest }: Row): StoredList {
  return { size: Number(size), seal: String(seal), manifest: bytesOf(manifest) };
}

export function listOf(hashes: readonly Uint8Array[]): string {
  return JSON.stringify(hashes.map(nameOf));
}

function namesIn(rows: readonly Row[]): ReadonlySet<string> {
  return new Set(rows.map(({ hash }) => nameOf(hash)));
}

/** Damage that the server itself notices in its files concerns the content that was asked for. */
const corrupt = new Set(['XX001', 'XX002']);

async function naming<T>(content: string, attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (thrown) {
    if (!(thrown instanceof CairnError) || !corrupt.has(codeOf(thrown.cause))) throw thrown;
    throw damage(content, thrown.message);
  }
}
