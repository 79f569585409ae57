/**
 * Names of operations. One canonical id (`instructions_get`), and every spelling that the seeds document
 * (`instructions/get`, `mcp.echo`, `getEnhanced`, `index_list`) folds to it.
 */

export const canonicalName = /^[a-z][a-z0-9_]{0,39}$/;

const foldings = new Map<string, string>();
const FOLDINGS_KEPT = 2048;
/** No name is as long as this; what is longer is neither read to its end nor kept. */
const LONGEST = 200;

/** Folds a spelling to the form in which ids are compared: lower case words joined by `_`. */
export function fold(spelling: string): string {
  const known = foldings.get(spelling);
  if (known !== undefined) return known;
  const folded = spelling
    .slice(0, LONGEST)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase()
    .replace(/^index_/, 'instructions_')
    .slice(0, LONGEST)
    .replace(/_$/, '');
  if (spelling.length > LONGEST) return folded;
  if (foldings.size >= FOLDINGS_KEPT) foldings.clear();
  foldings.set(spelling, folded);
  return folded;
}

/** The names nearest to a wrong one: shared words first, then edit distance; never the name itself. */
export function nearest(wrong: string, names: Iterable<string>, limit = 3): string[] {
  const asked = fold(wrong);
  const words = new Set(asked.split('_'));
  const scored: { name: string; score: number }[] = [];
  for (const name of names) {
    if (name === asked) continue;
    const distance = editDistance(asked, name, 12);
    const shared = name.split('_').filter((word) => words.has(word)).length;
    const score = shared * 4 - distance;
    if (distance <= Math.max(2, asked.length / 3) || shared > 0) scored.push({ name, score });
  }
  return scored
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, limit)
    .map(({ name }) => name);
}

/** Levenshtein distance, given up at `ceiling`; O(|a|·|b|) on names of at most 200 characters. */
export function editDistance(a: string, b: string, ceiling: number): number {
  if (Math.abs(a.length - b.length) >= ceiling) return ceiling;
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const substitution = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return Math.min(previous[b.length] ?? ceiling, ceiling);
}
