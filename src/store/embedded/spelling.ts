/** The words of the documents as they are spelled, found by the letters they share with a misspelled one. */
import type { Database, Queries } from './database.ts';
import { phrase } from './phrase.ts';

/** Only ever added to: a word that no document holds any longer is known to nobody else, and does no harm. */
export const spellingTables = `
  CREATE TABLE document_word (number INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE);
  CREATE VIRTUAL TABLE document_spelling USING fts5(word, content='', tokenize='trigram', detail='none');`;

const word = /\p{L}{4,40}/gu;
/** The same where there are no others, in a third of the time. */
const plainWord = /[A-Za-z]{4,40}/g;
/** Of one text, in characters: what comes later says little that is new. */
const MOST = 200_000;
/** Lines of this length are written by programs: what their words are called tells nobody what to look for. */
const LINE = 500;

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
  const fresh: [number, string][] = [];
  let number = Number(database.get('SELECT max(number) AS last FROM document_word')?.last ?? 0);
  for (const word of found) {
    if (isFamiliar(database, word)) continue;
    if (database.get('SELECT 1 FROM document_word WHERE word = ?', word) === undefined) fresh.push([++number, word]);
    else becomeFamiliar(database, word);
  }
  for (const row of fresh) database.run('INSERT INTO document_word VALUES (?, ?)', ...row);
  const spelling = 'INSERT INTO document_spelling (rowid, word) VALUES (?, ?)';
  for (const [row, word] of fresh) database.run(spelling, row, edged(word));
}

function wordsAtFirst(text: string): readonly string[] {
  const start = text.slice(0, MOST);
  return start.match(/[^\0-\x7f]/.test(start) ? word : plainWord) ?? [];
}

function isGenerated(text: string): boolean {
  const sample = text.slice(0, 20 * LINE);
  return sample.length / sample.split('\n').length > LINE;
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

export function spelledLike(database: Queries, word: string, limit: number): string[] {
  const letters = [...edged(word)];
  const threes = letters.slice(2).map((_, at) => letters.slice(at, at + 3).join(''));
  if (threes.length === 0) return [];
  const sql = `SELECT word FROM document_word WHERE number IN (
    SELECT rowid FROM document_spelling WHERE document_spelling MATCH ? ORDER BY bm25(document_spelling) LIMIT ?)`;
  const match = [...new Set(threes)].map(phrase).join(' OR ');
  return database.all(sql, match, limit).map((row) => String(row.word));
}

/** With its ends marked, so that words which begin or end alike share more. */
function edged(word: string): string {
  return `^${word}$`;
}
