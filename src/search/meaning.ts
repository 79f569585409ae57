/**
 * The vectors of one kind of text: kept in memory for the scan, and filled in the background while a server runs. A
 * question never waits for them: where the model is not loaded yet, it is started, and the words answer meanwhile.
 */
import type { VectorShelf } from '../store/store.ts';
import type { Embedder, Embedding } from './embed/embedder.ts';
import { passagesOf } from './passages.ts';
import { type Codes, encode, nearest, pack } from './vector.ts';

export interface Near {
  readonly id: string;
  /** That of its nearest passage. */
  readonly similarity: number;
}

/** So many passages go to the model between two pauses: below a second of work. */
const BATCH = 16;
/** How many texts are looked for at once: to find those without vectors costs a look at all. */
const LOOKED_FOR = 64;
/** Longer than any text takes; whoever dies in the middle holds the others up for no longer. */
const CLAIM_MS = 60_000;
const PAUSE_MS = 200;

/** A question waits no longer than this for vectors that are not in memory yet. */
const WAIT_MS = 100;

export class Meanings {
  readonly #shelf: VectorShelf;
  readonly #embedder: Embedder;
  #packed: Codes;
  /** Whose passage each packed code is; nobody's where the text was embedded again. */
  #owners: (string | undefined)[] = [];
  /** Where the passages of a text lie. */
  readonly #places = new Map<string, { readonly from: number; readonly to: number }>();
  #version = 0;
  #catchingUp: Promise<void> | undefined;
  #filling: Promise<void> | undefined;

  constructor(shelf: VectorShelf, embedder: Embedder) {
    this.#shelf = shelf;
    this.#embedder = embedder;
    this.#packed = pack([], embedder.dimensions);
  }

  /** The texts that the nearest passages are of, best first. */
  async nearest(vector: Float32Array, passages: number): Promise<Near[]> {
    await this.#current();
    const best = new Map<string, number>();
    const alive = (index: number) => this.#owners[index] !== undefined;
    for (const { index, similarity } of nearest(vector, this.#packed, passages, alive)) {
      const owner = this.#owners[index];
      if (owner !== undefined && !best.has(owner)) best.set(owner, similarity);
    }
    return [...best].map(([id, similarity]) => ({ id, similarity }));
  }

  /** How near one text is, as of the last search; nothing where it has no vectors, or not yet. */
  similarity(vector: Float32Array, id: string): number | undefined {
    const place = this.#places.get(id);
    if (place === undefined) return undefined;
    const { codes, scales, dimensions } = this.#packed;
    let best = -1;
    for (let passage = place.from; passage < place.to; passage++) {
      let sum = 0;
      for (let i = 0; i < dimensions; i++) sum += (vector[i] as number) * (codes[passage * dimensions + i] as number);
      best = Math.max(best, sum * (scales[passage] as number));
    }
    return best;
  }

  /** Makes vectors for what has none, unless another process is at it. */
  fill(): void {
    this.#filling ??= this.#fill()
      .catch(() => {})
      .finally(() => {
        this.#filling = undefined;
      });
  }

  /** Takes in what came since the last time. What are many at a start goes on beside the answer, which then has none yet. */
  async #current(): Promise<void> {
    this.#catchingUp ??= this.#catchUp().finally(() => {
      this.#catchingUp = undefined;
    });
    const late = new Promise<void>((resolve) => setTimeout(resolve, WAIT_MS).unref());
    await Promise.race([this.#catchingUp, late]);
  }

  async #catchUp(): Promise<void> {
    const { model, dimensions } = this.#embedder;
    const parts = [this.#packed];
    const added: { id: string; count: number }[] = [];
    let version = this.#version;
    for (let more = true; more; ) {
      const page = await this.#shelf.since(model, version);
      ({ version, more } = page);
      for (const { id, codes } of page.vectors) added.push({ id, count: codes.length });
      if (page.vectors.length > 0)
        parts.push(
          pack(
            page.vectors.flatMap(({ codes }) => codes),
            dimensions,
          ),
        );
      if (more) await new Promise(setImmediate);
    }
    if (parts.length > 1) this.#packed = joined(parts);
    for (const { id, count } of added) this.#place(id, count);
    this.#version = version;
  }

  #place(id: string, count: number): void {
    const old = this.#places.get(id);
    if (old !== undefined) this.#owners.fill(undefined, old.from, old.to);
    this.#places.delete(id);
    if (count === 0) return;
    const from = this.#owners.length;
    for (let added = 0; added < count; added++) this.#owners.push(id);
    this.#places.set(id, { from, to: from + count });
  }

  async #fill(): Promise<void> {
    const { model } = this.#embedder;
    for (;;) {
      const missing = await this.#shelf.missing(model, LOOKED_FOR);
      if (missing.length === 0) return;
      const texts = missing.map(({ id, hash, title, body }) => ({ id, hash, passages: passagesOf(title, body) }));
      for (const batch of batchesOf(texts)) {
        if (!(await this.#shelf.claim(CLAIM_MS))) return;
        const vectors = await this.#embed(batch.flatMap(({ passages }) => passages));
        await this.#shelf.put(
          model,
          batch.map(({ id, hash, passages }) => ({ id, hash, codes: vectors.splice(0, passages.length).map(code) })),
        );
        await this.#shelf.claim(0);
      }
    }
  }

  async #embed(passages: readonly string[]): Promise<Embedding[]> {
    const vectors: Embedding[] = [];
    for (let at = 0; at < passages.length; at += BATCH) {
      vectors.push(...(await this.#embedder.embed(passages.slice(at, at + BATCH))));
      // Answers come first: on a machine with few cores the model would take them all.
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref());
    }
    return vectors;
  }
}

function joined(parts: readonly Codes[]): Codes {
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  const dimensions = parts[0]?.dimensions ?? 0;
  const words = Math.ceil(dimensions / 32);
  const all: Codes = {
    dimensions,
    count,
    codes: new Int8Array(count * dimensions),
    scales: new Float32Array(count),
    signs: new Int32Array(count * words),
  };
  let at = 0;
  for (const { codes, scales, signs, count: own } of parts) {
    all.codes.set(codes, at * dimensions);
    all.scales.set(scales, at);
    all.signs.set(signs, at * words);
    at += own;
  }
  return all;
}

/** Whole texts, one at least: what is stopped in the middle has lost no more than that. */
function batchesOf<T extends { readonly passages: readonly string[] }>(texts: readonly T[]): T[][] {
  const batches: T[][] = [];
  let room = 0;
  for (const text of texts) {
    if (text.passages.length > room) {
      batches.push([]);
      room = BATCH;
    }
    batches.at(-1)?.push(text);
    room -= text.passages.length;
  }
  return batches;
}

function code(vector: Embedding): Uint8Array | undefined {
  return vector && encode(vector);
}

const kept = new WeakMap<VectorShelf, Meanings>();

export function meaningsOf(shelf: VectorShelf, embedder: Embedder): Meanings {
  let meanings = kept.get(shelf);
  if (meanings === undefined) {
    meanings = new Meanings(shelf, embedder);
    kept.set(shelf, meanings);
  }
  return meanings;
}
