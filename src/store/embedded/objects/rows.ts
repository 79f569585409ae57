/** The rows of objects.db, one question or change each. */

import { collectedMeanwhile, damage, sealOf } from '../../objects/names.ts';
import type { Manifest, Packed } from '../../objects.ts';
import type { Queries, Row } from '../database.ts';
import { messageOf } from '../failure.ts';

export function isKept(database: Queries, hash: Buffer): boolean {
  return database.get('SELECT 1 FROM chunk WHERE hash = ? AND damaged = 0', hash) !== undefined;
}

export function touchChunk(database: Queries, hash: Buffer, now: number): boolean {
  return database.run('UPDATE chunk SET created = ? WHERE hash = ? AND damaged = 0', now, hash) > 0;
}

/** Also in the place of one that is damaged. */
export function insertChunk(database: Queries, hash: Buffer, { codec, data }: Packed, size: number, now: number): void {
  database.run('DELETE FROM body WHERE id = (SELECT body FROM chunk WHERE hash = ?)', hash);
  const body = database.get('INSERT INTO body (data) VALUES (?) RETURNING id', data)?.id ?? null;
  const sql = 'INSERT OR REPLACE INTO chunk (hash, body, codec, size, stored, created) VALUES (?, ?, ?, ?, ?, ?)';
  database.run(sql, hash, body, codec, size, data.length, now);
}

export function chunkRow(database: Queries, hash: Uint8Array): Row | undefined {
  // A chunk without its bytes is still a chunk, a damaged one.
  return database.get('SELECT codec, size, data FROM chunk LEFT JOIN body ON id = body WHERE hash = ?', hash);
}

export function removeChunks(database: Queries, hashes: readonly Buffer[], before: number): number[] {
  const stored: number[] = [];
  for (const hash of hashes) {
    const row = database.get('SELECT body, stored FROM chunk WHERE hash = ? AND created <= ?', hash, before);
    if (row === undefined) continue;
    database.run('DELETE FROM chunk WHERE hash = ?', hash);
    database.run('DELETE FROM body WHERE id = ?', row.body ?? null);
    stored.push(Number(row.stored));
  }
  if (stored.length > 0) countCollection(database);
  return stored;
}

export function countCollection(database: Queries): void {
  database.run("UPDATE counter SET value = value + 1 WHERE name = 'collections'");
}

/** How often chunks were looked through and removed: while it stays the same, what was touched is still there. */
export function collectionsIn(database: Queries): number {
  return Number(database.get("SELECT value FROM counter WHERE name = 'collections'")?.value);
}

/** `mark` is the count of collections when the first of its chunks was touched. */
export function listContent(database: Queries, hash: Buffer, manifest: Manifest, mark: number): void {
  if (touchContent(database, hash, manifest)) return;
  if (mark !== collectionsIn(database)) requireChunks(database, manifest);
  const sql = 'INSERT OR REPLACE INTO content (hash, size, created, seal, manifest) VALUES (?, ?, ?, ?, ?)';
  database.run(sql, hash, manifest.size, Date.now(), sealOf(hash, manifest.bytes), manifest.bytes);
}

function requireChunks(database: Queries, manifest: Manifest): void {
  for (let index = 0; index < manifest.length; index++) {
    if (!touchChunk(database, manifest.hashOf(index), Date.now())) throw collectedMeanwhile();
  }
}

function touchContent(database: Queries, hash: Buffer, { bytes, size }: Manifest): boolean {
  const sql = 'UPDATE content SET created = ? WHERE hash = ? AND size = ? AND seal = ? AND manifest = ?';
  return database.run(sql, Date.now(), hash, size, sealOf(hash, bytes), bytes) > 0;
}

const SQLITE_CORRUPT = 11;

/** Damage that SQLite itself notices concerns the content that was asked for. */
export function naming<T>(content: string, attempt: () => T): T {
  try {
    return attempt();
  } catch (thrown) {
    const plain = Number((thrown as { errcode?: unknown } | undefined)?.errcode ?? 0) & 0xff;
    throw plain === SQLITE_CORRUPT ? damage(content, messageOf(thrown)) : thrown;
  }
}
