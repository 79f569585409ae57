/** Which of the words that exist somebody may have meant. Pure. */

export const MOST_EDITS = 2;

/** Those within two edits and similar enough, nearest first. Similarity is the share of letters that stay. */
export function meantBy(wrong: string, candidates: readonly string[], similarity: number, limit: number): string[] {
  return candidates
    .map((word) => ({ word, edits: editsBetween(wrong, word, MOST_EDITS) }))
    .filter(({ word, edits }) => edits <= MOST_EDITS && 1 - edits / Math.max(wrong.length, word.length) >= similarity)
    .sort((a, b) => a.edits - b.edits || (a.word < b.word ? -1 : 1))
    .slice(0, limit)
    .map(({ word }) => word);
}

/** Letters changed, added, left out, or two neighbours swapped; `most + 1` where it takes more. */
export function editsBetween(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let [older, old]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row++) {
    const now = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let edits = Math.min((old[column - 1] ?? 0) + (same ? 0 : 1), (old[column] ?? 0) + 1, (now[column - 1] ?? 0) + 1);
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) edits = Math.min(edits, (older[column - 2] ?? 0) + 1);
      now.push(edits);
    }
    if (Math.min(...now) > most) return most + 1;
    [older, old] = [old, now];
  }
  return Math.min(old[b.length] ?? 0, most + 1);
}
