/**
 * The words of the documents as they are spelled, found by the letters they share with a misspelled one: which letters a word
 * has are the bits of a number. An edit adds one at most and takes one at most, so most words are ruled out by two numbers,
 * and none that is near enough is missed.
 */
import { closest, MOST_EDITS } from '../../search/spelling.ts';
import type { Database, Queries } from './database.ts';

/** Only ever added to: a word that no document holds any longer is known to nobody else, and does no harm. */
export const spellingTables = `
  CREATE TABLE document_word (
    length INTEGER NOT NULL, letters INTEGER NOT NULL, word TEXT NOT NULL, PRIMARY KEY (length, letters, word)) WITHOUT ROWID;`;

const word = /\p{L}{4,40}/gu;
/** The same where there are no others, in a third of the time. */
const plainWord = /[A-Za-z]{4,40}/g;
/** Of one text, in characters: what comes later says little that is new. */
const MOST = 200_000;
/**
 * Lines of this length with so few spaces are written by programs: what their words are called tells nobody what to look
 * for. A paragraph on one line has a space after every six letters or so.
 */
const LINE = 500;
const LETTERS_TO_A_SPACE = 12;

export function takeSpellings(
  database: Database,
  texts: readonly { readonly title?: string; readonly text: string; readonly parts: readonly string[] }[],
): void {
  const found = new Set<string>();
  /** As they stand there: most words of a text were met before, in the same spelling. */
  const spelled = new Set<string>();
  for (const { title = '', text, parts } of texts) {
    for (const each of title.match(word) ?? []) found.add(each.toLowerCase());
    if (isGenerated(text)) continue;
    for (const each of wordsAtFirst(text)) {
      if (spelled.has(each)) continue;
      spelled.add(each);
      found.add(each.toLowerCase());
    }
    for (const part of parts) if (part.length >= 4) found.add(part);
  }
  const insert = 'INSERT OR IGNORE INTO document_word VALUES (?, ?, ?)';
  for (const word of found) {
    if (isFamiliar(database, word)) continue;
    if (database.run(insert, word.length, lettersOf(word), word) === 0) becomeFamiliar(database, word);
  }
}

function wordsAtFirst(text: string): readonly string[] {
  const start = text.slice(0, MOST);
  return start.match(/[^\0-\x7f]/.test(start) ? word : plainWord) ?? [];
}

function isGenerated(text: string): boolean {
  const sample = text.slice(0, 20 * LINE);
  if (sample.length / sample.split('\n').length <= LINE) return false;
  return sample.length / sample.split(/[ \n]/).length > LETTERS_TO_A_SPACE;
}

/**
 * Words that were found in the table: most of a text's are there, and asking for each takes longer than all the rest. One
 * that is new is not among them before it is met again: what wrote it may yet be rolled back.
 */
const familiar = new WeakMap<Database, Set<string>>();
const FAMILIAR = 100_000;

function isFamiliar(database: Database, word: string): boolean {
  return familiar.get(database)?.has(word) === true;
}

function becomeFamiliar(database: Database, word: string): void {
  const words = familiar.get(database) ?? new Set();
  if (words.size >= FAMILIAR) words.clear();
  familiar.set(database, words.add(word));
}

/** Within two edits, the closest first. */
export function spelledLike(database: Queries, word: string, limit: number): string[] {
  const letters = lettersOf(word);
  // Two bits at most are left of each: to take the lowest bit off twice leaves none.
  const sql = `SELECT word FROM (SELECT word, letters & ~?1 AS more, ?1 & ~letters AS fewer FROM document_word
      WHERE length BETWEEN ?2 AND ?3)
    WHERE (more & (more - 1)) & ((more & (more - 1)) - 1) = 0 AND (fewer & (fewer - 1)) & ((fewer & (fewer - 1)) - 1) = 0`;
  const rows = database.all(sql, letters, word.length - MOST_EDITS, word.length + MOST_EDITS);
  const words = rows.map((row) => String(row.word));
  const near = closest(word, words, MOST_EDITS).slice(0, limit);
  return near.map((each) => each.word);
}

const LATIN = 26;
const OTHERS = 5;

/** A bit for each of the latin letters, and five that all others share. */
function lettersOf(word: string): number {
  let letters = 0;
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at) - 97;
    letters |= 1 << (code >= 0 && code < LATIN ? code : LATIN + (Math.abs(code) % OTHERS));
  }
  return letters;
}
