/**
 * The vectors of one kind of text: kept in memory for the scan, and filled in the background while a server runs. A
 * question never waits for them: where the model is not loaded yet, it is started, and the words answer meanwhile.
 */
import type { VectorShelf } from '../store/store.ts';
import type { Embedder, Embedding } from './embed/embedder.ts';
import { passagesOf } from './passages.ts';
import { type Codes, chosen, encode, nearest, pack, similarityAt, vectorAt } from './vector.ts';

export interface Near {
  readonly id: string;
  /** That of its nearest passage. */
  readonly similarity: number;
  /** Which passage of the text that is. */
  readonly passage: number;
}

/** How a text becomes passages; `undefined` where it is gone. */
export type ReadPassages = (text: { hash: string; title: string; body?: string }) => Promise<string[] | undefined>;

const wholeText: ReadPassages = async ({ title, body = '' }) => passagesOf(title, body);

/** So many passages go to the model between two pauses: below a second of work. */
const BATCH = 16;
/** How many texts are looked for at once: to find those without vectors costs a look at all. */
const LOOKED_FOR = 64;
/** Longer than a portion takes; whoever dies in the middle holds the others up for no longer. */
const CLAIM_MS = 15_000;
/** Until the next look while another process is at it. */
const OTHERS_MS = 2000;
const PAUSE_MS = 200;
const PROGRESS_MS = 1000;
/** So many passages that nobody is answered with do no harm. */
const MOST_DEAD = 2000;

/** A question waits no longer than this for vectors that are not in memory yet. */
const WAIT_MS = 100;

export class Meanings {
  readonly #shelf: VectorShelf;
  readonly #embedder: Embedder;
  readonly #passages: ReadPassages;
  #packed: Codes | undefined;
  /** Whose passage each packed code is; nobody's where the text was embedded again. */
  #owners: (string | undefined)[] = [];
  /** Which passage of its text each is. */
  #numbers: number[] = [];
  /** Passages that are nobody's. */
  #dead = 0;
  /** Where the passages of a text lie. */
  readonly #places = new Map<string, { readonly from: number; readonly to: number }>();
  #version = 0;
  #progressed = { at: Number.NEGATIVE_INFINITY, done: 0, of: 0 };
  #catchingUp: Promise<void> | undefined;
  #filling: Promise<void> | undefined;

  constructor(shelf: VectorShelf, embedder: Embedder, passages: ReadPassages = wholeText) {
    this.#shelf = shelf;
    this.#embedder = embedder;
    this.#passages = passages;
  }

  /** The texts that the nearest passages are of, best first; of those that are accepted, where it matters. */
  async nearest(vector: Float32Array, passages: number, accepts?: (id: string) => boolean): Promise<Near[]> {
    await this.#current();
    if (this.#packed === undefined || this.#packed.dimensions !== vector.length) return [];
    const best = new Map<string, Near>();
    for (const { index, similarity } of nearest(vector, this.#packed, passages, this.#among(accepts))) {
      const id = this.#owners[index];
      if (id !== undefined && !best.has(id)) best.set(id, { id, similarity, passage: this.#numbers[index] ?? 0 });
    }
    return [...best.values()];
  }

  /** Which passages are somebody's that is accepted; nothing where all are, for to ask for each takes as long as the scan. */
  #among(accepts: ((id: string) => boolean) | undefined): ((index: number) => boolean) | undefined {
    if (accepts === undefined && this.#dead === 0) return undefined;
    return (index) => {
      const owner = this.#owners[index];
      return owner !== undefined && (accepts === undefined || accepts(owner));
    };
  }

  /** How near one text is, as of the last search; nothing where it has no vectors, or not yet. */
  similarity(vector: Float32Array, id: string): number | undefined {
    return this.near(vector, id)?.similarity;
  }

  near(vector: Float32Array, id: string): Near | undefined {
    const place = this.#places.get(id);
    if (place === undefined || this.#packed?.dimensions !== vector.length) return undefined;
    let best = { index: place.from, similarity: -1 };
    for (let index = place.from; index < place.to; index++) {
      const similarity = similarityAt(this.#packed, index, vector);
      if (similarity > best.similarity) best = { index, similarity };
    }
    return { id, similarity: best.similarity, passage: this.#numbers[best.index] ?? 0 };
  }

  /** That of one passage of a text. */
  vectorOf(id: string, passage: number): Float32Array | undefined {
    const index = this.#indexOf(id, passage);
    return index === undefined || this.#packed === undefined ? undefined : vectorAt(this.#packed, index);
  }

  /** How near one passage of a text is. */
  likeness(vector: Float32Array, id: string, passage: number): number | undefined {
    const index = this.#indexOf(id, passage);
    return index === undefined || this.#packed === undefined ? undefined : similarityAt(this.#packed, index, vector);
  }

  #indexOf(id: string, passage: number): number | undefined {
    const { from = 0, to = 0 } = this.#places.get(id) ?? {};
    for (let index = from; index < to; index++) if (this.#numbers[index] === passage) return index;
    return undefined;
  }

  /** How many texts have vectors, or need none; as of the last second, for it takes a look at them all. */
  async progress(): Promise<{ done: number; of: number }> {
    const now = performance.now();
    if (now - this.#progressed.at > PROGRESS_MS)
      this.#progressed = { at: now, ...(await this.#shelf.progress(this.#embedder.model)) };
    return this.#progressed;
  }

  /** Makes vectors for what has none, unless another process is at it. Stops when the embedder is closed. */
  fill(): void {
    // Without a model there is nothing to read the texts for.
    if (this.#embedder.state().state !== 'unavailable') this.filled(PAUSE_MS).catch(() => {});
  }

  /** The same, to wait for; `report` hears after each portion. */
  filled(pauseMs: number, report: () => Promise<void> = async () => {}): Promise<void> {
    this.#filling ??= this.#fill(pauseMs, report).finally(() => {
      this.#filling = undefined;
    });
    return this.#filling;
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
    const { model } = this.#embedder;
    const parts = this.#packed === undefined ? [] : [this.#packed];
    const added: { id: string; passages: readonly number[] }[] = [];
    let version = this.#version;
    for (let more = true; more; ) {
      const page = await this.#shelf.since(model, version);
      ({ version, more } = page);
      // A model that was exchanged under its name has vectors of another length, which mean nothing beside these.
      const dimensions =
        parts[0]?.dimensions ?? page.vectors.find((each) => each.codes.length > 0)?.codes[0]?.length ?? 0;
      const fitting = page.vectors.map((each) =>
        each.codes.every((own) => own.length === dimensions) ? each : { ...each, codes: [], passages: [] },
      );
      for (const { id, passages } of fitting) added.push({ id, passages });
      const codes = fitting.flatMap((each) => each.codes);
      if (codes.length > 0) parts.push(pack(codes, dimensions));
      if (more) await new Promise(setImmediate);
    }
    this.#packed = parts.length > 1 ? joined(parts) : parts[0];
    for (const { id, passages } of added) this.#place(id, passages);
    this.#tidy();
    this.#version = version;
  }

  /** Passages of texts that changed or went stay where they lie until they are as many as the others. */
  #tidy(): void {
    const living = this.#owners.length - this.#dead;
    if (this.#packed === undefined || this.#dead < MOST_DEAD || this.#dead < living) return;
    const alive = this.#owners.flatMap((owner, index) => (owner === undefined ? [] : [index]));
    this.#packed = chosen(this.#packed, alive);
    this.#numbers = alive.map((index) => this.#numbers[index] ?? 0);
    this.#owners = alive.map((index) => this.#owners[index]);
    this.#dead = 0;
    this.#places.clear();
    for (const [index, owner] of this.#owners.entries()) {
      if (owner === undefined) continue;
      const place = this.#places.get(owner);
      this.#places.set(owner, { from: place?.from ?? index, to: index + 1 });
    }
  }

  #place(id: string, passages: readonly number[]): void {
    const old = this.#places.get(id);
    if (old !== undefined) {
      this.#owners.fill(undefined, old.from, old.to);
      this.#dead += old.to - old.from;
    }
    this.#places.delete(id);
    if (passages.length === 0) return;
    const from = this.#owners.length;
    for (const passage of passages) {
      this.#owners.push(id);
      this.#numbers.push(passage);
    }
    this.#places.set(id, { from, to: from + passages.length });
  }

  async #fill(pauseMs: number, report: () => Promise<void>): Promise<void> {
    const { model } = this.#embedder;
    for (;;) {
      const missing = await this.#shelf.missing(model, LOOKED_FOR);
      if (missing.length === 0) return;
      const texts: { id: string; hash: string; passages: readonly string[] }[] = [];
      for (const text of missing) {
        const { id, hash } = text;
        texts.push({ id, hash, passages: (await this.#passages(text)) ?? [] });
      }
      for (const batch of batchesOf(texts)) {
        if (!(await this.#shelf.claim(CLAIM_MS))) {
          await report();
          await new Promise((resolve) => {
            const timer = setTimeout(resolve, OTHERS_MS);
            // Only who waits for the end keeps the process alive.
            if (pauseMs > 0) timer.unref();
          });
          break;
        }
        const vectors = await this.#embed(
          batch.flatMap(({ passages }) => passages),
          pauseMs,
        );
        await this.#shelf.put(
          model,
          batch.map(({ id, hash, passages }) => ({ id, hash, codes: vectors.splice(0, passages.length).map(code) })),
        );
        await this.#shelf.claim(0);
        this.#progressed = { at: Number.NEGATIVE_INFINITY, done: 0, of: 0 };
        await report();
      }
    }
  }

  async #embed(passages: readonly string[], pauseMs: number): Promise<Embedding[]> {
    const vectors: Embedding[] = [];
    for (let at = 0; at < passages.length; at += BATCH) {
      vectors.push(...(await this.#embedder.embed(passages.slice(at, at + BATCH))));
      // Answers come first: on a machine with few cores the model would take them all.
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
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

export function meaningsOf(shelf: VectorShelf, embedder: Embedder, passages?: ReadPassages): Meanings {
  let meanings = kept.get(shelf);
  if (meanings === undefined) {
    meanings = new Meanings(shelf, embedder, passages);
    kept.set(shelf, meanings);
  }
  return meanings;
}
