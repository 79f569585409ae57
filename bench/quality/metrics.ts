/**
 * How good a ranking is. nDCG is that of trec_eval: the gain is the judgment itself, not a power of two, and the best
 * possible ranking is made of all judgments. Pure.
 */
import { below, type Random } from '../documents/random.ts';
import { percentile } from '../stats.ts';

export const CUT = 10;
export const metrics = ['ndcg', 'recall', 'mrr', 'deep'] as const;
export type Metric = (typeof metrics)[number];

/** Of one question. `deep` is the recall of the whole ranking. */
export type Scores = Readonly<Record<Metric, number>>;

export function scoresOf(ranked: readonly string[], judged: ReadonlyMap<string, number>): Scores {
  const gains = ranked.map((id) => judged.get(id) ?? 0);
  const first = gains.slice(0, CUT);
  const best = [...judged.values()].toSorted((a, b) => b - a).slice(0, CUT);
  const right = [...judged.values()].filter((gain) => gain > 0).length;
  const place = first.findIndex((gain) => gain > 0);
  const found = (of: readonly number[]) => of.filter((gain) => gain > 0).length / Math.max(1, right);
  return {
    ndcg: right === 0 ? 0 : discounted(first) / discounted(best),
    recall: found(first),
    mrr: place < 0 ? 0 : 1 / (place + 1),
    deep: found(gains),
  };
}

function discounted(gains: readonly number[]): number {
  return gains.reduce((sum, gain, place) => sum + gain / Math.log2(place + 2), 0);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

export interface Interval {
  readonly low: number;
  readonly high: number;
}

const ROUNDS = 2000;

/** Where the mean lies in 95 of 100 draws of as many questions out of these: the bootstrap of paired differences. */
export function intervalOf(differences: readonly number[], random: Random): Interval {
  if (differences.length === 0) throw new Error('No differences, no interval');
  const means = Array.from({ length: ROUNDS }, () => {
    let sum = 0;
    for (let draw = 0; draw < differences.length; draw++) sum += differences[below(random, differences.length)] ?? 0;
    return sum / differences.length;
  });
  return { low: percentile(means, 2.5), high: percentile(means, 97.5) };
}
