/**
 * The words of the documents as they are spelled, found by the letters they share with a misspelled one, as in the embedded
 * store: which letters a word has are the bits of a number. An edit adds one at most and takes one at most, so most words are
 * ruled out by two numbers in the index itself, and none that is near enough is missed. Trigrams would miss it where the word
 * is short: two edits of five letters leave none of them.
 */
import { closest, MOST_EDITS, type Near } from '../../search/spelling.ts';
import type { Rows } from '../rows.ts';
import { lettersOf, type SpelledText, spelledIn } from '../spelled.ts';
import type { SharedDatabase } from './database.ts';

/**
 * Words that were found in the table: most of a text's are there. One that is new is not among them before it is met again:
 * what wrote it may yet be rolled back.
 */
const familiar = new WeakMap<SharedDatabase, Set<string>>();
const FAMILIAR = 100_000;

export async function takeSpellings(
  database: SharedDatabase,
  rows: Rows,
  texts: readonly SpelledText[],
): Promise<void> {
  const known = familiar.get(database) ?? new Set();
  familiar.set(database, known);
  const strange = [...spelledIn(texts)].filter((word) => !known.has(word)).sort();
  if (strange.length === 0) return;
  const sql = `INSERT INTO document_word (length, letters, word)
    SELECT length, letters, word FROM json_to_recordset(?::text::json) AS each (length INT, letters INT, word TEXT)
    ON CONFLICT DO NOTHING RETURNING word`;
  const list = strange.map((word) => ({ length: word.length, letters: lettersOf(word), word }));
  const added = new Set((await rows.all(sql, JSON.stringify(list))).map(({ word }) => word));
  if (known.size >= FAMILIAR) known.clear();
  for (const word of strange) if (!added.has(word)) known.add(word);
}

/** Within two edits, the closest first. Looks at the words of about the same length: some ten milliseconds for 100,000. */
export async function spelledNear(rows: Rows, word: string, limit: number): Promise<Near[]> {
  const sql = `SELECT string_agg(word, ' ' ORDER BY length, letters, word) AS words FROM document_word
    WHERE length BETWEEN ? AND ? AND ${few('letters & ?::int')} AND ${few('~letters & ?::int')}`;
  const own = lettersOf(word);
  const shortest = Math.max(1, word.length - MOST_EDITS);
  const row = await rows.get(sql, shortest, word.length + MOST_EDITS, ~own, own);
  const words = row?.words == null ? [] : String(row.words).split(' ');
  return closest(word, words, MOST_EDITS).slice(0, limit);
}

function few(letters: string): string {
  return `bit_count((${letters})::bit(32)) <= ${MOST_EDITS}`;
}
