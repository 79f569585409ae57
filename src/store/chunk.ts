/**
 * Content-defined chunks after the idea of FastCDC (Xia et al., 2016): a gear hash rolls over the bytes, and a chunk ends
 * where its high bits are zero. So a boundary depends on the bytes before it and on nothing else: an insert moves the
 * boundaries near it, and all other chunks stay what they were. Changing a number or the table here ends all sharing with
 * what is stored already.
 */
import { sha256 } from './hash.ts';

export const MIN_CHUNK = 4 * 1024;
export const MAX_CHUNK = 64 * 1024;

/** The hash shifts by one bit a byte, so it has forgotten all but the last 32 of them. */
const WINDOW = 32;

/** Where ending becomes easy; with the masks below this makes chunks of random bytes 16.3 KB on average (measured). */
const EASY_FROM = 13 * 1024;

/**
 * Normalised chunking: one byte in 2^16 ends a chunk at first, one in 2^12 later, so that most come near the average. The masks take the highest bits, which depend on the most bytes; the low ones know the last few only, where
 * text has too little variety ever to match.
 */
const HARD = 0xffff0000 | 0;
const EASY = 0xfff00000 | 0;

const GEAR = gearTable();

/** One stream in pieces of any size; how it is cut into pieces does not change the chunks. */
export class Chunker {
  readonly #held = Buffer.allocUnsafe(MAX_CHUNK);
  #length = 0;
  #hash = 0;

  /** The chunks that this piece completes. A chunk may be a view of the piece: use it before the piece changes. */
  *push(piece: Uint8Array): Generator<Buffer> {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    let start = 0;
    while (start < bytes.length) {
      const end = this.#scan(bytes, start);
      if (end === undefined) {
        this.#length += bytes.copy(this.#held, this.#length, start);
        return;
      }
      const rest = bytes.subarray(start, end);
      const chunk = this.#length === 0 ? rest : Buffer.concat([this.#held.subarray(0, this.#length), rest]);
      this.#length = 0;
      this.#hash = 0;
      start = end;
      yield chunk;
    }
  }

  /** What is left, when there is anything. */
  *end(): Generator<Buffer> {
    if (this.#length > 0) yield Buffer.from(this.#held.subarray(0, this.#length));
    this.#length = 0;
    this.#hash = 0;
  }

  /** Where in `bytes` the current chunk ends; `undefined` when it goes on beyond them. */
  #scan(bytes: Uint8Array, start: number): number | undefined {
    // As if the whole chunk lay in `bytes`: then positions are the same however it came.
    const origin = start - this.#length;
    const stop = Math.min(origin + MAX_CHUNK, bytes.length);
    const easyFrom = Math.min(origin + EASY_FROM, stop);
    const hardFrom = Math.min(origin + MIN_CHUNK, stop);
    const gear = GEAR;
    // Without `| 0` the engine takes these for fractions, and the loops run at half the speed.
    let at = Math.max(start, origin + MIN_CHUNK - WINDOW) | 0;
    let hash = this.#hash | 0;
    for (; at < hardFrom; at++) hash = ((hash << 1) + (gear[bytes[at] as number] as number)) | 0;
    for (; at < easyFrom; at++) {
      hash = ((hash << 1) + (gear[bytes[at] as number] as number)) | 0;
      if ((hash & HARD) === 0) return at + 1;
    }
    for (; at < stop; at++) {
      hash = ((hash << 1) + (gear[bytes[at] as number] as number)) | 0;
      if ((hash & EASY) === 0) return at + 1;
    }
    this.#hash = hash;
    return stop === origin + MAX_CHUNK ? stop : undefined;
  }
}

export function* chunksOf(content: Uint8Array): Generator<Buffer> {
  const chunker = new Chunker();
  yield* chunker.push(content);
  yield* chunker.end();
}

/** Numbers without a pattern that any reader can make again. */
function gearTable(): Int32Array {
  const table = new Int32Array(256);
  for (let byte = 0; byte < table.length; byte++) {
    table[byte] = Number.parseInt(sha256(`cairn gear ${byte}`).slice(0, 8), 16);
  }
  return table;
}
