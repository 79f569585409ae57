/**
 * What an engine keeps of contents: rows of chunks, and rows of contents that list them. Each method is whole by itself: it
 * happens or it does not, whatever other processes do meanwhile.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import type { Manifest, ObjectStats, Packed } from '../objects.ts';

export interface ComingChunk {
  readonly hash: Buffer;
  readonly size: number;
  /** Whether it was not there when we looked; then it is packed already. */
  readonly isNew: boolean;
  packed(): Packed;
}

export interface Arrival {
  readonly chunks: readonly ComingChunk[];
  /** With the last of the chunks. */
  readonly content?: { readonly hash: Buffer; readonly manifest: Manifest };
  /** What the first `keep` of this content answered. */
  readonly mark: number | undefined;
  /** Without waiting for the disk it is still whole, and the next change that waits for it makes it durable too. */
  readonly durability: 'durably' | 'soon';
}

export interface Kept {
  /** Bytes that were new. */
  readonly added: number;
  /** Stays the same while nothing is collected. */
  readonly mark: number;
}

/** A chunk as it lies there; no data when its bytes got lost. */
export interface StoredChunk {
  readonly codec: number;
  readonly size: number;
  readonly data: Uint8Array | undefined;
}

export interface StoredList {
  readonly size: number;
  readonly seal: string;
  readonly manifest: Uint8Array;
}

export interface Named {
  readonly hash: Buffer;
  readonly size: number;
}

export interface ObjectShelf {
  /** How many rows with bytes in them are worth asking for together. */
  readonly atOnce: number;
  /** How much of a content is gathered before it is written. */
  readonly batchBytes: number;
  /** The clock that says how old something is. */
  now(): Promise<number>;

  /** The names of those chunks that are there and not known to be damaged. */
  kept(hashes: readonly Buffer[]): Promise<ReadonlySet<string>>;
  /**
   * Chunks that are there are made young, the others are written, also in the place of damaged ones. A content is listed only
   * if all of its chunks are there at that moment; else this is a `conflict`.
   */
  keep(arrival: Arrival): Promise<Kept>;
  settle(): Promise<void>;

  size(hash: Buffer): Promise<number | undefined>;
  sound(hashes: readonly Buffer[]): Promise<ReadonlySet<string>>;
  between(first: Buffer, last: Buffer, limit: number): Promise<Buffer[]>;
  stats(): Promise<ObjectStats>;
  /** By their names. Damage that the engine itself notices is an `integrity_error` that names `content`. */
  chunks(hashes: readonly Buffer[], content: string): Promise<ReadonlyMap<string, StoredChunk>>;
  lists(hashes: readonly Buffer[], content: string): Promise<ReadonlyMap<string, StoredList>>;
  sizesOfChunks(hashes: readonly Buffer[]): Promise<ReadonlyMap<string, number>>;

  /** In the order of the hashes, those after `after` that are no younger than `before`. */
  page(of: 'chunk' | 'content', after: Buffer, before: number, limit: number): Promise<Named[]>;
  /** Known to be damaged from now on. */
  distrust(hashes: readonly Buffer[]): Promise<void>;

  /**
   * What is dated after `latest` was dated by a clock that was ahead, and would be spared until then; how old it is nobody
   * knows, so that it begins to age `now`. Absent where one clock dates everything.
   */
  makeYoung?(latest: number, now: number): Promise<void>;
  /** From now on marks differ from those before; every content that was listed under one of them can be seen. */
  beginCollection(): Promise<void>;
  /** How many were removed: those that became younger stay. */
  removeContents(hashes: readonly Buffer[], before: number): Promise<number>;
  /** How many bytes each of the removed ones took. */
  removeChunks(hashes: readonly Buffer[], before: number): Promise<number[]>;
  /** Gives back the space of what was removed. */
  endCollection(removed: number, before: number): Promise<void>;
  close(): Promise<void>;
}

/** Pages one after the other; writes may come between them. */
export async function* pagesOf(
  shelf: ObjectShelf,
  of: 'chunk' | 'content',
  before: number,
  limit = ROWS_AT_ONCE,
): AsyncGenerator<Named[]> {
  for (let last = Buffer.alloc(0); ; ) {
    const page = await shelf.page(of, last, before, limit);
    const end = page.at(-1)?.hash;
    if (end === undefined) return;
    last = Buffer.from(end);
    yield page;
    await breathe();
  }
}

export const ROWS_AT_ONCE = 500;
export const EVER = Number.MAX_SAFE_INTEGER;
