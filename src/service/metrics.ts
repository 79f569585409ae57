/** Counts, errors and a latency histogram for each operation, since the process started. Memory is fixed per operation. */

/** Upper bounds in milliseconds; the last bucket takes the rest. */
export const latencyBuckets = [0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000] as const;

export interface OperationFigures {
  readonly operation: string;
  readonly count: number;
  readonly errors: number;
  readonly totalMs: number;
  readonly maxMs: number;
  /** How many calls fell into each bucket, one more than there are bounds. */
  readonly histogram: readonly number[];
}

export interface Metrics {
  readonly startedAt: number;
  record(operation: string, milliseconds: number, failed: boolean): void;
  count(counter: string): void;
  figures(): OperationFigures[];
  counters(): Record<string, number>;
}

type Tally = { -readonly [K in keyof Omit<OperationFigures, 'histogram'>]: OperationFigures[K] } & {
  histogram: number[];
};

export function createMetrics(): Metrics {
  const tallies = new Map<string, Tally>();
  const counters = new Map<string, number>();
  return {
    startedAt: performance.now(),
    record(operation, milliseconds, failed) {
      let tally = tallies.get(operation);
      if (tally === undefined) {
        const histogram = new Array<number>(latencyBuckets.length + 1).fill(0);
        tally = { operation, count: 0, errors: 0, totalMs: 0, maxMs: 0, histogram };
        tallies.set(operation, tally);
      }
      tally.count++;
      if (failed) tally.errors++;
      tally.totalMs += milliseconds;
      tally.maxMs = Math.max(tally.maxMs, milliseconds);
      const bucket = bucketOf(milliseconds);
      tally.histogram[bucket] = (tally.histogram[bucket] ?? 0) + 1;
    },
    count(counter) {
      counters.set(counter, (counters.get(counter) ?? 0) + 1);
    },
    figures() {
      return [...tallies.values()]
        .map((tally) => ({ ...tally, histogram: [...tally.histogram] }))
        .sort((a, b) => (a.operation < b.operation ? -1 : 1));
    },
    counters: () => Object.fromEntries(counters),
  };
}

function bucketOf(milliseconds: number): number {
  const index = latencyBuckets.findIndex((bound) => milliseconds <= bound);
  return index === -1 ? latencyBuckets.length : index;
}

/** The bound below which the given share of calls stayed; an upper estimate, as exact as the buckets are fine. */
export function quantile({ histogram, count, maxMs }: OperationFigures, share: number): number {
  let seen = 0;
  for (const [index, calls] of histogram.entries()) {
    seen += calls;
    if (seen >= share * count) return Math.min(latencyBuckets[index] ?? maxMs, maxMs);
  }
  return maxMs;
}
