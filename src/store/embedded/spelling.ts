/**
 * The words of the documents as they are spelled, found by the letters they share with a misspelled one: which letters a word
 * has are the bits of a number. An edit adds one at most and takes one at most, so most words are ruled out by two numbers,
 * and none that is near enough is missed.
 */
import { closest, MOST_EDITS, type Near } from '../../search/spelling.ts';
import { isFar, lettersOf, type SpelledText, spelledIn } from '../spelled.ts';
import type { Database, Queries } from './database.ts';

/** Only ever added to: a word that no document holds any longer is known to nobody else, and does no harm. */
export const spellingTables = `
  CREATE TABLE document_word (
    length INTEGER NOT NULL, letters INTEGER NOT NULL, word TEXT NOT NULL, PRIMARY KEY (length, letters, word)) WITHOUT ROWID;`;

export function takeSpellings(database: Database, texts: readonly SpelledText[]): void {
  const insert = 'INSERT OR IGNORE INTO document_word VALUES (?, ?, ?)';
  for (const word of spelledIn(texts)) {
    if (isFamiliar(database, word)) continue;
    if (database.run(insert, word.length, lettersOf(word), word) === 0) becomeFamiliar(database, word);
  }
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

/** Words of one length, one after the other. */
interface Words {
  readonly text: string;
  readonly letters: Int32Array;
}

/** The words in memory, some ten bytes each, as far as they were needed: to read them again for each question takes long. */
export class Spellings {
  readonly #byLength = new Map<number, Words>();
  #version = Number.NaN;

  /** Within two edits, the closest first. `version` is another one whenever words may have come. */
  like(database: Queries, version: number, word: string, limit: number): Near[] {
    if (version !== this.#version) this.#forgetGrown(database);
    this.#version = version;
    const own = lettersOf(word);
    const found: string[] = [];
    for (let length = Math.max(1, word.length - MOST_EDITS); length <= word.length + MOST_EDITS; length++) {
      const { text, letters } = this.#wordsOf(database, length);
      for (let at = 0; at < letters.length; at++) {
        const each = letters[at] as number;
        if (isFar(each & ~own) || isFar(own & ~each)) continue;
        found.push(text.slice(at * length, (at + 1) * length));
      }
    }
    return closest(word, found, MOST_EDITS).slice(0, limit);
  }

  /** Words are only ever added: as many as before are the same. */
  #forgetGrown(database: Queries): void {
    for (const [length, { letters }] of this.#byLength) {
      const sql = 'SELECT count(*) AS found FROM document_word WHERE length = ?';
      if (Number(database.get(sql, length)?.found) !== letters.length) this.#byLength.delete(length);
    }
  }

  #wordsOf(database: Queries, length: number): Words {
    let words = this.#byLength.get(length);
    if (words === undefined) {
      const sql = "SELECT group_concat(word, '') AS words FROM document_word WHERE length = ?";
      const text = String(database.get(sql, length)?.words ?? '');
      const letters = new Int32Array(text.length / length);
      for (let at = 0; at < letters.length; at++) letters[at] = lettersOf(text, at * length, (at + 1) * length);
      words = { text, letters };
      this.#byLength.set(length, words);
    }
    return words;
  }
}
