/** Takes a content in: cut into chunks as it comes, packed before anything is locked, listed when all of it is there. */

import { createHash } from 'node:crypto';
import { setImmediate as breathe } from 'node:timers/promises';
import { CairnError } from '../../errors.ts';
import { Chunker } from '../chunk.ts';
import { sha256 } from '../hash.ts';
import { ManifestWriter, type Packed, type PutOptions, packChunk, type StoredContent } from '../objects.ts';
import { nameOf } from './names.ts';
import type { Arrival, ComingChunk, Kept, ObjectShelf } from './shelf.ts';

/** Input is taken in steps of this size; a few of them are all the memory that a content of any size needs. */
const STEP_BYTES = 1024 * 1024;

/** How much is worked through before other calls get their turn. */
export const CHUNKS_AT_ONCE = 16;

export async function put(
  shelf: ObjectShelf,
  source: Uint8Array | AsyncIterable<Uint8Array>,
  { signal, maxBytes = Number.POSITIVE_INFINITY, later = false }: PutOptions = {},
): Promise<StoredContent> {
  const whole = createHash('sha256');
  const chunker = new Chunker();
  const arriving = new Arriving(shelf);
  let size = 0;
  try {
    for await (const piece of stepsOf(source, signal)) {
      size += piece.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      whole.update(piece);
      arriving.take(chunker.push(piece));
      if (arriving.waiting >= shelf.batchBytes) await arriving.store();
      signal?.throwIfAborted();
    }
    arriving.take(chunker.end());
    return await arriving.finish(whole.digest(), later ? 'soon' : 'durably');
  } finally {
    await arriving.idle();
  }
}

interface Chunk {
  readonly hash: Buffer;
  readonly data: Buffer;
}

/** A content on its way in: its chunks so far, and those that wait to be written together. */
class Arriving {
  readonly #shelf: ObjectShelf;
  readonly #manifest = new ManifestWriter();
  #batch: Chunk[] = [];
  #added = 0;
  #mark: number | undefined;
  /** One batch is written while the next one is cut and packed. */
  #writing: Promise<void> = Promise.resolve();
  waiting = 0;

  constructor(shelf: ObjectShelf) {
    this.#shelf = shelf;
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
    const chunks = await this.#packed();
    await this.#writing;
    this.#writing = this.#keep({ chunks, mark: this.#mark, durability: 'soon' });
    // Whoever waits for it hears of a failure; nobody may wait any more.
    this.#writing.catch(() => undefined);
  }

  /** That a content is listed says nothing of its durability: another process may have put it and not settled yet. */
  async finish(hash: Buffer, durability: 'durably' | 'soon'): Promise<StoredContent> {
    const manifest = this.#manifest.manifest();
    const chunks = await this.#packed();
    await this.#writing;
    await this.#keep({ chunks, content: { hash, manifest }, mark: this.#mark, durability });
    return { hash: nameOf(hash), size: manifest.size, added: this.#added, chunks: manifest.length };
  }

  async idle(): Promise<void> {
    await this.#writing.catch(() => undefined);
  }

  async #keep(arrival: Arrival): Promise<void> {
    const kept: Kept = await this.#shelf.keep(arrival);
    this.#mark ??= kept.mark;
    this.#added += kept.added;
  }

  /** Each chunk once; what is new is compressed now, before anything is locked. */
  async #packed(): Promise<ComingChunk[]> {
    const batch = new Map(this.#batch.map((chunk) => [nameOf(chunk.hash), chunk]));
    this.#batch = [];
    this.waiting = 0;
    const kept = await this.#shelf.kept([...batch.values()].map(({ hash }) => hash));
    const chunks: ComingChunk[] = [];
    for (const [name, { hash, data }] of batch) {
      chunks.push(comingChunk(hash, data, !kept.has(name)));
      if (chunks.length % CHUNKS_AT_ONCE === 0) await breathe();
    }
    return chunks;
  }
}

function comingChunk(hash: Buffer, data: Buffer, isNew: boolean): ComingChunk {
  let packed: Packed | undefined = isNew ? packChunk(data) : undefined;
  return {
    hash,
    size: data.length,
    isNew,
    packed() {
      packed ??= packChunk(data);
      return packed;
    },
  };
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
