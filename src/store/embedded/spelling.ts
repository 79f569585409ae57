/**
 * The words of the documents as they are spelled, found by the letters they share with a misspelled one: which letters a word
 * has are the bits of a number. An edit adds one at most and takes one at most, so most words are ruled out by two numbers,
 * and none that is near enough is missed.
 */
import { closest, MOST_EDITS, type Near } from '../../search/spelling.ts';
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

/** More letters than two edits bring: taking the lowest bit off twice leaves some. */
function isFar(letters: number): boolean {
  const rest = letters & (letters - 1);
  return (rest & (rest - 1)) !== 0;
}

const LATIN = 26;
const OTHERS = 5;

/** A bit for each of the latin letters, and five that all others share. */
function lettersOf(text: string, from = 0, to = text.length): number {
  let letters = 0;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at) - 97;
    letters |= 1 << (code >= 0 && code < LATIN ? code : LATIN + (Math.abs(code) % OTHERS));
  }
  return letters;
}
