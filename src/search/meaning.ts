/**
 * The vectors of one kind of text: kept in memory for the scan, and filled in the background while a server runs. A
 * question never waits for them: where the model is not loaded yet, it is started, and the words answer meanwhile.
 */
import type { VectorShelf } from '../store/store.ts';
import type { Embedder } from './embed/embedder.ts';
import { type Codes, encode, nearest, pack } from './vector.ts';

export interface Near {
  readonly id: string;
  readonly similarity: number;
}

const BATCH = 16;
/** Longer than any batch takes; whoever dies in the middle holds the others up for no longer. */
const CLAIM_MS = 30_000;
const PAUSE_MS = 200;

export class Meanings {
  readonly #shelf: VectorShelf;
  readonly #embedder: Embedder;
  readonly #codes = new Map<string, Uint8Array>();
  #ids: string[] = [];
  #packed: Codes | undefined;
  #version = 0;
  #filling: Promise<void> | undefined;

  constructor(shelf: VectorShelf, embedder: Embedder) {
    this.#shelf = shelf;
    this.#embedder = embedder;
  }

  /** The texts nearest in meaning, best first. */
  async nearest(vector: Float32Array, limit: number): Promise<Near[]> {
    const codes = await this.#current();
    return nearest(vector, codes, limit).map(({ index, similarity }) => ({ id: this.#ids[index] ?? '', similarity }));
  }

  /** Makes vectors for what has none, unless another process is at it. */
  fill(): void {
    this.#filling ??= this.#fill()
      .catch(() => {})
      .finally(() => {
        this.#filling = undefined;
      });
  }

  async #current(): Promise<Codes> {
    const { version, vectors } = await this.#shelf.since(this.#embedder.model, this.#version);
    this.#version = version;
    for (const { id, code } of vectors) this.#codes.set(id, code);
    if (vectors.length > 0 || this.#packed === undefined) {
      this.#ids = [...this.#codes.keys()];
      this.#packed = pack([...this.#codes.values()], this.#embedder.dimensions);
    }
    return this.#packed;
  }

  async #fill(): Promise<void> {
    const { model } = this.#embedder;
    for (;;) {
      const texts = await this.#shelf.missing(model, BATCH);
      if (texts.length === 0 || !(await this.#shelf.claim(CLAIM_MS))) return;
      const vectors = await this.#embedder.embed(texts.map(({ text }) => text));
      await this.#shelf.put(
        model,
        texts.map(({ id, hash }, at) => {
          const vector = vectors[at];
          return { id, hash, ...(vector !== undefined && { code: encode(vector) }) };
        }),
      );
      await this.#shelf.claim(0);
      // Answers come first: on a machine with few cores the model would take them all.
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref());
    }
  }
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
