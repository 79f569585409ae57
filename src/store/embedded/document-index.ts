/** Documents as index.db knows them. */
import { inflateRawSync } from 'node:zlib';
import type { Candidate, ContentText, DocumentIndex, PlaceFilter } from '../document-index.ts';
import type { DocumentChange } from '../documents.ts';
import type { Queries, Row } from './database.ts';
import { conditions } from './document-filter.ts';
import { type FollowInput, followIn, seqIn } from './document-follow.ts';
import { NEWEST, telling } from './frequency.ts';
import type { IndexDatabase } from './index-database.ts';
import { threesOf } from './letters.ts';
import { phrase } from './phrase.ts';
import { spelledLike, spellingTables } from './spelling.ts';

/**
 * Letters are indexed by threes without their positions: little room, and enough to know where not to look.
 * A content that is `partial` is always looked at.
 */
export const documentIndexTables = `
  CREATE TABLE document_text (
    number INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, title TEXT, extracted BLOB, partial INTEGER NOT NULL, problem TEXT);
  CREATE INDEX document_text_partial ON document_text (partial) WHERE partial = 1;
  CREATE INDEX document_text_problem ON document_text (number) WHERE problem IS NOT NULL;
  CREATE TABLE document_place (
    id INTEGER PRIMARY KEY, number INTEGER NOT NULL, collection TEXT NOT NULL, path TEXT NOT NULL, extension TEXT NOT NULL,
    kind TEXT NOT NULL, tags TEXT NOT NULL);
  CREATE INDEX document_place_number ON document_place (number);
  CREATE INDEX document_place_path ON document_place (collection, path);
  CREATE VIRTUAL TABLE document_words USING fts5(
    title, body, parts, content='', contentless_delete=1, tokenize='porter unicode61');
  CREATE VIRTUAL TABLE document_vocabulary USING fts5vocab(document_words, 'row');
  CREATE VIRTUAL TABLE document_paths USING fts5(path, content='', contentless_delete=1, tokenize='porter unicode61');
  CREATE VIRTUAL TABLE document_path_vocabulary USING fts5vocab(document_paths, 'row');
  CREATE VIRTUAL TABLE document_letters USING fts5(
    body, content='', contentless_delete=1, tokenize='ascii', detail='none');
  INSERT INTO counter VALUES ('document_seq', 0);
  ${spellingTables}`;

export type FollowElsewhere = (input: FollowInput) => Promise<boolean>;

const IN_THREAD = 50_000;
/** So many are counted: more take longer, and tell nobody more. */
const COUNTED = 1000;
/** So many texts are fewer to put in order than all documents are to go through. */
const FEW = 2000;

export class EmbeddedDocumentIndex implements DocumentIndex {
  readonly #index: IndexDatabase;
  readonly #thread: FollowElsewhere | undefined;

  /** Long texts are indexed in a thread, where there is one: it takes a second for ten megabytes. */
  constructor(index: IndexDatabase, thread?: FollowElsewhere) {
    this.#index = index;
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
      database.run("UPDATE counter SET value = 0 WHERE name = 'document_seq'");
    });
  }

  async kept(hash: string) {
    const row = (await this.#index.reader())?.get('SELECT * FROM document_text WHERE hash = ?', hash);
    if (row === undefined) return undefined;
    return {
      ...(row.title !== null && { title: String(row.title) }),
      ...(row.extracted instanceof Uint8Array && { text: inflateRawSync(row.extracted).toString() }),
      ...(row.problem !== null && { problem: String(row.problem) }),
    };
  }

  async matching(words: readonly string[], filter: PlaceFilter, limit: number) {
    const database = await this.#index.reader();
    if (database === undefined || words.length === 0) return { total: 0, found: [] };
    // About as many as there are: to count them takes longer than the search.
    const texts = Number(database.get('SELECT max(number) AS last FROM document_text')?.last ?? 0);
    const { where, values } = conditions(filter);
    const any = (of: readonly string[]) => of.map(phrase).join(' OR ');
    // A file that is called what is sought is rarely wrong, however often others speak of it.
    const sides = [
      { ...pathSide, ...telling(database, 'document_path_vocabulary', words, texts) },
      { ...wordSide, ...telling(database, 'document_vocabulary', words, texts) },
    ].filter((side) => side.words.length > 0);
    if (sides.length === 0) return { total: 0, found: [] };
    const hits = (ranked: boolean) =>
      sides.map(({ sql, score, newest, common }) =>
        [`SELECT place.id AS id, ${ranked ? score : 0} AS score ${sql}`, ranked && common ? newest : '', where].join(
          ' ',
        ),
      );
    const sought = sides.flatMap((side) => [any(side.words), ...values]);
    const best = `WITH hit AS MATERIALIZED (${hits(true).join(' UNION ALL ')})
      SELECT hit.id, text.hash, sum(hit.score) AS score FROM hit
      JOIN document_place AS place ON place.id = hit.id JOIN document_text AS text USING (number)
      GROUP BY hit.id ORDER BY score DESC, hit.id LIMIT ?`;
    const found = database
      .all(best, ...sought, limit)
      .map(({ id, hash, score }) => ({ id: Number(id), hash: String(hash), score: Number(score) }));
    if (found.length < limit && !sides.some(({ common }) => common)) return { total: found.length, found };
    const some = `SELECT DISTINCT id FROM (${hits(false).join(' UNION ALL ')}) LIMIT ?`;
    const counted = database.get(`SELECT count(*) AS found FROM (${some})`, ...sought, Math.max(COUNTED, limit));
    const total = Number(counted?.found ?? 0);
    return { total, found, ...(total >= COUNTED && { atLeast: true }) };
  }

  async unknown(words: readonly string[]): Promise<string[]> {
    const database = await this.#index.reader();
    return words.filter((word) => database === undefined || !isHeld(database, word));
  }

  async spelledLike(word: string, limit: number): Promise<string[]> {
    const database = await this.#index.reader();
    // The table of words keeps those of documents that are gone.
    return database === undefined ? [] : spelledLike(database, word, limit).filter((each) => isHeld(database, each));
  }

  async unreadable(filter: PlaceFilter, limit: number): Promise<(Candidate & { problem: string })[]> {
    const { where, values } = conditions(filter);
    const sql = `SELECT place.id, place.collection, place.path, text.hash, text.problem FROM document_text AS text
      JOIN document_place AS place USING (number) WHERE text.problem IS NOT NULL ${where}
      ORDER BY place.collection, place.path LIMIT ?`;
    const rows = (await this.#index.reader())?.all(sql, ...values, limit) ?? [];
    return rows.map((row) => ({ ...candidateOf(row), problem: String(row.problem) }));
  }

  async holding(
    alternatives: readonly (readonly string[])[],
    filter: PlaceFilter,
    after: Pick<Candidate, 'collection' | 'path'> | undefined,
    limit: number,
  ): Promise<Candidate[]> {
    const database = await this.#index.reader();
    if (database === undefined) return [];
    const { where, values } = conditions(filter);
    const letters = lettersOf(alternatives);
    const held = `SELECT rowid AS number FROM document_letters WHERE document_letters MATCH ?
      UNION SELECT number FROM document_text WHERE partial = 1`;
    const match = letters === undefined ? [] : [letters];
    const few = letters !== undefined && database.all(`${held} LIMIT ${FEW}`, letters).length < FEW;
    const from = few
      ? `(${held}) AS hit CROSS JOIN document_place AS place ON place.number = hit.number`
      : 'document_place AS place';
    const within = few || letters === undefined ? '' : `AND place.number IN (${held})`;
    const sql = `SELECT place.id, place.collection, place.path, text.hash FROM ${from}
      JOIN document_text AS text ON text.number = place.number
      WHERE (place.kind = 'text' OR text.extracted IS NOT NULL) ${within}
        AND (place.collection, place.path) > (?, ?) ${where}
      ORDER BY place.collection, place.path LIMIT ?`;
    return database.all(sql, ...match, after?.collection ?? '', after?.path ?? '', ...values, limit).map(candidateOf);
  }

  async counts() {
    const sql = 'SELECT count(*) AS contents, count(problem) AS problems FROM document_text';
    const row = (await this.#index.reader())?.get(sql);
    return { contents: Number(row?.contents ?? 0), problems: Number(row?.problems ?? 0) };
  }
}

function candidateOf({ id, collection, path, hash }: Row): Candidate {
  return { id: Number(id), collection: String(collection), path: String(path), hash: String(hash) };
}

/** In a text or a path. Asked of the indexes themselves: their vocabularies count documents that are gone for a while. */
function isHeld(database: Queries, word: string): boolean {
  return ['document_words', 'document_paths'].some(
    (table) => database.get(`SELECT 1 FROM ${table} WHERE ${table} MATCH ? LIMIT 1`, phrase(word)) !== undefined,
  );
}

const PATH_WEIGHT = 2;
const pathSide = {
  sql: `FROM document_paths JOIN document_place AS place ON place.id = document_paths.rowid WHERE document_paths MATCH ?`,
  score: `-${PATH_WEIGHT} * bm25(document_paths)`,
  newest: `AND document_paths.rowid > (SELECT max(id) FROM document_place) - ${NEWEST}`,
};
const wordSide = {
  sql: `FROM document_words JOIN document_place AS place ON place.number = document_words.rowid WHERE document_words MATCH ?`,
  score: '-bm25(document_words, 4.0, 1.0, 1.0)',
  newest: `AND document_words.rowid > (SELECT max(number) FROM document_text) - ${NEWEST}`,
};
/** More of them narrow no further, and each is a list to read. */
const MOST_THREES = 24;

/** As a question to the index of letters; `undefined` where it cannot narrow anything. */
function lettersOf(alternatives: readonly (readonly string[])[]): string | undefined {
  const each = alternatives.map((pieces) => [...new Set(pieces.flatMap(threesOf))].slice(0, MOST_THREES));
  if (each.some((threes) => threes.length === 0)) return undefined;
  return each.map((threes) => `(${threes.map(phrase).join(' AND ')})`).join(' OR ');
}
