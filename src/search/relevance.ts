/**
 * What is relevant to a prompt, and whether anything is. A hit is not an answer: words that every text holds say nothing,
 * and the nearest text is near by chance where none is about the matter. So the best candidates are weighed:
 *
 * - `similarity`: how near the nearest passage of the text is in meaning. This says most.
 * - `told`: how much the prompt tells, where two words that no text holds tell enough (1). "Go on, please" tells next
 *   to nothing, and is near to something all the same.
 * - `covered`: how much of that the text holds, the rarer words counting more.
 * - `length`: a long text holds many words, and one near passage among many, by chance.
 *
 * The weights and the floor were chosen on the questions of bench/context marked "tune"; see
 * docs/decisions/relevance-floor.md.
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
  /** 0…1, the same for every text. */
  readonly told: number;
  /** 0…1 of what is told. */
  readonly covered: number;
  /** How many of its words the text holds. */
  readonly words: number;
  /** In characters. */
  readonly length: number;
  /** The cosine of the two in meaning; absent where that is not known. */
  readonly similarity?: number;
  /** Another text is above the floor: see `BESIDE`. */
  readonly accompanied?: boolean;
}

const CANDIDATES = 12;
const MOST_WORDS = 24;
/** Wide enough for a dozen texts, although many may be of one. */
const PASSAGES = 60;
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
  const found: { source: Source; coverage: Coverage }[] = [];
  for (const source of sources) {
    const near = vector === undefined ? [] : await meaningsOf(source.vectors, embedder).nearest(vector, PASSAGES);
    const matches = await source.matching(telling, CANDIDATES);
    const ids = new Set([...matches, ...near.slice(0, CANDIDATES)].map(({ id }) => id));
    found.push({ source, coverage: await source.coverage(telling, [...ids]) });
  }
  const weights = weightsOf(found.map(({ coverage }) => coverage));
  const signs: Signs[] = [];
  for (const { source, coverage } of found) {
    const meanings = meaningsOf(source.vectors, embedder);
    for (const [id, { words: held, length }] of coverage.holds) {
      const similarity = vector && meanings.similarity(vector, id);
      signs.push({
        kind: source.kind,
        id,
        ...telltale(weights, held),
        length,
        ...(similarity !== undefined && { similarity }),
      });
    }
  }
  const accompanied = signs.some(isRelevant);
  return { signs: signs.map((each) => ({ ...each, accompanied })), vectors: vector !== undefined };
}

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

/** How telling each word is, 0…1, by how few texts of any kind hold it. */
export function weightsOf(coverages: readonly Pick<Coverage, 'texts' | 'frequencies'>[]): number[] {
  const texts = coverages.reduce((sum, coverage) => sum + coverage.texts, 0);
  const rarity = (frequency: number) => Math.log(1 + (texts + 1) / (frequency + 0.5));
  const [first] = coverages;
  return (first?.frequencies ?? []).map((_, word) => {
    const frequency = coverages.reduce((sum, { frequencies }) => sum + (frequencies[word] ?? 0), 0);
    return rarity(frequency) / rarity(0);
  });
}

/** As much as two words tell that no text holds. */
const ENOUGH = 2;

export function telltale(
  weights: readonly number[],
  held: readonly boolean[],
): Pick<Signs, 'told' | 'covered' | 'words'> {
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const own = weights.reduce((sum, weight, at) => sum + (held[at] ? weight : 0), 0);
  return {
    told: Math.min(1, all / ENOUGH),
    covered: all === 0 ? 0 : own / all,
    words: held.filter(Boolean).length,
  };
}

const FLOOR = 0.42;
/** Beside a text above the floor others may lie so far below: the prompt has proved to be about something that is known. */
const BESIDE = 0.05;
const WORDS_WEIGHT = 0.2;
/** For each e-fold that a text is longer than a passage. */
const LENGTH_WEIGHT = 0.025;
const PASSAGE = 800;
/** Words alone are no proof if there is but one. */
const LEAST_WORDS = 2;

export function isRelevant(signs: Signs): boolean {
  const byWords = signs.similarity === undefined;
  if (byWords && signs.words < LEAST_WORDS) return false;
  return weigh(signs) >= (signs.accompanied && !byWords ? FLOOR - BESIDE : FLOOR);
}

/** How relevant, 0…1, for the order and the label. */
export function scoreOf(signs: Signs): number {
  return Math.round(Math.min(1, Math.max(0, weigh(signs))) * 1000) / 1000;
}

/** Without the meaning the words must make up for it, and a length says more about them. */
function weigh({ told, covered, length, similarity }: Signs): number {
  const longer = LENGTH_WEIGHT * Math.log(Math.max(1, length / PASSAGE));
  if (similarity === undefined) return told * covered - 2 * longer;
  return similarity + WORDS_WEIGHT * (told * (1 + covered) - 1) - longer;
}
