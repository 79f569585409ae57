/**
 * Vectors of texts, one for each passage. Rows hold for the text whose hash they carry; for any other it is as if they were
 * missing. A text that has any has its first. Writers stand in line, so versions become visible in their order.
 */
import type { Row, Rows } from '../rows.ts';
import type { VectorShelf } from '../store.ts';
import { claimTurn, insertAll, listed, numbersFrom } from './bulk.ts';
import type { SharedDatabase } from './database.ts';

/** Where the texts of one kind lie. */
export interface IndexedTexts {
  readonly shelf: string;
  /** A table, or a query in brackets, with the columns `number, id, hash, heading, body`. */
  readonly texts: string;
  /** The counter that grows with every change of a text. */
  readonly counter: string;
  /** A text never changes: another one has a greater number. */
  readonly immutable?: boolean;
}

/** The shelf of the contents of documents. */
export const DOCUMENT_VECTORS = 'documents';

/** Each content is a text that has its hash for a name; it lies among the objects. */
export const documentTexts: IndexedTexts = {
  shelf: DOCUMENT_VECTORS,
  texts: `(SELECT number, hash AS id, hash, coalesce(title, '') AS heading, NULL AS body FROM document_text WHERE sections > 0)`,
  counter: 'document_seq',
  immutable: true,
};

/** So many that are gone are remembered: who has not looked for so long holds some that nobody is answered with. */
const GONE = 50_000;

/** Within a transaction: texts are gone, and nobody is to be near them any more. */
export async function dropVectors(rows: Rows, shelf: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const sql = 'DELETE FROM vector WHERE shelf = ? AND id IN (SELECT value FROM json_each(?)) RETURNING id';
  const gone = [...new Set((await rows.all(sql, shelf, listed(ids))).map(({ id }) => String(id)))];
  if (gone.length === 0) return;
  const first = await numbersFrom(rows, 'vectors', gone.length);
  const remember = `INSERT INTO vector_gone (shelf, id, version) SELECT ?, value, ?::bigint + key FROM json_each(?)
    ON CONFLICT (shelf, id) DO UPDATE SET version = excluded.version`;
  await rows.run(remember, shelf, first, listed(gone));
  await rows.run('DELETE FROM vector_gone WHERE shelf = ? AND version < ?', shelf, first - GONE);
}

/** Rows of one look at what is new. A write has far fewer, and is read whole. */
const PAGE = 2000;

export function sharedVectors(database: SharedDatabase, from: IndexedTexts): VectorShelf {
  const { shelf, texts } = from;
  const fitting = 'vector.shelf = ? AND vector.id = text.id AND vector.hash = text.hash AND vector.model = ?';
  /** What the texts were when none was missing: to find that again means to go through them all. */
  let complete = '';
  const now = async (rows: Rows, model: string) =>
    `${model} ${(await rows.get('SELECT value FROM counter WHERE name = ?', from.counter))?.value}`;
  /** Asked for with every search. */
  let counted = { state: '', of: 0 };
  /** Up to which text none was missing, where texts never change: the next look begins there. */
  let settled = { model: '', number: 0 };
  return {
    async missing(model, limit) {
      // Before the texts: what changes between the two is looked at once more.
      const state = await now(database.rows, model);
      if (state === complete) return [];
      if (settled.model !== model || from.immutable !== true) settled = { model, number: 0 };
      const sql = `SELECT text.id, text.number, text.hash, text.heading, text.body FROM ${texts} AS text
        WHERE text.number > ? AND NOT EXISTS (SELECT 1 FROM vector WHERE ${fitting} AND vector.passage = 0)
        ORDER BY text.number LIMIT ?`;
      const rows = await database.rows.all(sql, settled.number, shelf, model, limit);
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
      const last = [...new Map(embedded.map((each) => [each.id, each])).values()];
      if (last.length === 0) return;
      await database.derive(async (rows) => {
        const version = await numbersFrom(rows, 'vectors', 1);
        const given = JSON.stringify(last.map(({ id, hash }) => ({ id, hash })));
        const present = `SELECT given.id FROM json_to_recordset(?::text::json) AS given (id TEXT, hash TEXT)
          JOIN ${texts} AS text ON text.id = given.id AND text.hash = given.hash`;
        const ids = new Set((await rows.all(present, given)).map(({ id }) => String(id)));
        const own = listed([...ids]);
        for (const table of ['vector', 'vector_gone'])
          await rows.run(`DELETE FROM ${table} WHERE shelf = ? AND id IN (SELECT value FROM json_each(?))`, shelf, own);
        const insert = `INSERT INTO vector (shelf, id, passage, hash, model, code, version)
          SELECT ?, id, passage, hash, ?, decode(code, 'base64'), ?::bigint
          FROM json_to_recordset(?::text::json) AS given (id TEXT, passage INT, hash TEXT, code TEXT)`;
        await insertAll(rows, insert, rowsOf(last.filter(({ id }) => ids.has(id))), shelf, model, version);
      });
    },
    since: (model, version) =>
      database.look(async (rows) => {
        const sql = `SELECT vector.id, vector.passage, vector.code, vector.version FROM vector
          JOIN ${texts} AS text ON ${fitting} WHERE vector.version > ? AND vector.version <= ?
          ORDER BY vector.version, vector.id, vector.passage LIMIT ?::bigint`;
        const newest = Number((await rows.get("SELECT value FROM counter WHERE name = 'vectors'"))?.value ?? 0);
        let found = await rows.all(sql, shelf, model, version, newest, PAGE);
        const more = found.length === PAGE;
        const last = Number(found.at(-1)?.version);
        // The last write may have been cut off.
        if (more) found = found.filter((row) => row.version !== last);
        if (more && found.length === 0) found = await rows.all(sql, shelf, model, version, last, null);
        const until = more ? Number(found.at(-1)?.version) : newest;
        const gone = 'SELECT id FROM vector_gone WHERE shelf = ? AND version > ? AND version <= ?';
        const vectors = vectorsOf(found, await rows.all(gone, shelf, version, until));
        return { version: Math.max(version, until), vectors, more };
      }),
    async progress(model) {
      const state = await now(database.rows, model);
      if (counted.state !== state) {
        const row = await database.rows.get(`SELECT count(*) AS found FROM ${texts} AS text`);
        counted = { state, of: Number(row?.found ?? 0) };
      }
      const { of } = counted;
      if (state === complete) return { done: of, of };
      const sql = `SELECT count(*) AS found FROM ${texts} AS text JOIN vector ON ${fitting} AND vector.passage = 0`;
      return { done: Number((await database.rows.get(sql, shelf, model))?.found ?? 0), of };
    },
    claim: (forMs) => claimTurn(database.rows, 'vector_lease', forMs),
  };
}

type Embedded = Parameters<VectorShelf['put']>[1][number];

function rowsOf(embedded: readonly Embedded[]) {
  return embedded.flatMap(({ id, hash, codes }) =>
    (codes.length === 0 ? [undefined] : codes).map((code, passage) => ({
      id,
      hash,
      passage,
      code: code === undefined ? null : Buffer.from(code).toString('base64'),
    })),
  );
}

function vectorsOf(rows: readonly Row[], gone: readonly Row[]) {
  const found = new Map<string, { codes: Uint8Array[]; passages: number[] }>();
  for (const { id, passage, code } of rows) {
    const { codes, passages } = found.get(String(id)) ?? { codes: [], passages: [] };
    found.set(String(id), { codes, passages });
    if (code === null) continue;
    codes.push(code as Uint8Array);
    passages.push(Number(passage));
  }
  for (const { id } of gone) if (!found.has(String(id))) found.set(String(id), { codes: [], passages: [] });
  return [...found].map(([id, own]) => ({ id, ...own }));
}
