/** Takes a content in: cut into chunks as it comes, packed before the lock is taken, listed when all of it is there. */

import { createHash } from 'node:crypto';
import { setImmediate as breathe } from 'node:timers/promises';
import { CairnError } from '../../../errors.ts';
import { Chunker } from '../../chunk.ts';
import { sha256 } from '../../hash.ts';
import {
  type Manifest,
  ManifestWriter,
  type Packed,
  type PutOptions,
  packChunk,
  type StoredContent,
} from '../../objects.ts';
import type { Queries } from '../database.ts';
import type { ObjectFile } from './file.ts';
import { collectionsIn, insertChunk, isKept, nameOf, requireChunks, sealOf, touchChunk, touchContent } from './rows.ts';

/** Input is taken in steps of this size; a few of them are all the memory that a content of any size needs. */
const STEP_BYTES = 1024 * 1024;

/** How much is worked through before other calls get their turn. */
export const CHUNKS_AT_ONCE = 16;

export async function put(
  file: ObjectFile,
  source: Uint8Array | AsyncIterable<Uint8Array>,
  { signal, maxBytes = Number.POSITIVE_INFINITY, later = false }: PutOptions = {},
): Promise<StoredContent> {
  const whole = createHash('sha256');
  const chunker = new Chunker();
  const arrival = new Arrival(file);
  let size = 0;
  for await (const piece of stepsOf(source, signal)) {
    size += piece.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    whole.update(piece);
    arrival.take(chunker.push(piece));
    if (arrival.waiting >= STEP_BYTES) await arrival.store();
    signal?.throwIfAborted();
  }
  arrival.take(chunker.end());
  return arrival.finish(whole.digest(), later ? 'soon' : 'durably');
}

interface Chunk {
  readonly hash: Buffer;
  readonly data: Buffer;
}

/** A content on its way in: its chunks so far, and those that wait to be written together. */
class Arrival {
  readonly #file: ObjectFile;
  readonly #manifest = new ManifestWriter();
  #batch: Chunk[] = [];
  #added = 0;
  #collections: number | undefined;
  waiting = 0;

  constructor(file: ObjectFile) {
    this.#file = file;
  }

  take(chunks: Iterable<Buffer>): void {
    for (const chunk of chunks) {
      const hash = Buffer.from(sha256(chunk), 'hex');
      this.#manifest.add(hash, chunk.length);
      // A copy: the source may use its memory again while the batch waits.
      this.#batch.push({ hash, data: Buffer.from(chunk) });
      this.waiting += chunk.length;
    }
  }

  async store(): Promise<void> {
    const keep = await this.#packed();
    this.#added += await this.#file.write('soon', keep);
  }

  /** That a content is listed says nothing of its durability: another process may have put it and not settled yet. */
  async finish(hash: Buffer, durability: 'durably' | 'soon'): Promise<StoredContent> {
    const manifest = this.#manifest.manifest();
    const keep = await this.#packed();
    this.#added += await this.#file.write(durability, (database) => {
      const added = keep(database);
      this.#list(database, hash, manifest);
      return added;
    });
    return { hash: nameOf(hash), size: manifest.size, added: this.#added, chunks: manifest.length };
  }

  /** Compresses what is new before the lock is taken; what it returns then writes the batch. */
  async #packed(): Promise<(database: Queries) => number> {
    const batch = this.#batch;
    this.#batch = [];
    this.waiting = 0;
    const packed = new Map<string, Packed>();
    for (const [index, { hash, data }] of batch.entries()) {
      const name = nameOf(hash);
      const known = packed.has(name) || (await this.#file.look((database) => isKept(database, hash), false));
      if (!known) packed.set(name, packChunk(data));
      if ((index + 1) % CHUNKS_AT_ONCE === 0) await breathe();
    }
    return (database) => {
      this.#collections ??= collectionsIn(database);
      const now = Date.now();
      let added = 0;
      for (const { hash, data } of batch) {
        // Only what is touched under the lock can be relied on: from now on it is young.
        if (touchChunk(database, hash, now)) continue;
        insertChunk(database, hash, packed.get(nameOf(hash)) ?? packChunk(data), data.length, now);
        added += data.length;
      }
      return added;
    };
  }

  #list(database: Queries, hash: Buffer, manifest: Manifest): void {
    if (touchContent(database, hash, manifest)) return;
    if (this.#collections !== collectionsIn(database)) requireChunks(database, manifest);
    const sql = 'INSERT OR REPLACE INTO content (hash, size, created, seal, manifest) VALUES (?, ?, ?, ?, ?)';
    database.run(sql, hash, manifest.size, Date.now(), sealOf(hash, manifest.bytes), manifest.bytes);
  }
}

async function* stepsOf(
  source: Uint8Array | AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted();
  for await (const piece of source instanceof Uint8Array ? [source] : untilAborted(source, signal)) {
    for (let at = 0; at < piece.length; at += STEP_BYTES) yield piece.subarray(at, at + STEP_BYTES);
  }
}

/** A source that never answers must not keep a call that was cancelled. */
async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal | undefined): AsyncGenerator<T> {
  const pieces = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await orAborted(pieces.next(), signal);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // Not awaited, for the same reason.
    void pieces.return?.().catch(() => undefined);
  }
}

function orAborted<T>(waiting: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return waiting;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    waiting.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function tooLarge(maxBytes: number): CairnError {
  return new CairnError('limit_exceeded', `The content is larger than ${maxBytes} bytes; nothing was stored`, {
    suggestion: 'Store a smaller one, or raise the limit.',
  });
}

/** Any durable commit makes those before it durable too. */
export function settle(file: ObjectFile): Promise<void> {
  return file.write('durably', (database) => {
    const sql = "INSERT INTO counter VALUES ('settled', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1";
    database.run(sql);
  });
}
