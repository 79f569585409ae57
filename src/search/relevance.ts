/**
 * What is relevant to a prompt, and whether anything is. A hit is not an answer: words that every text holds say nothing, and
 * a prompt about something else shares a word with everything. Two signs are weighed against a floor that was set on judged
 * questions (bench/context): how much of what the prompt tells a text holds, and how near the two are in meaning.
 */
import type { Coverage, TextMatch, VectorShelf } from '../store/store.ts';
import type { Embedder } from './embed/embedder.ts';
import { meaningsOf } from './meaning.ts';

/** One kind of text to look through. */
export interface Source {
  readonly kind: string;
  readonly vectors: VectorShelf;
  matching(words: readonly string[], limit: number): Promise<TextMatch[]>;
  coverage(words: readonly string[], ids: readonly string[]): Promise<Coverage>;
}

export interface Signs {
  readonly kind: string;
  readonly id: string;
  /** The share of what the prompt tells, by the rarity of its words, that the text holds. */
  readonly covered: number;
  /** How many of its words the text holds. */
  readonly words: number;
  /** The cosine of the two in meaning; absent where that is not known. */
  readonly similarity?: number;
}

const CANDIDATES = 12;
const MOST_WORDS = 24;
/** A prompt waits no longer for its vector than this. */
const VECTOR_MS = 150;

/** The signs of the best candidates of every source. */
export async function signsOf(
  sources: readonly Source[],
  prompt: string,
  words: readonly string[],
  embedder: Embedder,
): Promise<{ signs: Signs[]; vectors: boolean }> {
  const telling = words.slice(0, MOST_WORDS);
  const vector = await vectorOf(prompt, embedder);
  const signs: Signs[] = [];
  for (const source of sources) {
    const near = vector === undefined ? [] : await meaningsOf(source.vectors, embedder).nearest(vector, NEIGHBOURS);
    const similarity = new Map(near.map((each) => [each.id, each.similarity]));
    const matches = await source.matching(telling, CANDIDATES);
    const ids = new Set([...matches.map(({ id }) => id), ...near.slice(0, CANDIDATES).map(({ id }) => id)]);
    const coverage = await source.coverage(telling, [...ids]);
    for (const id of ids) {
      const held = coverage.holds.get(id);
      if (held === undefined) continue;
      const alike = similarity.get(id);
      signs.push({
        kind: source.kind,
        id,
        ...covering(coverage, held),
        ...(alike !== undefined && { similarity: alike }),
      });
    }
  }
  return { signs, vectors: vector !== undefined };
}

/** Wide enough that every candidate by words has its similarity, unless it is far from the best anyway. */
const NEIGHBOURS = 200;

async function vectorOf(prompt: string, embedder: Embedder): Promise<Float32Array | undefined> {
  const { state } = embedder.state();
  if (state === 'unavailable') return undefined;
  const asked = embedder.embed([prompt], { signal: AbortSignal.timeout(VECTOR_MS) }).then(
    ([vector]) => vector,
    () => undefined,
  );
  // The first question starts the model; it does not wait for it.
  return state === 'ready' ? asked : undefined;
}

function covering({ texts, frequencies }: Coverage, held: readonly boolean[]): Pick<Signs, 'covered' | 'words'> {
  const weights = frequencies.map((frequency) => Math.log(1 + (texts + 1) / (frequency + 0.5)));
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const own = weights.reduce((sum, weight, at) => sum + (held[at] ? weight : 0), 0);
  return { covered: all === 0 ? 0 : own / all, words: held.filter(Boolean).length };
}

/**
 * The floor: nearness in meaning, and a little for words in common. Where the meaning is not known, most of what the prompt
 * tells must be there. Chosen on the questions of bench/context marked "tune", reported on those marked "check".
 */
const FLOOR = 0.41;
const WORDS_FLOOR = 0.5;
const WORDS_WEIGHT = 0.2;

export function isRelevant(signs: Signs): boolean {
  return signs.similarity === undefined ? signs.words >= 2 && signs.covered >= WORDS_FLOOR : weigh(signs) >= FLOOR;
}

/** How relevant, 0…1, for the order and the label. */
export function scoreOf(signs: Signs): number {
  return Math.round(Math.min(1, Math.max(0, weigh(signs))) * 1000) / 1000;
}

function weigh({ covered, similarity }: Signs): number {
  return similarity === undefined ? covered : similarity + WORDS_WEIGHT * covered;
}
