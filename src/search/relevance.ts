/**
 * What is relevant to a prompt, and whether anything is. A hit is not an answer: words that every text holds say nothing,
 * and the nearest text is near by chance where none is about the matter. So the best candidates are weighed:
 *
 * - `similarity`: how near the nearest passage of the text is in meaning. This says most.
 * - `aside`: how near the prompt is to matters that have no place in most stores; see elsewhere.ts.
 * - `told`: how much the prompt tells by rare words, and `covered`: how much of that the text holds. What is told and
 *   not held speaks against a text.
 * - `length`: a long text holds many words, and one near passage among many, by chance.
 * - `asked`: "go on" is near to something too, but short.
 * - `texts`: among more texts the nearest is nearer by chance.
 *
 * The weights are those of a logistic regression on the questions of bench/context marked "tune", made by
 * bench/context/fit.ts; see docs/decisions/relevance-floor.md.
 */
import type { Coverage, TextMatch, VectorShelf } from '../store/store.ts';
import { elsewhere } from './elsewhere.ts';
import type { Embedder } from './embed/embedder.ts';
import { meaningsOf } from './meaning.ts';
import { cosine } from './vector.ts';
import { wordsHeld } from './words.ts';

/** One kind of text to look through. */
export interface Source {
  readonly kind: string;
  readonly vectors: VectorShelf;
  matching(words: readonly string[], limit: number): Promise<TextMatch[]>;
  coverage(words: readonly string[], ids: readonly string[]): Promise<Coverage>;
}

/** A place of a longer text that was found some other way, and is weighed as a text of its own. */
export interface Passage {
  readonly kind: string;
  readonly id: string;
  readonly text: string;
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
  /** 0…1: how long the prompt is, where a line is long enough. */
  readonly asked: number;
  /** How many texts there are. */
  readonly texts: number;
  /** The cosine of the two in meaning; absent where that is not known. */
  readonly similarity?: number;
  /** That of the prompt and the matters it is nearest to that have no place here; there where `similarity` is. */
  readonly aside?: number;
  /** Another text is above the floor: see `BESIDE`. */
  readonly accompanied?: boolean;
}

const CANDIDATES = 12;
const MOST_WORDS = 24;
/** Wide enough for a dozen texts, although many may be of one. */
const PASSAGES = 60;
/** A prompt waits no longer for its vector than this. */
const VECTOR_MS = 150;
/** For those of a few passages. */
const PASSAGES_MS = 600;

/** The signs of the best candidates of every source. */
export async function signsOf(
  sources: readonly Source[],
  prompt: string,
  words: readonly string[],
  embedder: Embedder,
  passages: readonly Passage[] = [],
): Promise<{ signs: Signs[]; vectors: boolean }> {
  const telling = words.slice(0, MOST_WORDS);
  const meaning = await meaningOf(prompt, embedder);
  const vector = meaning?.vector;
  const found: { source: Source; coverage: Coverage }[] = [];
  for (const source of sources) {
    const near = vector === undefined ? [] : await meaningsOf(source.vectors, embedder).nearest(vector, PASSAGES);
    const matches = await source.matching(telling, CANDIDATES);
    const ids = new Set([...matches, ...near.slice(0, CANDIDATES)].map(({ id }) => id));
    found.push({ source, coverage: await source.coverage(telling, [...ids]) });
  }
  const weights = weightsOf(found.map(({ coverage }) => coverage));
  const asked = Math.min(1, prompt.trim().length / LINE);
  const texts = found.reduce((sum, { coverage }) => sum + coverage.texts, passages.length);
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
        asked,
        texts,
        ...(meaning && similarity !== undefined && { similarity, aside: meaning.aside }),
      });
    }
  }
  const near = meaning === undefined ? [] : await similarities(passages, meaning.vector, embedder);
  for (const [index, { kind, id, text }] of passages.entries()) {
    const similarity = near[index];
    signs.push({
      kind,
      id,
      ...telltale(weights, wordsHeld(text, telling)),
      length: text.length,
      asked,
      texts,
      ...(meaning && similarity !== undefined && { similarity, aside: meaning.aside }),
    });
  }
  const accompanied = signs.some(isRelevant);
  return { signs: signs.map((each) => ({ ...each, accompanied })), vectors: vector !== undefined };
}

/** Made when they are asked for: passages are few and short, and of a large store most are never asked for. */
async function similarities(passages: readonly Passage[], vector: Float32Array, embedder: Embedder) {
  if (passages.length === 0) return [];
  const signal = AbortSignal.timeout(PASSAGES_MS);
  const vectors = await embedder
    .embed(
      passages.map(({ text }) => text),
      { signal },
    )
    .catch(() => []);
  return vectors.map((each) => each && cosine(vector, each));
}

interface Meaning {
  readonly vector: Float32Array;
  readonly aside: number;
}

async function meaningOf(prompt: string, embedder: Embedder): Promise<Meaning | undefined> {
  const { state } = embedder.state();
  if (state === 'unavailable') return undefined;
  const aside = elsewhere(embedder);
  const asked = embedder
    .embed([prompt], { signal: AbortSignal.timeout(embedder.patienceMs ?? VECTOR_MS), as: 'query' })
    .catch(() => []);
  // The first question starts the model; it does not wait for it.
  if (state !== 'ready' || aside === undefined) return undefined;
  const [vector] = await asked;
  return vector && { vector, aside: aside(vector) };
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

/** As much as three words tell that no text holds. */
const ENOUGH = 3;

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

/** What each sign says for or against a text; `floor` is what they must add up to. */
interface Weights {
  readonly similarity: number;
  readonly aside: number;
  readonly held: number;
  readonly told: number;
  readonly length: number;
  readonly asked: number;
  readonly texts: number;
  readonly floor: number;
}

const BY_MEANING: Weights = {
  similarity: 18.11,
  aside: -20.54,
  held: 6.34,
  told: -5.62,
  length: -1.16,
  asked: 5.75,
  texts: -0.69,
  floor: 4.49,
};
/** By words alone: chosen by hand. Fitted weights were better where they were fitted, and no better elsewhere. */
const BY_WORDS = { floor: 0.42, length: 0.05, steep: 10 };
/** Of words alone two thirds are enough. */
const ENOUGH_WORDS = 2 / 3;
/** Beside a text above the floor others may lie so far below: the prompt has proved to be about something that is known. */
const BESIDE = 1;
/** In characters. */
const PASSAGE = 800;
const LINE = 60;
/** Between these numbers of texts it was measured what a number does. */
const FEWEST = 20;
const MOST = 1000;
/** Words alone are no proof if there is but one. */
const LEAST_WORDS = 2;

export function isRelevant(signs: Signs): boolean {
  const byWords = signs.similarity === undefined;
  if (byWords && signs.words < LEAST_WORDS) return false;
  return weigh(signs) >= (signs.accompanied && !byWords ? -BESIDE : 0);
}

/** How relevant, 0…1, for the order and the label: 0.5 at the floor. */
export function scoreOf(signs: Signs): number {
  return Math.round(1000 / (1 + Math.exp(-weigh(signs)))) / 1000;
}

/** How far above the floor, in log-odds. */
export function weigh(signs: Signs): number {
  const features = featuresOf(signs);
  if (signs.similarity === undefined) return weighWords(signs, features);
  return namesOf(features).reduce((sum, name) => sum + BY_MEANING[name] * features[name], -BY_MEANING.floor);
}

function weighWords({ told, covered }: Signs, { length }: Features): number {
  const held = Math.min(1, told / ENOUGH_WORDS) * covered;
  return BY_WORDS.steep * (held - BY_WORDS.length * length - BY_WORDS.floor);
}

export type Features = Omit<Weights, 'floor'>;

export function featuresOf({ told, covered, length, asked, texts, similarity = 0, aside = 0 }: Signs): Features {
  return {
    similarity,
    aside,
    held: told * covered,
    told,
    length: Math.log(Math.max(1, length / PASSAGE)),
    asked,
    texts: Math.log(Math.min(MOST, Math.max(FEWEST, texts)) / MOST),
  };
}

export function namesOf(features: Features): (keyof Features)[] {
  return Object.keys(features) as (keyof Features)[];
}
