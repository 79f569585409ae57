/** Documents as index.db knows them. */
import type { Near } from '../../search/spelling.ts';
import type { CandidateMark, ContentText, DocumentIndex, PlaceFilter, Sought } from '../document-index.ts';
import { keptText } from '../document-text.ts';
import type { DocumentChange } from '../documents.ts';
import type { VectorShelf } from '../store.ts';
import type { IndexedTexts } from './coverage.ts';
import type { Queries } from './database.ts';
import { type FollowInput, followIn, seqIn } from './document-follow.ts';
import { holdingIn, unreadableIn } from './document-grep.ts';
import { allowedIn, placesIn, rankedIn } from './document-rank.ts';
import type { IndexDatabase } from './index-database.ts';
import { phrase } from './phrase.ts';
import { Spellings, spellingTables } from './spelling.ts';
import { DOCUMENT_VECTORS, vectorsIn } from './vectors.ts';

/**
 * Letters are indexed by threes without their positions: little room, and enough to know where not to look.
 * A content that is `partial` is always looked at.
 */
export const documentIndexTables = `
  CREATE TABLE document_text (
    number INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, title TEXT, extracted BLOB, partial INTEGER NOT NULL, problem TEXT,
    sections INTEGER NOT NULL);
  CREATE INDEX document_text_partial ON document_text (partial) WHERE partial = 1;
  CREATE INDEX document_text_problem ON document_text (number) WHERE problem IS NOT NULL;
  CREATE TABLE document_place (
    id INTEGER PRIMARY KEY, number INTEGER NOT NULL, collection TEXT NOT NULL, path TEXT NOT NULL, extension TEXT NOT NULL,
    kind TEXT NOT NULL, tags TEXT NOT NULL, modified TEXT NOT NULL);
  CREATE INDEX document_place_number ON document_place (number);
  CREATE INDEX document_place_path ON document_place (collection, path);
  CREATE VIRTUAL TABLE document_words USING fts5(
    title, body, parts, content='', contentless_delete=1, tokenize='porter unicode61');
  CREATE VIRTUAL TABLE document_vocabulary USING fts5vocab(document_words, 'row');
  CREATE VIRTUAL TABLE document_paths USING fts5(path, content='', contentless_delete=1, tokenize='porter unicode61');
  CREATE VIRTUAL TABLE document_path_vocabulary USING fts5vocab(document_paths, 'row');
  CREATE VIRTUAL TABLE document_letters USING fts5(
    body, content='', contentless_delete=1, tokenize='ascii', detail='none');
  INSERT INTO counter VALUES ('document_seq', 0), ('document_sections', 0), ('document_number', 0);
  CREATE VIEW document_read AS
    SELECT number, hash AS id, hash, coalesce(title, '') AS title, NULL AS body FROM document_text WHERE sections > 0;
  ${spellingTables}`;

/** Each content is a text that has its hash for a name; it lies among the objects. */
const texts: IndexedTexts = {
  shelf: DOCUMENT_VECTORS,
  files: 'document_read',
  texts: 'document_read',
  words: 'document_words',
  version: "SELECT value AS version FROM counter WHERE name = 'document_seq'",
  heading: 'text.title',
  immutable: true,
};

export type FollowElsewhere = (input: FollowInput) => Promise<boolean>;

const IN_THREAD = 50_000;

export class EmbeddedDocumentIndex implements DocumentIndex {
  readonly vectors: VectorShelf;
  readonly #index: IndexDatabase;
  readonly #thread: FollowElsewhere | undefined;
  readonly #spellings = new Spellings();

  /** Long texts are indexed in a thread, where there is one: it takes a second for ten megabytes. */
  constructor(index: IndexDatabase, thread?: FollowElsewhere) {
    this.#index = index;
    this.vectors = vectorsIn(index, texts);
    this.#thread = thread;
  }

  async seq(): Promise<number> {
    const database = await this.#index.reader();
    return database === undefined ? 0 : seqIn(database);
  }

  async lacking(hashes: readonly string[]): Promise<string[]> {
    const database = await this.#index.reader();
    return [...new Set(hashes)].filter(
      (hash) => database?.get('SELECT 1 FROM document_text WHERE hash = ?', hash) === undefined,
    );
  }

  async follow(after: number, changes: readonly DocumentChange[], texts: readonly ContentText[]): Promise<boolean> {
    const letters = texts.reduce((sum, { text }) => sum + text.length, 0);
    if (this.#thread !== undefined && letters > IN_THREAD) {
      const done = await this.#thread({ home: this.#index.home, after, changes, texts });
      // The file may have been replaced under one of the two, which then have different ones: this one counts.
      if ((await this.seq()) !== after) return done;
    }
    return this.#index.write((database) => followIn(database, after, changes, texts));
  }

  async reset(): Promise<void> {
    await this.#index.write((database) => {
      for (const table of ['document_words', 'document_paths', 'document_letters', 'document_text', 'document_place'])
        database.run(`DELETE FROM ${table}`);
      database.run("UPDATE counter SET value = 0 WHERE name IN ('document_seq', 'document_sections')");
    });
  }

  async kept(hash: string) {
    const row = (await this.#index.reader())?.get('SELECT * FROM document_text WHERE hash = ?', hash);
    return row && keptText(row);
  }

  async matching(sought: Sought, filter: PlaceFilter, limit: number) {
    const database = await this.#index.reader();
    return database === undefined ? { total: 0, found: [] } : rankedIn(database, sought, filter, limit);
  }

  async allowed(sought: Sought, filter: PlaceFilter) {
    const database = await this.#index.reader();
    return database === undefined ? new Set<string>() : allowedIn(database, sought, filter);
  }

  async places(hashes: readonly string[], filter: PlaceFilter, limit: number) {
    const database = await this.#index.reader();
    return database === undefined ? [] : placesIn(database, hashes, filter, limit);
  }

  async unknown(words: readonly string[]): Promise<string[]> {
    const database = await this.#index.reader();
    return words.filter((word) => database === undefined || !isHeld(database, word));
  }

  async spelledLike(word: string, limit: number): Promise<string[]> {
    const database = await this.#index.reader();
    if (database === undefined) return [];
    const held: (Near & { readonly holders: number })[] = [];
    for (const each of this.#spellings.like(database, seqIn(database), word, limit)) {
      // Those that are further off than one that is there are not meant.
      if (held[0] !== undefined && (each.edits > held[0].edits || each.strange > held[0].strange)) break;
      // The table of words keeps those of documents that are gone.
      const holders = holdersOf(database, each.word);
      if (holders > 0) held.push({ ...each, holders });
    }
    return held.sort((a, b) => b.holders - a.holders).map((each) => each.word);
  }

  async unreadable(filter: PlaceFilter, limit: number) {
    const database = await this.#index.reader();
    database?.fitPaths(filter.fits);
    return database === undefined ? [] : unreadableIn(database, filter, limit);
  }

  async holding(
    alternatives: readonly (readonly string[])[],
    filter: PlaceFilter,
    after: CandidateMark | undefined,
    limit: number,
  ) {
    const database = await this.#index.reader();
    database?.fitPaths(filter.fits);
    return database === undefined ? [] : holdingIn(database, alternatives, filter, after, limit);
  }

  async counts() {
    const sql = 'SELECT count(*) AS contents, count(problem) AS problems FROM document_text';
    const row = (await this.#index.reader())?.get(sql);
    return { contents: Number(row?.contents ?? 0), problems: Number(row?.problems ?? 0) };
  }
}

/** In a text or a path. */
function isHeld(database: Queries, word: string): boolean {
  return holdersOf(database, word, 1) > 0;
}

/** More of them make no word more likely to be meant. */
const HOLDERS = 50;

/** How many texts and paths hold it, up to a bound. The vocabularies would count documents that are gone for a while. */
function holdersOf(database: Queries, word: string, most = HOLDERS): number {
  const counts = ['document_words', 'document_paths'].map((table) => {
    const some = `SELECT 1 FROM ${table} WHERE ${table} MATCH ? LIMIT ?`;
    return Number(database.get(`SELECT count(*) AS found FROM (${some})`, phrase(word), most)?.found ?? 0);
  });
  return counts.reduce((sum, count) => sum + count, 0);
}
