/**
 * One order of what was found by words and what was found by meaning. Both are on scales of their own that hold for every
 * question and kind of text (a share of what was asked, and a cosine), so they are added as they are; among ranks the
 * differences would be lost. The best of that order then tell what the answer is about, and what is like them rises: see
 * docs/decisions/hybrid-ranking.md for the figures.
 */
import type { Meanings, Near } from './meaning.ts';
import type { Lean } from './question.ts';
import { unit } from './vector.ts';

export interface Worded {
  readonly id: string;
  /** 1 is what a text scores that holds everything that was asked for. */
  readonly score: number;
}

export interface Parts {
  readonly keyword: number;
  readonly vector?: number;
  /** Likeness to the best of the answer. */
  readonly feedback?: number;
}

export interface Ranked {
  readonly id: string;
  readonly score: number;
  readonly parts: Parts;
  /** The passage that is nearest in meaning. */
  readonly passage?: number;
}

/** How much the meaning counts. */
export const leaning: Readonly<Record<Lean, number>> = { letters: 0.25, words: 0.6, meaning: 0.6 };
const FEEDBACK = 0.5;
/** So many of the best tell what the answer is about. */
const TELLING = 5;
/** Passages that are looked at; wide enough for many texts, although several may be of one. */
const PASSAGES = 300;

export interface Asked {
  readonly vector: Float32Array;
  readonly meanings: Meanings;
  readonly accepts?: (id: string) => boolean;
}

export async function hybrid(worded: readonly Worded[], { vector, meanings, accepts }: Asked, lean: Lean) {
  const near = new Map((await meanings.nearest(vector, PASSAGES, accepts)).map((each) => [each.id, each]));
  const words = new Map(worded.map(({ id, score }) => [id, score]));
  const share = leaning[lean];
  const found = [...new Set([...words.keys(), ...near.keys()])].map((id): Ranked => {
    const keyword = words.get(id) ?? 0;
    const nearest = near.get(id) ?? meanings.near(vector, id);
    // What has no vector is not far, but unknown: it has the words alone.
    if (nearest === undefined) return { id, score: (1 - share) * keyword, parts: { keyword } };
    return withMeaning(id, keyword, nearest, share);
  });
  const order = found.sort(byScore);
  return lean === 'letters' ? order : fedBack(order, meanings);
}

function withMeaning(id: string, keyword: number, { similarity, passage }: Near, share: number): Ranked {
  const vector = Math.max(0, similarity);
  return { id, score: (1 - share) * keyword + share * vector, parts: { keyword, vector }, passage };
}

/** By meaning alone. */
export async function byMeaning({ vector, meanings, accepts }: Asked): Promise<Ranked[]> {
  const near = await meanings.nearest(vector, PASSAGES, accepts);
  return near.map(({ id, similarity, passage }) => ({
    id,
    score: Math.max(0, similarity),
    parts: { keyword: 0, vector: similarity },
    passage,
  }));
}

export function byWords(worded: readonly Worded[]): Ranked[] {
  return worded.map(({ id, score }) => ({ id, score: score / (1 + score), parts: { keyword: score } }));
}

function fedBack(order: readonly Ranked[], meanings: Meanings): Ranked[] {
  const vectors = new Map<string, Float32Array>();
  for (const { id, passage } of order.slice(0, TELLING)) {
    const own = passage === undefined ? undefined : meanings.vectorOf(id, passage);
    if (own !== undefined) vectors.set(id, own);
  }
  const centre = centreOf(order, vectors);
  if (centre === undefined) return [...order];
  return order
    .map((each): Ranked => {
      const like = each.passage === undefined ? undefined : meanings.likeness(centre, each.id, each.passage);
      const feedback = Math.max(0, like ?? 0);
      return {
        ...each,
        score: (each.score + FEEDBACK * feedback) / (1 + FEEDBACK),
        parts: { ...each.parts, ...(like !== undefined && { feedback }) },
      };
    })
    .sort(byScore);
}

function centreOf(order: readonly Ranked[], vectors: ReadonlyMap<string, Float32Array>): Float32Array | undefined {
  const best = order.slice(0, TELLING).filter(({ id }) => vectors.has(id));
  const dimensions = vectors.get(best[0]?.id ?? '')?.length;
  if (dimensions === undefined) return undefined;
  const centre = new Float32Array(dimensions);
  for (const { id, score } of best) {
    const own = vectors.get(id) ?? centre;
    for (let i = 0; i < dimensions; i++) centre[i] = (centre[i] as number) + score * (own[i] as number);
  }
  return unit(centre);
}

function byScore(a: Ranked, b: Ranked): number {
  return b.score - a.score || (a.id < b.id ? -1 : 1);
}
