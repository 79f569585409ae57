/** Which of the words that exist somebody may have meant. Pure. */

export const MOST_EDITS = 2;

/** Those that are nearest and similar enough, within two edits; of equally near ones first those that were named first. */
export function meantBy(wrong: string, candidates: readonly string[], similarity: number, limit: number): string[] {
  const similar = closest(wrong, candidates, MOST_EDITS).filter((near) => similarityOf(wrong, near) >= similarity);
  const [best] = similar;
  // Of words that are further off more documents may speak, and would hide those that were meant.
  return similar
    .filter(({ edits, strange }) => edits === best?.edits && strange === best.strange)
    .slice(0, limit)
    .map(({ word }) => word);
}

export interface Near {
  readonly word: string;
  readonly edits: number;
  /** Letters of what was written that the word does not have. */
  readonly strange: number;
}

/** The share of letters that stay. Both ends of a word count as letters: they are where people look first. */
function similarityOf(wrong: string, { word, edits }: Near): number {
  return 1 - edits / (Math.max(wrong.length, word.length) + 2);
}

/**
 * By edits; then by letters that the word does not have. There are few ways to lose a letter of a word or to swap two, and
 * many to get a strange one into it: whoever wrote it more likely did the former.
 */
export function closest(wrong: string, candidates: readonly string[], most: number): Near[] {
  return candidates
    .map((word) => ({ word, edits: editsBetween(wrong, word, most) }))
    .filter(({ edits }) => edits <= most)
    .map((near) => ({ ...near, strange: strangeLetters(wrong, near.word) }))
    .sort((a, b) => a.edits - b.edits || a.strange - b.strange);
}

/** How many letters it has that the word has not, or not as often. */
function strangeLetters(wrong: string, word: string): number {
  const left = [...word];
  let strange = 0;
  for (const letter of wrong) {
    const at = left.indexOf(letter);
    if (at < 0) strange++;
    else left.splice(at, 1);
  }
  return strange;
}

/**
 * Letters changed, added, left out, or two neighbours swapped; `most + 1` where it takes more. Thousands of words are compared
 * for a misspelled one: only places no further apart than `most` are looked at, and it ends when a row has nothing near.
 */
export function editsBetween(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  const far = most + 1;
  let [older, old, now] = rowsFor(b.length + 1);
  for (let column = 0; column <= b.length; column++) old[column] = Math.min(column, far);
  for (let row = 1; row <= a.length; row++) {
    const first = Math.max(1, row - most);
    const last = Math.min(b.length, row + most);
    let left = first === 1 ? Math.min(row, far) : far;
    now[first - 1] = left;
    let least = left;
    for (let column = first; column <= last; column++) {
      const same = a.charCodeAt(row - 1) === b.charCodeAt(column - 1);
      const changed = (old[column - 1] as number) + (same ? 0 : 1);
      let edits = Math.min(changed, (old[column] as number) + 1, left + 1, far);
      if (row > 1 && column > 1 && !same && isSwapped(a, b, row, column))
        edits = Math.min(edits, (older[column - 2] as number) + 1);
      now[column] = edits;
      left = edits;
      if (edits < least) least = edits;
    }
    if (last < b.length) now[last + 1] = far;
    if (least > most) return far;
    [older, old, now] = [old, now, older];
  }
  return Math.min(old[b.length] as number, far);
}

type Rows = [Int32Array, Int32Array, Int32Array];
const LONGEST = 64;
const newRows = (length: number): Rows => [new Int32Array(length), new Int32Array(length), new Int32Array(length)];
const rows = newRows(LONGEST);

/** Used again: what they hold beyond the places that were looked at is never read. */
function rowsFor(length: number): Rows {
  return length <= LONGEST ? rows : newRows(length);
}

function isSwapped(a: string, b: string, row: number, column: number): boolean {
  return a.charCodeAt(row - 1) === b.charCodeAt(column - 2) && a.charCodeAt(row - 2) === b.charCodeAt(column - 1);
}
