/** Logistic regression with a penalty on the weights, by Newton's method: few features, few cases, always the same answer. */

export interface Example {
  readonly features: readonly number[];
  readonly positive: boolean;
  readonly weight: number;
}

/** A weight for each feature, and what is added to their sum. */
export interface Line {
  readonly weights: readonly number[];
  readonly constant: number;
}

const STEPS = 30;
const SMALL = 1e-9;

export function regression(examples: readonly Example[], penalty: number): Line {
  const count = examples[0]?.features.length ?? 0;
  const columns = Array.from({ length: count }, (_, at) => examples.map(({ features }) => features[at] ?? 0));
  const means = columns.map(mean);
  // The penalty must not depend on the units of a feature.
  const spreads = columns.map(
    (column, at) => Math.sqrt(mean(column.map((value) => (value - (means[at] ?? 0)) ** 2))) || 1,
  );
  const rows = examples.map(({ features }) => [
    1,
    ...features.map((value, at) => (value - at0(means, at)) / at0(spreads, at)),
  ]);
  let line = new Array<number>(count + 1).fill(0);
  for (let step = 0; step < STEPS; step++) {
    const change = newtonStep(rows, examples, line, penalty);
    line = line.map((value, at) => value - at0(change, at));
    if (change.every((value) => Math.abs(value) < SMALL)) break;
  }
  const weights = line.slice(1).map((value, at) => value / at0(spreads, at));
  return { weights, constant: at0(line, 0) - weights.reduce((sum, weight, at) => sum + weight * at0(means, at), 0) };
}

function newtonStep(
  rows: readonly number[][],
  examples: readonly Example[],
  line: readonly number[],
  penalty: number,
): number[] {
  const size = line.length;
  const gradient = line.map((value, at) => (at === 0 ? 0 : penalty * value));
  const curvature = line.map((_, at) => line.map((__, other) => (at === other ? (at === 0 ? SMALL : penalty) : 0)));
  for (const [at, row] of rows.entries()) {
    const { positive, weight } = examples[at] as Example;
    const chance = 1 / (1 + Math.exp(-row.reduce((sum, value, column) => sum + value * at0(line, column), 0)));
    for (let i = 0; i < size; i++) {
      gradient[i] = at0(gradient, i) + weight * (chance - (positive ? 1 : 0)) * at0(row, i);
      const along = curvature[i] as number[];
      for (let j = 0; j < size; j++)
        along[j] = at0(along, j) + weight * chance * (1 - chance) * at0(row, i) * at0(row, j);
    }
  }
  return solved(curvature, gradient);
}

/** By elimination with the largest pivot. */
function solved(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, at) => [...row, at0(right, at)]);
  const size = rows.length;
  for (let column = 0; column < size; column++) {
    const best = rows.reduce(
      (found, row, at) =>
        at >= column && Math.abs(at0(row, column)) > Math.abs(at0(rows[found] ?? [], column)) ? at : found,
      column,
    );
    const pivot = rows[best] as number[];
    [rows[column], rows[best]] = [pivot, rows[column] as number[]];
    for (const [at, row] of rows.entries()) {
      if (at === column) continue;
      const factor = at0(row, column) / at0(pivot, column);
      for (let each = column; each <= size; each++) row[each] = at0(row, each) - factor * at0(pivot, each);
    }
  }
  return rows.map((row, at) => at0(row, size) / at0(row, at));
}

function at0(values: readonly number[], at: number): number {
  return values[at] ?? 0;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
