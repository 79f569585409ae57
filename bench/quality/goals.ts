/** What the search is to reach on the judged sets, and whether it does. Pure. */
import { mean, type Scores } from './metrics.ts';
import type { SetName } from './sets.ts';

/** The scores of each question, by who found it: `floor`, `keyword`, `semantic`, `hybrid`. */
export type Runs = ReadonlyMap<string, readonly Scores[]>;

export interface Verdict {
  readonly goal: string;
  readonly reached: number;
  readonly least: number;
  readonly kept: boolean;
}

interface Goal {
  readonly metric: 'ndcg' | 'mrr';
  readonly least: number;
}

const hybridGoals: Readonly<Record<SetName, Goal>> = {
  scifact: { metric: 'ndcg', least: 0.74 },
  cranfield: { metric: 'ndcg', least: 0.58 },
  cosqa: { metric: 'mrr', least: 0.45 },
};

export const metricNames = { ndcg: 'nDCG@10', recall: 'R@10', mrr: 'MRR@10', deep: 'R@all' } as const;

/** Those that can be told from what was run. */
export function verdictsOn(set: SetName, runs: Runs): Verdict[] {
  const { metric, least } = hybridGoals[set];
  const name = metricNames[metric];
  const value = (run: string, of: Goal['metric'] = 'ndcg') => {
    const scores = runs.get(run);
    return scores && mean(scores.map((each) => each[of]));
  };
  const [floor, keyword, hybrid] = [value('floor'), value('keyword'), value('hybrid')];
  const reached = value('hybrid', metric);
  return [
    ...(reached === undefined ? [] : [verdict(`${set}: hybrid ${name}`, reached, least)]),
    ...(keyword === undefined || floor === undefined
      ? []
      : [verdict(`${set}: keyword against the floor`, keyword, floor)]),
    ...(hybrid === undefined || keyword === undefined
      ? []
      : [verdict(`${set}: hybrid against keyword`, hybrid, keyword)]),
  ];
}

export function verdict(goal: string, reached: number, least: number): Verdict {
  // As they are printed: what looks the same is the same.
  return { goal, reached, least, kept: Number(reached.toFixed(3)) >= Number(least.toFixed(3)) };
}
