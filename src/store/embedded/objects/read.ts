/** Gives a content out, every chunk verified, whole or in part. */

import { createHash } from 'node:crypto';
import { setImmediate as breathe } from 'node:timers/promises';
import { CairnError } from '../../../errors.ts';
import { type ByteRange, Manifest, type ObjectStats } from '../../objects.ts';
import type { ObjectFile } from './file.ts';
import { CHUNKS_AT_ONCE } from './put.ts';
import { chunkRow, damage, keyOf, nameOf, naming, sealOf, soundChunk, unknownContent } from './rows.ts';

export async function sizeIn(file: ObjectFile, hash: string): Promise<number | undefined> {
  const row = await file.look(
    (database) => database.get('SELECT size FROM content WHERE hash = ?', keyOf(hash)),
    undefined,
  );
  return row === undefined ? undefined : Number(row.size);
}

export async function* read(file: ObjectFile, hash: string, range?: ByteRange): AsyncGenerator<Buffer> {
  const manifest = await manifestIn(file, hash);
  const start = Math.max(range?.offset ?? 0, 0);
  const end = range === undefined ? manifest.size : Math.min(start + range.length, manifest.size);
  const whole = start === 0 && end === manifest.size ? createHash('sha256') : undefined;
  for (let index = manifest.indexAt(start); index < manifest.length && manifest.startOf(index) < end; index++) {
    const chunk = await chunkIn(file, hash, manifest, index);
    const first = manifest.startOf(index);
    whole?.update(chunk);
    if (index % CHUNKS_AT_ONCE === 0) await breathe();
    yield chunk.subarray(Math.max(start - first, 0), Math.min(end - first, chunk.length));
  }
  if (whole !== undefined && whole.digest('hex') !== hash.toLowerCase()) {
    throw damage(hash, 'its chunks are sound, but together they are another content');
  }
}

export async function readAll(file: ObjectFile, hash: string, limit: number): Promise<Buffer> {
  const size = await sizeIn(file, hash);
  if (size !== undefined && size > limit) {
    throw new CairnError('limit_exceeded', `The content ${hash} has ${size} bytes, more than ${limit}`, {
      suggestion: 'Read it in ranges.',
    });
  }
  const chunks: Buffer[] = [];
  for await (const chunk of read(file, hash)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export async function matching(file: ObjectFile, prefix: string, limit: number): Promise<string[]> {
  if (!/^[0-9a-f]{0,64}$/i.test(prefix)) return [];
  const [first, last] = [keyOf(prefix.padEnd(64, '0')), keyOf(prefix.padEnd(64, 'f'))];
  const sql = 'SELECT hash FROM content WHERE hash BETWEEN ? AND ? ORDER BY hash LIMIT ?';
  const rows = await file.look((database) => database.all(sql, first, last, limit), []);
  return rows.map(({ hash }) => nameOf(hash));
}

export async function stats(file: ObjectFile): Promise<ObjectStats> {
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

export async function manifestIn(file: ObjectFile, hash: string): Promise<Manifest> {
  const sql = 'SELECT hash, size, seal, manifest FROM content WHERE hash = ?';
  const row = await file.look((database) => naming(hash, () => database.get(sql, keyOf(hash))), undefined);
  if (row === undefined) throw unknownContent(hash);
  const manifest = new Manifest(row.manifest as Uint8Array);
  if (sealOf(keyOf(hash), manifest.bytes) !== row.seal || manifest.size !== Number(row.size)) {
    throw damage(hash, 'its list of chunks is not what was stored');
  }
  return manifest;
}

async function chunkIn(file: ObjectFile, content: string, manifest: Manifest, index: number): Promise<Buffer> {
  const hash = manifest.hashOf(index);
  const row = await file.look((database) => naming(content, () => chunkRow(database, hash)), undefined);
  const chunk = row === undefined ? undefined : soundChunk(row, hash);
  if (chunk !== undefined && chunk.length === manifest.sizeOf(index)) return chunk;
  if ((await sizeIn(file, content)) === undefined) throw unknownContent(content);
  throw damage(content, `its chunk ${nameOf(hash)} ${row === undefined ? 'is missing' : 'does not match its hash'}`);
}

export function unlessUnknown(thrown: unknown): undefined {
  if (!(thrown instanceof CairnError) || thrown.kind !== 'not_found') throw thrown;
}

export function soundAmong(file: ObjectFile, hashes: readonly string[]): Promise<ReadonlySet<string>> {
  return file.look((database) => {
    if (database.get('SELECT 1 FROM chunk WHERE damaged = 1 LIMIT 1') !== undefined) return new Set<string>();
    const there = 'SELECT 1 FROM content WHERE hash = ?';
    return new Set(hashes.filter((hash) => database.get(there, keyOf(hash)) !== undefined));
  }, new Set<string>());
}
