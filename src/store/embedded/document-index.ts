/** Documents as index.db knows them. */
import { extname } from 'node:path/posix';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { splitWords } from '../../search/words.ts';
import type { Candidate, ContentText, DocumentIndex, DocumentMatch, PlaceFilter } from '../document-index.ts';
import type { DocumentChange, DocumentRecord } from '../documents.ts';
import type { Database, Queries, Value } from './database.ts';
import { knownAmong, NEWEST, telling } from './frequency.ts';
import type { IndexDatabase } from './index-database.ts';
import { threesOf } from './letters.ts';
import { phrase } from './phrase.ts';
import { spelledLike, spellingTables, takeSpellings } from './spelling.ts';

/**
 * Letters are indexed by threes without their positions: little room, and enough to know where not to look.
 * A content that is `partial` is always looked at.
 */
export const documentIndexTables = `
  CREATE TABLE document_text (
    number INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, title TEXT, extracted BLOB, partial INTEGER NOT NULL, problem TEXT);
  CREATE INDEX document_text_partial ON document_text (partial) WHERE partial = 1;
  CREATE TABLE document_place (
    id INTEGER PRIMARY KEY, number INTEGER NOT NULL, collection TEXT NOT NULL, path TEXT NOT NULL, extension TEXT NOT NULL,
    kind TEXT NOT NULL, tags TEXT NOT NULL);
  CREATE INDEX document_place_number ON document_place (number);
  CREATE INDEX document_place_path ON document_place (collection, path);
  CREATE VIRTUAL TABLE document_words USING fts5(
    title, body, parts, content='', contentless_delete=1, tokenize='porter unicode61');
  CREATE VIRTUAL TABLE document_vocabulary USING fts5vocab(document_words, 'row');
  CREATE VIRTUAL TABLE document_paths USING fts5(path, content='', contentless_delete=1, tokenize='porter unicode61');
  CREATE VIRTUAL TABLE document_letters USING fts5(
    body, content='', contentless_delete=1, tokenize='ascii', detail='none');
  INSERT INTO counter VALUES ('document_seq', 0);
  ${spellingTables}`;

export class EmbeddedDocumentIndex implements DocumentIndex {
  readonly #index: IndexDatabase;

  constructor(index: IndexDatabase) {
    this.#index = index;
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

  follow(after: number, changes: readonly DocumentChange[], texts: readonly ContentText[]): Promise<boolean> {
    return this.#index.write((database) => {
      if (seqIn(database) !== after) return false;
      const byHash = new Map(texts.map((text) => [text.hash, text]));
      // Row by row, then index by index: SQLite writes out what an index has gathered whenever another table is changed.
      const fresh: Fresh[] = [];
      for (const { id, document } of changes) place(database, id, document, byHash, fresh);
      indexTexts(database, fresh);
      takeSpellings(database, fresh);
      database.run("UPDATE counter SET value = ? WHERE name = 'document_seq'", changes.at(-1)?.seq ?? after);
      return true;
    });
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
    const texts = Number(database.get('SELECT count(*) AS found FROM document_text')?.found ?? 0);
    const { words: kept, common } = telling(database, 'document_vocabulary', words, texts);
    const { where, values } = conditions(filter);
    const any = (of: readonly string[]) => of.map(phrase).join(' OR ');
    const scores = new Map<number, DocumentMatch>();
    const note = (id: number, hash: string, score: number) => {
      scores.set(id, { id, hash, score: score + (scores.get(id)?.score ?? 0) });
    };
    // The paths first: a file that is called what is sought is rarely wrong, however often others speak of it.
    const byPath = `SELECT place.id, text.hash, -bm25(document_paths) AS score FROM document_paths
      JOIN document_place AS place ON place.id = document_paths.rowid JOIN document_text AS text USING (number)
      WHERE document_paths MATCH ? ${where} ORDER BY score DESC LIMIT ?`;
    for (const row of database.all(byPath, any(words), ...values, limit))
      note(Number(row.id), String(row.hash), PATH_WEIGHT * Number(row.score));
    let total = scores.size;
    if (kept.length > 0) {
      const newest = common ? `AND document_words.rowid > (SELECT max(number) FROM document_text) - ${NEWEST}` : '';
      const byWords = `SELECT place.id, text.hash, -bm25(document_words, 4.0, 1.0, 1.0) AS score FROM document_words
        JOIN document_place AS place ON place.number = document_words.rowid JOIN document_text AS text USING (number)
        WHERE document_words MATCH ? ${newest} ${where} ORDER BY score DESC LIMIT ?`;
      for (const row of database.all(byWords, any(kept), ...values, limit))
        note(Number(row.id), String(row.hash), Number(row.score));
      const count = `SELECT count(*) AS found FROM document_words JOIN document_place AS place ON place.number = document_words.rowid
        WHERE document_words MATCH ? ${where}`;
      total = Math.max(scores.size, Number(database.get(count, any(kept), ...values)?.found ?? 0));
    }
    const found = [...scores.values()].sort((a, b) => b.score - a.score || a.id - b.id).slice(0, limit);
    return { total, found };
  }

  async unknown(words: readonly string[]): Promise<string[]> {
    const database = await this.#index.reader();
    if (database === undefined) return [...words];
    const known = knownAmong(database, 'document_vocabulary', words);
    return words.filter((word) => !known.has(word));
  }

  async spelledLike(word: string, limit: number): Promise<string[]> {
    const database = await this.#index.reader();
    return database === undefined ? [] : spelledLike(database, word, limit);
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
    const held =
      letters === undefined
        ? ''
        : `AND place.number IN (SELECT rowid FROM document_letters WHERE document_letters MATCH ?
            UNION SELECT number FROM document_text WHERE partial = 1)`;
    const sql = `SELECT place.id, place.collection, place.path, text.hash FROM document_place AS place
      JOIN document_text AS text USING (number)
      WHERE (place.kind = 'text' OR text.extracted IS NOT NULL) AND (place.collection, place.path) > (?, ?) ${held} ${where}
      ORDER BY place.collection, place.path LIMIT ?`;
    const match = letters === undefined ? [] : [letters];
    return database
      .all(sql, after?.collection ?? '', after?.path ?? '', ...match, ...values, limit)
      .map(({ id, collection, path, hash }) => ({
        id: Number(id),
        collection: String(collection),
        path: String(path),
        hash: String(hash),
      }));
  }

  async counts() {
    const sql = 'SELECT count(*) AS contents, count(problem) AS problems FROM document_text';
    const row = (await this.#index.reader())?.get(sql);
    return { contents: Number(row?.contents ?? 0), problems: Number(row?.problems ?? 0) };
  }
}

const PATH_WEIGHT = 2;
/** More of them narrow no further, and each is a list to read. */
const MOST_THREES = 24;

/** As a question to the index of letters; `undefined` where it cannot narrow anything. */
function lettersOf(alternatives: readonly (readonly string[])[]): string | undefined {
  const each = alternatives.map((pieces) => [...new Set(pieces.flatMap(threesOf))].slice(0, MOST_THREES));
  if (each.some((threes) => threes.length === 0)) return undefined;
  return each.map((threes) => `(${threes.map(phrase).join(' AND ')})`).join(' OR ');
}

/** A text that is new to the index. */
interface Fresh {
  readonly number: number;
  readonly title: string;
  readonly text: string;
  /** The parts of the names in it. */
  readonly parts: readonly string[];
}

/** Puts a document where it lies now, and takes away what no path needs any longer. */
function place(
  database: Database,
  id: number,
  document: DocumentRecord | undefined,
  texts: ReadonlyMap<string, ContentText>,
  fresh: Fresh[],
): void {
  const old = database.get('SELECT number FROM document_place WHERE id = ?', id);
  if (old !== undefined) {
    database.run('DELETE FROM document_place WHERE id = ?', id);
    database.run('DELETE FROM document_paths WHERE rowid = ?', id);
  }
  if (document !== undefined) {
    const number =
      numberOf(database, document.hash) ?? insertText(database, document.hash, texts.get(document.hash), fresh);
    const { collection, path, kind } = document;
    const [extension, tags] = [extname(path).toLowerCase(), JSON.stringify(document.tags)];
    const sql = 'INSERT INTO document_place VALUES (?, ?, ?, ?, ?, ?, ?)';
    database.run(sql, id, number, collection, path, extension, kind, tags);
    const words = `${path} ${splitWords(path).join(' ')}`;
    database.run('INSERT INTO document_paths (rowid, path) VALUES (?, ?)', id, words);
  }
  if (old !== undefined) dropUnneeded(database, Number(old.number));
}

function numberOf(database: Queries, hash: string): number | undefined {
  const known = database.get('SELECT number FROM document_text WHERE hash = ?', hash);
  return known && Number(known.number);
}

function insertText(database: Queries, hash: string, given: ContentText | undefined, fresh: Fresh[]): number {
  const { title = '', text = '', extracted = false, partial = true, problem } = given ?? {};
  const number = Number(database.get('SELECT max(number) AS last FROM document_text')?.last ?? 0) + 1;
  const kept = extracted ? deflateRawSync(text, { level: 1 }) : null;
  const sql = 'INSERT INTO document_text VALUES (?, ?, ?, ?, ?, ?)';
  database.run(sql, number, hash, title === '' ? null : title, kept, partial ? 1 : 0, problem ?? null);
  if (text !== '' || title !== '') fresh.push({ number, title, text, parts: splitWords(text) });
  return number;
}

function indexTexts(database: Queries, fresh: readonly Fresh[]): void {
  const words = 'INSERT INTO document_words (rowid, title, body, parts) VALUES (?, ?, ?, ?)';
  for (const { number, title, text, parts } of fresh) database.run(words, number, title, text, parts.join(' '));
  const letters = 'INSERT INTO document_letters (rowid, body) VALUES (?, ?)';
  for (const { number, text } of fresh) database.run(letters, number, threesOf(text).join(' '));
}

function dropUnneeded(database: Queries, number: number): void {
  if (database.get('SELECT 1 FROM document_place WHERE number = ? LIMIT 1', number) !== undefined) return;
  for (const table of ['document_words', 'document_letters'])
    database.run(`DELETE FROM ${table} WHERE rowid = ?`, number);
  database.run('DELETE FROM document_text WHERE number = ?', number);
}

function conditions(filter: PlaceFilter): { where: string; values: Value[] } {
  const { collection, kind, extension, tag, below, ids } = filter;
  const parts: string[] = [];
  const values: Value[] = [];
  const add = (sql: string, ...given: Value[]) => {
    parts.push(`AND ${sql}`);
    values.push(...given);
  };
  if (collection !== undefined) add('place.collection = ?', collection);
  if (kind !== undefined) add('place.kind = ?', kind);
  if (extension !== undefined) add('place.extension = ?', extension);
  if (tag !== undefined) add('EXISTS (SELECT 1 FROM json_each(place.tags) WHERE value = ?)', tag);
  if (ids !== undefined) add('place.id IN (SELECT value FROM json_each(?))', JSON.stringify(ids));
  if (below !== undefined) {
    const each = below.map((folder) => {
      // All that begins with the folder and a slash, as a range: `0` is what follows `/`.
      values.push(folder, `${folder}/`, `${folder}0`);
      return '(place.path = ? OR (place.path >= ? AND place.path < ?))';
    });
    parts.push(`AND (${each.join(' OR ') || '0'})`);
  }
  return { where: parts.join(' '), values };
}

function seqIn(database: Queries): number {
  return Number(database.get("SELECT value FROM counter WHERE name = 'document_seq'")?.value ?? 0);
}
