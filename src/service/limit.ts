/** Limits on what a call may carry that no schema expresses, checked once, in front of every operation. */
import { CairnError } from '../errors.ts';

const MAX_DEPTH = 64;
const MAX_VALUES = 200_000;

/** Refuses arguments nested or numerous enough to hurt what walks them later; O(values), no recursion. */
export function checkShape(input: unknown): void {
  const stack: { value: unknown; depth: number }[] = [{ value: input, depth: 0 }];
  let seen = 0;
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (++seen > MAX_VALUES) {
      throw new CairnError('limit_exceeded', `The arguments hold more than ${MAX_VALUES} values`);
    }
    const { value, depth } = next;
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= MAX_DEPTH) {
      throw new CairnError('limit_exceeded', `The arguments are nested deeper than ${MAX_DEPTH} levels`);
    }
    for (const item of Object.values(value)) stack.push({ value: item, depth: depth + 1 });
  }
}
