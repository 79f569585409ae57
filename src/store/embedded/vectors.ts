/** Vectors of the texts in index.db. A row holds for the text whose hash it carries; for any other it is as if missing. */
import type { VectorShelf } from '../store.ts';
import type { IndexedTexts } from './coverage.ts';
import type { IndexDatabase } from './index-database.ts';

export const vectorTables = `
  CREATE TABLE vector (
    shelf TEXT NOT NULL, id TEXT NOT NULL, hash TEXT NOT NULL, model TEXT NOT NULL, code BLOB, version INTEGER NOT NULL,
    PRIMARY KEY (shelf, id)) WITHOUT ROWID;
  CREATE INDEX vector_version ON vector (shelf, version);
  INSERT INTO counter VALUES ('vectors', 0), ('vector_lease', 0);`;

export function vectorsIn(index: IndexDatabase, { shelf, files, texts, embedded }: IndexedTexts): VectorShelf {
  const joined = `${files} JOIN ${texts} AS text USING (number)`;
  const fitting = `vector.shelf = ? AND vector.id = ${files}.id AND vector.hash = text.hash AND vector.model = ?`;
  const part = embedded.replace(/\b(title|target|body)\b/g, 'text.$1');
  return {
    async missing(model, limit) {
      const sql = `SELECT ${files}.id, text.hash, ${part} AS embedded FROM ${joined} LEFT JOIN vector ON ${fitting}
        WHERE vector.id IS NULL LIMIT ?`;
      const rows = (await index.reader())?.all(sql, shelf, model, limit) ?? [];
      return rows.map((row) => ({ id: String(row.id), hash: String(row.hash), text: String(row.embedded) }));
    },
    async put(model, vectors) {
      await index.write((database) => {
        database.run("UPDATE counter SET value = value + 1 WHERE name = 'vectors'");
        const version = Number(database.get("SELECT value FROM counter WHERE name = 'vectors'")?.value);
        const present = `SELECT 1 FROM ${joined} WHERE ${files}.id = ? AND text.hash = ?`;
        for (const { id, hash, code } of vectors) {
          if (database.get(present, id, hash) === undefined) continue;
          const sql = 'INSERT OR REPLACE INTO vector VALUES (?, ?, ?, ?, ?, ?)';
          database.run(sql, shelf, id, hash, model, code ?? null, version);
        }
      });
    },
    async since(model, version) {
      const database = await index.reader();
      const sql = `SELECT vector.id, vector.code FROM vector JOIN ${files} ON ${files}.id = vector.id
        JOIN ${texts} AS text USING (number)
        WHERE ${fitting} AND vector.version > ? AND vector.code IS NOT NULL ORDER BY vector.version`;
      const rows = database?.all(sql, shelf, model, version) ?? [];
      const vectors = rows.map((row) => ({ id: String(row.id), code: row.code as Uint8Array }));
      const now = Number(database?.get("SELECT value FROM counter WHERE name = 'vectors'")?.value ?? 0);
      return { version: now, vectors };
    },
    async progress(model) {
      const database = await index.reader();
      const done = database?.get(`SELECT count(*) AS found FROM ${joined} JOIN vector ON ${fitting}`, shelf, model);
      const of = database?.get(`SELECT count(*) AS found FROM ${texts}`);
      return { done: Number(done?.found ?? 0), of: Number(of?.found ?? 0) };
    },
    claim(forMs) {
      const now = Date.now();
      return index.write((database) => {
        const sql = "UPDATE counter SET value = ? WHERE name = 'vector_lease' AND (value < ? OR ? = 0)";
        return database.run(sql, forMs === 0 ? 0 : now + forMs, now, forMs) === 1;
      });
    },
  };
}
