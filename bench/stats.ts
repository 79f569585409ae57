/** What a list of measurements says: its median and how far it spreads, alone or as ratios of pairs. Pure. */

export interface Summary {
  readonly median: number;
  readonly p10: number;
  readonly p90: number;
  readonly samples: number;
}

export function summarize(values: readonly number[]): Summary {
  return {
    median: percentile(values, 50),
    p10: percentile(values, 10),
    p90: percentile(values, 90),
    samples: values.length,
  };
}

/**
 * Each subject over the baseline measured beside it. The median of the ratios, not the ratio of the medians: a busy
 * moment of the machine hits both halves of a pair and cancels out.
 */
export function ratio(subjects: readonly number[], baselines: readonly number[]): Summary {
  if (subjects.length !== baselines.length) {
    throw new Error(`${subjects.length} measurements have ${baselines.length} baselines; they must be pairs`);
  }
  return summarize(subjects.map((subject, pair) => subject / (baselines[pair] ?? Number.NaN)));
}

/** Interpolates between the two nearest ranks. */
export function percentile(values: readonly number[], percent: number): number {
  if (values.length === 0) throw new Error('No measurements, no percentile');
  const sorted = values.toSorted((a, b) => a - b);
  const rank = ((sorted.length - 1) * percent) / 100;
  const below = sorted[Math.floor(rank)] ?? Number.NaN;
  const above = sorted[Math.ceil(rank)] ?? Number.NaN;
  return below + (above - below) * (rank % 1);
}

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}
