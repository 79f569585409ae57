/** The instruction files as index.db knows them. */

import { sha256 } from '../hash.ts';
import type { Coverage, HashedText, IndexChanges, IndexedFile, InstructionIndex, VectorShelf } from '../store.ts';
import { isNarrow, noTerms, type Terms } from '../terms.ts';
import { countTexts, coverageIn, type IndexedTexts } from './coverage.ts';
import type { Database, Row } from './database.ts';
import { idealOf, NEWEST, RANKED, telling } from './frequency.ts';
import { dropLinks, putLinks } from './graph-links.ts';
import type { IndexDatabase } from './index-database.ts';
import { dropMentions, putMentions } from './mentions.ts';
import { phrase } from './phrase.ts';
import { type Narrowing, termConditions, termOf } from './terms.ts';
import { vectorsIn } from './vectors.ts';

export const instructionTables = `
  CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
  INSERT INTO counter VALUES ('version', 0);
  CREATE TABLE catalog_hash (version INTEGER PRIMARY KEY, hash TEXT NOT NULL);
  -- A removed file stays as a row without content until it comes back, so that others learn of the removal.
  CREATE TABLE file (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, id TEXT, size INTEGER NOT NULL, modified_ms REAL NOT NULL,
    head TEXT, meta_hash TEXT, problem TEXT, removed INTEGER NOT NULL DEFAULT 0, version INTEGER NOT NULL);
  CREATE INDEX file_version ON file (version);
  CREATE INDEX file_id ON file (id);
  CREATE TABLE content (number INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL, body_hash TEXT NOT NULL);
  CREATE INDEX content_body_hash ON content (body_hash);
  CREATE VIRTUAL TABLE words USING fts5(title, body, content='content', content_rowid='number', tokenize='porter unicode61');
  CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, 'row');
  CREATE VIRTUAL TABLE substrings USING fts5(title, body, content='content', content_rowid='number', tokenize='trigram', detail='full');`;

const texts: IndexedTexts = {
  shelf: 'instructions',
  files: 'file',
  texts: 'content',
  words: 'words',
  version: "SELECT value AS version FROM counter WHERE name = 'version'",
  heading: 'text.title',
};

export class EmbeddedInstructionIndex implements InstructionIndex {
  readonly vectors: VectorShelf;
  readonly #index: IndexDatabase;

  constructor(index: IndexDatabase) {
    this.#index = index;
    this.vectors = vectorsIn(index, texts);
  }

  async coverage(words: readonly string[], ids: readonly string[]): Promise<Coverage> {
    return coverageIn(await this.#index.reader(), texts, words, ids);
  }

  async version(): Promise<number> {
    const database = await this.#index.reader();
    return database === undefined ? 0 : versionIn(database);
  }

  async changesSince(version: number): Promise<IndexChanges> {
    const database = await this.#index.reader();
    if (database === undefined) return { version: 0, files: [], removed: [] };
    const now = versionIn(database);
    if (now === version) return { version, files: [], removed: [] };
    const rows = database.all('SELECT * FROM file WHERE version > ? AND version <= ? ORDER BY name', version, now);
    const gone = rows.filter((row) => row.removed === 1);
    return {
      version: now,
      files: rows.filter((row) => row.removed === 0).map(toFile),
      removed: gone.map((row) => String(row.name)),
    };
  }

  async catalogHash(): Promise<string | undefined> {
    const database = await this.#index.reader();
    if (database === undefined) return undefined;
    const row = database.get('SELECT hash FROM catalog_hash WHERE version = ?', versionIn(database));
    return row && String(row.hash);
  }

  async keepCatalogHash(version: number, hash: string): Promise<void> {
    await this.#index.write((database) => {
      database.run('DELETE FROM catalog_hash');
      database.run('INSERT INTO catalog_hash VALUES (?, ?)', version, hash);
    });
  }

  update(files: readonly IndexedFile[], removed: readonly string[]): Promise<number> {
    return this.#index.write((database) => {
      const version = versionIn(database) + 1;
      for (const name of removed) forget(database, name, version);
      for (const file of files) put(database, file, version);
      database.run("UPDATE counter SET value = ? WHERE name = 'version'", version);
      return version;
    });
  }

  async bodies(ids: readonly string[]): Promise<Map<string, string>> {
    const database = await this.#index.reader();
    const found = new Map<string, string>();
    if (database === undefined) return found;
    const sql = 'SELECT file.id, content.body FROM file JOIN content USING (number) WHERE file.id = ?';
    for (const id of ids) {
      const row = database.get(sql, id);
      if (row !== undefined) found.set(id, String(row.body));
    }
    return found;
  }

  async withHash(prefix: string, limit: number): Promise<HashedText[]> {
    const sql = `SELECT file.id, title, body, body_hash FROM content JOIN file USING (number)
      WHERE body_hash >= ? AND body_hash < ? LIMIT ?`;
    const rows = (await this.#index.reader())?.all(sql, prefix, `${prefix}g`, limit) ?? [];
    return rows.map(({ id, title, body, body_hash }) => ({
      id: String(id),
      title: String(title),
      body: String(body),
      hash: String(body_hash),
    }));
  }

  async containing(text: string, limit: number): Promise<string[]> {
    const database = await this.#index.reader();
    if (database === undefined || text === '') return [];
    // Trigrams need three characters; shorter texts look at every entry, which SQLite does at memory speed.
    const [condition, value] =
      [...text].length >= 3
        ? ['content.number IN (SELECT rowid FROM substrings WHERE substrings MATCH ?)', phrase(text)]
        : ["content.title || char(10) || content.body LIKE ? ESCAPE '\\'", `%${text.replace(/[\\%_]/g, '\\$&')}%`];
    const sql = `SELECT file.id FROM content JOIN file USING (number) WHERE ${condition} LIMIT ?`;
    return database.all(sql, value, limit).map((row) => String(row.id));
  }

  async allowed(terms: Terms): Promise<ReadonlySet<string> | undefined> {
    if (!isNarrow(terms)) return undefined;
    const { parts, values } = narrowed('file.number', terms);
    const sql = `SELECT file.id FROM file JOIN content USING (number) WHERE ${parts.join(' AND ')}`;
    const rows = (await this.#index.reader())?.all(sql, ...values) ?? [];
    return new Set(rows.map(({ id }) => String(id)));
  }

  async matching(words: readonly string[], limit: number, terms: Terms = noTerms) {
    const database = await this.#index.reader();
    if (database === undefined) return [];
    const told = telling(database, 'vocabulary', words, RANKED);
    const match = [...told.words.map(phrase), ...terms.required.map(termOf)].join(' OR ');
    if (match === '') return [];
    const ideal = idealOf(told, countTexts(database, texts));
    const newest = told.common ? [`words.rowid > (SELECT max(number) FROM file) - ${NEWEST}`] : [];
    const { parts, values } = narrowed('words.rowid', terms);
    const where = ['words MATCH ?', ...newest, ...parts].join(' AND ');
    const sql = `SELECT file.id, -bm25(words, 4.0, 1.0) AS score FROM words JOIN file ON file.number = words.rowid
      WHERE ${where} ORDER BY bm25(words, 4.0, 1.0) LIMIT ?`;
    return database
      .all(sql, match, ...values, limit)
      .map((row) => ({ id: String(row.id), score: Number(row.score) / ideal }));
  }
}

function narrowed(column: string, terms: Terms): Narrowing {
  const { parts, values } = termConditions('words', column, 'rowid', terms);
  if (terms.ids === undefined) return { parts, values };
  const chosen = 'file.id IN (SELECT value FROM json_each(?))';
  return { parts: [...parts, chosen], values: [...values, JSON.stringify(terms.ids)] };
}

function put(database: Database, file: IndexedFile, version: number): void {
  dropText(database, file.name);
  database.run(
    `INSERT INTO file (name, id, size, modified_ms, head, meta_hash, problem, removed, version)
     VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?)
     ON CONFLICT (name) DO UPDATE SET id = excluded.id, size = excluded.size, modified_ms = excluded.modified_ms,
       head = excluded.head, meta_hash = excluded.meta_hash, problem = excluded.problem, removed = 0, version = excluded.version`,
    file.name,
    file.id ?? null,
    file.size,
    file.modifiedMs,
    file.head ?? null,
    file.metaHash ?? null,
    file.problem ?? null,
    version,
  );
  putLinks(database, `instructions/${file.name}`, file.links ?? []);
  putMentions(database, 'instruction', idOf(file.name), file.mentions ?? []);
  if (file.body === undefined) return;
  const number = Number(database.get('SELECT number FROM file WHERE name = ?', file.name)?.number);
  const title = file.title ?? '';
  const hashes = [sha256(`${title}\n${file.body}`), sha256(file.body)];
  database.run('INSERT INTO content VALUES (?, ?, ?, ?, ?)', number, title, file.body, ...hashes);
  for (const table of ['words', 'substrings']) {
    database.run(`INSERT INTO ${table} (rowid, title, body) VALUES (?, ?, ?)`, number, title, file.body);
  }
}

function forget(database: Database, name: string, version: number): void {
  dropText(database, name);
  dropLinks(database, `instructions/${name}`);
  dropMentions(database, 'instruction', idOf(name));
  database.run(
    'UPDATE file SET id = NULL, head = NULL, meta_hash = NULL, problem = NULL, removed = 1, version = ? WHERE name = ?',
    version,
    name,
  );
}

function dropText(database: Database, name: string): void {
  const row = database.get('SELECT number, title, body FROM file JOIN content USING (number) WHERE name = ?', name);
  if (row === undefined) return;
  const [number, title, body] = [Number(row.number), String(row.title), String(row.body)];
  for (const table of ['words', 'substrings']) {
    database.run(`INSERT INTO ${table} (${table}, rowid, title, body) VALUES ('delete', ?, ?, ?)`, number, title, body);
  }
  database.run('DELETE FROM content WHERE number = ?', number);
}

/** A file is called as its entry. */
function idOf(name: string): string {
  return name.replace(/\.json$/, '');
}

function versionIn(database: Database): number {
  return Number(database.get("SELECT value FROM counter WHERE name = 'version'")?.value ?? 0);
}

function toFile(row: Row): IndexChanges['files'][number] {
  return {
    name: String(row.name),
    size: Number(row.size),
    modifiedMs: Number(row.modified_ms),
    ...(row.id !== null && { id: String(row.id) }),
    ...(row.head !== null && { head: String(row.head) }),
    ...(row.meta_hash !== null && { metaHash: String(row.meta_hash) }),
    ...(row.problem !== null && { problem: String(row.problem) }),
  };
}
