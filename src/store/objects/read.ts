/** Gives a content out, every chunk verified, whole or in part. */

import { createHash } from 'node:crypto';
import { setImmediate as breathe } from 'node:timers/promises';
import { CairnError } from '../../errors.ts';
import { type ByteRange, Manifest } from '../objects.ts';
import { damage, keyOf, nameOf, sealOf, soundChunk, unknownContent } from './names.ts';
import { CHUNKS_AT_ONCE } from './put.ts';
import type { ObjectShelf, StoredChunk, StoredList } from './shelf.ts';

export function sizeIn(shelf: ObjectShelf, hash: string): Promise<number | undefined> {
  return shelf.size(keyOf(hash));
}

export async function* read(shelf: ObjectShelf, hash: string, range?: ByteRange): AsyncGenerator<Buffer> {
  const manifest = await manifestIn(shelf, hash);
  const start = Math.max(range?.offset ?? 0, 0);
  const end = range === undefined ? manifest.size : Math.min(start + range.length, manifest.size);
  const whole = start === 0 && end === manifest.size ? createHash('sha256') : undefined;
  const from = manifest.indexAt(start);
  const to = start < end ? manifest.indexAt(end - 1) + 1 : from;
  for await (const { index, chunk } of chunksOf(shelf, hash, manifest, from, to)) {
    const first = manifest.startOf(index);
    whole?.update(chunk);
    if (index % CHUNKS_AT_ONCE === 0) await breathe();
    yield chunk.subarray(Math.max(start - first, 0), Math.min(end - first, chunk.length));
  }
  if (whole !== undefined && whole.digest('hex') !== hash.toLowerCase()) {
    throw damage(hash, 'its chunks are sound, but together they are another content');
  }
}

export async function readAll(shelf: ObjectShelf, hash: string, limit: number): Promise<Buffer> {
  const size = await sizeIn(shelf, hash);
  if (size !== undefined && size > limit) {
    throw new CairnError('limit_exceeded', `The content ${hash} has ${size} bytes, more than ${limit}`, {
      suggestion: 'Read it in ranges.',
    });
  }
  const chunks: Buffer[] = [];
  for await (const chunk of read(shelf, hash)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export async function matching(shelf: ObjectShelf, prefix: string, limit: number): Promise<string[]> {
  if (!/^[0-9a-f]{0,64}$/i.test(prefix)) return [];
  const hashes = await shelf.between(keyOf(prefix.padEnd(64, '0')), keyOf(prefix.padEnd(64, 'f')), limit);
  return hashes.map(nameOf);
}

export async function soundAmong(shelf: ObjectShelf, hashes: readonly string[]): Promise<ReadonlySet<string>> {
  const sound = await shelf.sound(hashes.map(keyOf));
  return new Set(hashes.filter((hash) => sound.has(hash.toLowerCase())));
}

export async function manifestIn(shelf: ObjectShelf, hash: string): Promise<Manifest> {
  const list = (await shelf.lists([keyOf(hash)], hash)).get(hash.toLowerCase());
  if (list === undefined) throw unknownContent(hash);
  return manifestOf(list, hash);
}

export function manifestOf({ size, seal, manifest: bytes }: StoredList, hash: string): Manifest {
  const manifest = new Manifest(bytes);
  if (sealOf(keyOf(hash), manifest.bytes) !== seal || manifest.size !== size) {
    throw damage(hash, 'its list of chunks is not what was stored');
  }
  return manifest;
}

/** Asks for some while the ones before them are taken, where asking takes its time. */
async function* chunksOf(
  shelf: ObjectShelf,
  content: string,
  manifest: Manifest,
  from: number,
  to: number,
): AsyncGenerator<{ index: number; chunk: Buffer }> {
  const ask = (at: number) => {
    const asked = rowsAt(shelf, content, manifest, at, Math.min(at + shelf.atOnce, to));
    // Nobody may come for it.
    asked.catch(() => undefined);
    return asked;
  };
  let next = from < to ? ask(from) : undefined;
  for (let at = from; at < to; at += shelf.atOnce) {
    const rows = await next;
    const end = Math.min(at + shelf.atOnce, to);
    next = shelf.atOnce > 1 && end < to ? ask(end) : undefined;
    for (let index = at; index < end; index++) {
      yield { index, chunk: await chunkAt(shelf, content, manifest, index, rows) };
    }
    next ??= end < to ? ask(end) : undefined;
  }
}

function rowsAt(
  shelf: ObjectShelf,
  content: string,
  manifest: Manifest,
  from: number,
  to: number,
): Promise<ReadonlyMap<string, StoredChunk>> {
  const hashes = Array.from({ length: to - from }, (_, n) => manifest.hashOf(from + n));
  return shelf.chunks(hashes, content);
}

async function chunkAt(
  shelf: ObjectShelf,
  content: string,
  manifest: Manifest,
  index: number,
  rows: ReadonlyMap<string, StoredChunk> | undefined,
): Promise<Buffer> {
  const hash = manifest.hashOf(index);
  const row = rows?.get(nameOf(hash));
  const chunk = row === undefined ? undefined : soundChunk(row, hash);
  if (chunk !== undefined && chunk.length === manifest.sizeOf(index)) return chunk;
  if ((await sizeIn(shelf, content)) === undefined) throw unknownContent(content);
  throw damage(content, `its chunk ${nameOf(hash)} ${row === undefined ? 'is missing' : 'does not match its hash'}`);
}

export function unlessUnknown(thrown: unknown): undefined {
  if (!(thrown instanceof CairnError) || thrown.kind !== 'not_found') throw thrown;
}
