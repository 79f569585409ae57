/**
 * Vectors of the texts in index.db, one for each passage. Rows hold for the text whose hash they carry; for any other it is
 * as if they were missing. A text that has any has its first.
 */
import type { VectorShelf } from '../store.ts';
import { countTexts, type IndexedTexts } from './coverage.ts';
import type { Queries } from './database.ts';
import type { IndexDatabase } from './index-database.ts';

export const vectorTables = `
  CREATE TABLE vector (
    shelf TEXT NOT NULL, id TEXT NOT NULL, passage INTEGER NOT NULL, hash TEXT NOT NULL, model TEXT NOT NULL, code BLOB,
    version INTEGER NOT NULL, PRIMARY KEY (shelf, id, passage)) WITHOUT ROWID;
  CREATE INDEX vector_version ON vector (shelf, version);
  -- Texts that are gone for good, for those who hold their vectors in memory.
  CREATE TABLE vector_gone (shelf TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, PRIMARY KEY (shelf, id)) WITHOUT ROWID;
  CREATE INDEX vector_gone_version ON vector_gone (shelf, version);
  INSERT INTO counter VALUES ('vectors', 0), ('vector_lease', 0);`;

/** The shelf of the contents of documents. */
export const DOCUMENT_VECTORS = 'documents';

/** So many that are gone are remembered: who has not looked for so long holds some that nobody is answered with. */
const GONE = 50_000;

/** Within a transaction: a text is gone, and nobody is to be near it any more. */
export function dropVectors(database: Queries, shelf: string, id: string): void {
  if (database.run('DELETE FROM vector WHERE shelf = ? AND id = ?', shelf, id) === 0) return;
  const version = nextVersion(database);
  database.run('INSERT OR REPLACE INTO vector_gone VALUES (?, ?, ?)', shelf, id, version);
  if (version % GONE === 0) database.run('DELETE FROM vector_gone WHERE version <= ?', version - GONE);
}

function nextVersion(database: Queries): number {
  database.run("UPDATE counter SET value = value + 1 WHERE name = 'vectors'");
  return Number(database.get("SELECT value FROM counter WHERE name = 'vectors'")?.value);
}

/** Rows of one look at what is new. A write has far fewer, and is read whole. */
const PAGE = 2000;

export function vectorsIn(index: IndexDatabase, from: IndexedTexts): VectorShelf {
  const { shelf, files, texts, heading } = from;
  const joined = `${files} JOIN ${texts} AS text USING (number)`;
  const fitting = `vector.shelf = ? AND vector.id = ${files}.id AND vector.hash = text.hash AND vector.model = ?`;
  /** What the texts were when none was missing: to find that again means to go through them all. */
  let complete = '';
  const now = (database: Queries | undefined, model: string) => `${model} ${database?.get(from.version)?.version}`;
  /** Up to which text none was missing, where texts never change: the next look begins there. */
  let settled = { model: '', number: 0 };
  return {
    async missing(model, limit) {
      const database = await index.reader();
      const state = now(database, model);
      if (state === complete) return [];
      if (settled.model !== model || from.immutable !== true) settled = { model, number: 0 };
      const sql = `SELECT ${files}.id, number, text.hash, ${heading} AS heading, text.body FROM ${joined}
        LEFT JOIN vector ON ${fitting} AND vector.passage = 0
        WHERE vector.id IS NULL AND number > ? ORDER BY number LIMIT ?`;
      const rows = database?.all(sql, shelf, model, settled.number, limit) ?? [];
      if (rows.length === 0) complete = state;
      else settled = { model, number: Number(rows[0]?.number) - 1 };
      return rows.map((row) => ({
        id: String(row.id),
        hash: String(row.hash),
        title: String(row.heading),
        ...(row.body !== null && { body: String(row.body) }),
      }));
    },
    async put(model, embedded) {
      await index.write((database) => {
        const version = nextVersion(database);
        const present = `SELECT 1 FROM ${joined} WHERE ${files}.id = ? AND text.hash = ?`;
        const insert = 'INSERT INTO vector VALUES (?, ?, ?, ?, ?, ?, ?)';
        for (const { id, hash, codes } of embedded) {
          if (database.get(present, id, hash) === undefined) continue;
          database.run('DELETE FROM vector WHERE shelf = ? AND id = ?', shelf, id);
          database.run('DELETE FROM vector_gone WHERE shelf = ? AND id = ?', shelf, id);
          for (const [passage, code] of (codes.length === 0 ? [undefined] : codes).entries()) {
            database.run(insert, shelf, id, passage, hash, model, code ?? null, version);
          }
        }
      });
    },
    async since(model, version) {
      const sql = `SELECT vector.id, vector.passage, vector.code, vector.version FROM vector
        CROSS JOIN ${files} ON ${files}.id = vector.id CROSS JOIN ${texts} AS text USING (number)
        WHERE ${fitting} AND vector.version > ? AND vector.version <= ?
        ORDER BY vector.version, vector.id, vector.passage LIMIT ?`;
      const database = await index.reader();
      // What others write between the two looks below comes with the next.
      const newest = Number(database?.get("SELECT value FROM counter WHERE name = 'vectors'")?.value ?? 0);
      let rows = database?.all(sql, shelf, model, version, newest, PAGE) ?? [];
      const more = rows.length === PAGE;
      const last = Number(rows.at(-1)?.version);
      // The last write may have been cut off.
      if (more) rows = rows.filter((row) => row.version !== last);
      if (more && rows.length === 0) rows = database?.all(sql, shelf, model, version, last, -1) ?? [];
      const found = new Map<string, { codes: Uint8Array[]; passages: number[] }>();
      for (const { id, passage, code } of rows) {
        const { codes, passages } = found.get(String(id)) ?? { codes: [], passages: [] };
        found.set(String(id), { codes, passages });
        if (code === null) continue;
        codes.push(code as Uint8Array);
        passages.push(Number(passage));
      }
      const until = more ? Number(rows.at(-1)?.version) : newest;
      const gone = 'SELECT id FROM vector_gone WHERE shelf = ? AND version > ? AND version <= ?';
      for (const { id } of database?.all(gone, shelf, version, until) ?? [])
        if (!found.has(String(id))) found.set(String(id), { codes: [], passages: [] });
      return {
        version: Math.max(version, until),
        vectors: [...found].map(([id, own]) => ({ id, ...own })),
        more,
      };
    },
    async progress(model) {
      const database = await index.reader();
      const of = countTexts(database, from);
      if (now(database, model) === complete) return { done: of, of };
      const sql = `SELECT count(*) AS found FROM ${joined} JOIN vector ON ${fitting} AND vector.passage = 0`;
      return { done: Number(database?.get(sql, shelf, model)?.found ?? 0), of };
    },
    claim(forMs) {
      const now = Date.now();
      return index.write((database) => {
        // One that ends later than any can was taken under a clock that was wrong.
        const sql = "UPDATE counter SET value = ? WHERE name = 'vector_lease' AND (value < ? OR value > ?)";
        return database.run(sql, forMs === 0 ? 0 : now + forMs, now, now + forMs) === 1;
      });
    },
  };
}
