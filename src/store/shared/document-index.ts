/** Documents as PostgreSQL finds them. */
import type { CandidateMark, ContentText, DocumentIndex, PlaceFilter, Sought } from '../document-index.ts';
import { keptText } from '../document-text.ts';
import type { DocumentChange } from '../documents.ts';
import type { Rows } from '../rows.ts';
import type { VectorShelf } from '../store.ts';
import type { SharedDatabase } from './database.ts';
import { followIn, lackingIn, seqIn } from './document-follow.ts';
import { holdingIn, unreadableIn } from './document-grep.ts';
import { placesIn } from './document-places.ts';
import { allowedIn, rankedIn } from './document-rank.ts';
import { PATHS, SECTIONS } from './document-tables.ts';
import { spelledNear } from './spelling.ts';
import { shelfOf } from './words.ts';

/** Texts that are forgotten in one statement: their words are counted. */
const FORGOTTEN = 5000;

export class SharedDocumentIndex implements DocumentIndex {
  readonly vectors: VectorShelf;
  readonly #database: SharedDatabase;

  constructor(database: SharedDatabase, vectors: VectorShelf) {
    this.#database = database;
    this.vectors = vectors;
  }

  seq(): Promise<number> {
    return seqIn(this.#database.rows);
  }

  lacking(hashes: readonly string[]): Promise<string[]> {
    return lackingIn(this.#database.rows, hashes);
  }

  follow(after: number, changes: readonly DocumentChange[], texts: readonly ContentText[]): Promise<boolean> {
    return followIn(this.#database, after, changes, texts);
  }

  async reset(): Promise<void> {
    await this.#database.derive(async (rows) => {
      for (const [table, key] of [
        ['document_words', 'number'],
        ['document_paths', 'id'],
        ['document_letters', 'number'],
        ['document_text', 'number'],
        ['document_place', 'id'],
      ] as const) {
        const some = `SELECT ${key} FROM ${table} ORDER BY ${key} LIMIT ${FORGOTTEN}`;
        while (Number(await rows.run(`DELETE FROM ${table} WHERE ${key} IN (${some})`)) > 0);
      }
      await rows.run("UPDATE counter SET value = 0 WHERE name = 'document_seq'");
    });
  }

  async kept(hash: string) {
    const sql = 'SELECT title, extracted, problem FROM document_text WHERE hash = ?';
    const row = await this.#database.rows.get(sql, hash);
    return row && keptText(row);
  }

  matching(sought: Sought, filter: PlaceFilter, limit: number) {
    return this.#database.look((rows) => rankedIn(rows, sought, filter, limit));
  }

  allowed(sought: Sought, filter: PlaceFilter) {
    return this.#database.look((rows) => allowedIn(rows, sought, filter));
  }

  places(hashes: readonly string[], filter: PlaceFilter, limit: number) {
    return this.#database.look((rows) => placesIn(rows, hashes, filter, limit));
  }

  async unknown(words: readonly string[]): Promise<string[]> {
    const holders = await holdersOf(this.#database.rows, words);
    return words.filter((word) => holders(word) === 0);
  }

  async spelledLike(word: string, limit: number): Promise<string[]> {
    return this.#database.look(async (rows) => {
      const near = await spelledNear(rows, word, limit);
      const holders = await holdersOf(
        rows,
        near.map((each) => each.word),
      );
      // The table of words keeps those of documents that are gone.
      const held = near.filter((each) => holders(each.word) > 0);
      const [best] = held;
      // Those that are further off than one that is there are not meant.
      const end = held.findIndex(({ edits, strange }) => best && (edits > best.edits || strange > best.strange));
      return held
        .slice(0, end < 0 ? held.length : end)
        .sort((a, b) => holders(b.word) - holders(a.word))
        .map((each) => each.word);
    });
  }

  unreadable(filter: PlaceFilter, limit: number) {
    return this.#database.look((rows) => unreadableIn(rows, filter, limit));
  }

  holding(
    alternatives: readonly (readonly string[])[],
    filter: PlaceFilter,
    after: CandidateMark | undefined,
    limit: number,
  ) {
    return this.#database.look((rows) => holdingIn(rows, alternatives, filter, after, limit));
  }

  async counts() {
    const sql = 'SELECT count(*) AS contents, count(problem) AS problems FROM document_text';
    const row = await this.#database.rows.get(sql);
    return { contents: Number(row?.contents ?? 0), problems: Number(row?.problems ?? 0) };
  }
}

/** More of them make no word more likely to be meant. */
const HOLDERS = 50;

/** How many texts and paths hold a word, up to a bound. */
async function holdersOf(rows: Rows, words: readonly string[]): Promise<(word: string) => number> {
  const shelves = await Promise.all([SECTIONS, PATHS].map((shelf) => shelfOf(rows, shelf, words)));
  return (word) => shelves.reduce((sum, { holding }) => sum + Math.min(HOLDERS, holding.get(word) ?? 0), 0);
}
