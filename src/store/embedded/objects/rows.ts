/** The rows of objects.db, one question or change each, and what is said of a content that is damaged or not there. */

import { CairnError } from '../../../errors.ts';
import { sha256 } from '../../hash.ts';
import { type Manifest, type Packed, unpackChunk } from '../../objects.ts';
import type { Queries, Row, Value } from '../database.ts';
import { messageOf } from '../failure.ts';

export const EVER = Number.MAX_SAFE_INTEGER;

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

export function soundChunk(row: Row, hash: Uint8Array): Buffer | undefined {
  if (!(row.data instanceof Uint8Array)) return undefined;
  const chunk = unpackChunk({ codec: Number(row.codec), data: row.data }, Number(row.size));
  return chunk !== undefined && sha256(chunk) === nameOf(hash) ? chunk : undefined;
}

export function removeChunks(database: Queries, names: readonly string[], before: number): number[] {
  const stored: number[] = [];
  for (const name of names) {
    const row = database.get('SELECT body, stored FROM chunk WHERE hash = ? AND created <= ?', keyOf(name), before);
    if (row === undefined) continue;
    database.run('DELETE FROM chunk WHERE hash = ?', keyOf(name));
    database.run('DELETE FROM body WHERE id = ?', row.body ?? null);
    stored.push(Number(row.stored));
  }
  if (stored.length > 0) database.run("UPDATE counter SET value = value + 1 WHERE name = 'collections'");
  return stored;
}

/** How often chunks were removed: while it stays the same, what was touched is still there. */
export function collectionsIn(database: Queries): number {
  return Number(database.get("SELECT value FROM counter WHERE name = 'collections'")?.value);
}

export function requireChunks(database: Queries, manifest: Manifest): void {
  for (let index = 0; index < manifest.length; index++) {
    if (touchChunk(database, manifest.hashOf(index), Date.now())) continue;
    throw new CairnError('conflict', 'The content arrived so slowly that parts of it were collected as left over', {
      suggestion: 'Store it again; what is still there is not written twice.',
    });
  }
}

export function touchContent(database: Queries, hash: Buffer, { bytes }: Manifest): boolean {
  const sql = 'UPDATE content SET created = ? WHERE hash = ? AND seal = ? AND manifest = ?';
  return database.run(sql, Date.now(), hash, sealOf(hash, bytes), bytes) > 0;
}

export function sealOf(hash: Uint8Array, manifest: Uint8Array): string {
  return sha256(Buffer.concat([hash, manifest]));
}

export function keyOf(hash: string): Buffer {
  return Buffer.from(hash, 'hex');
}

export function nameOf(hash: Value | undefined): string {
  if (!(hash instanceof Uint8Array)) throw new CairnError('integrity_error', 'A hash in objects.db is not a hash');
  return Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString('hex');
}

export function slices<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));
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

export function damage(hash: string, problem: string): CairnError {
  return new CairnError('integrity_error', `The content ${hash} is damaged: ${problem}`, {
    hash,
    suggestion: 'Verify the documents, then add the same file again: that replaces what is damaged.',
  });
}

export function unknownContent(hash: string): CairnError {
  return new CairnError('not_found', `No content has the hash ${hash}`);
}
