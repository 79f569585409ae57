/** What was read of source files, kept in some statements for all of them. */
import type { ReadCode } from '../graph-index.ts';
import { packedOutline } from '../outline-bytes.ts';
import type { Rows } from '../rows.ts';
import { storable } from '../text.ts';
import { insertAll, listed, numbersFrom } from './bulk.ts';

/** Longer ones are no names; an index takes no more. */
const LONGEST_NAME = 500;

export function keptName(name: string): string {
  return storable(name.slice(0, LONGEST_NAME));
}

/** Within a transaction. Only what still fits: a document that changed meanwhile is read again. */
export async function keepCode(rows: Rows, read: readonly ReadCode[]): Promise<void> {
  const fitting = await fittingOf(rows, read);
  await takeNames(rows, fitting);
  const outlines = await insertOutlines(rows, fitting);
  const named = (table: string, column: string) =>
    `INSERT INTO ${table} (name, ${column}) SELECT DISTINCT code_name.id, given.owner FROM json_to_recordset(?::text::json)
      AS given (name TEXT, owner BIGINT) JOIN code_name USING (name) ON CONFLICT DO NOTHING`;
  const definitions = outlines.flatMap(({ id, code }) => namesOf(code).map((name) => ({ name, owner: id })));
  await insertAll(rows, named('code_definition', 'outline'), definitions);
  const uses = outlines.flatMap(({ id, code }) => unique(code.uses).map((name) => ({ name, owner: id })));
  await insertAll(rows, named('code_use', 'outline'), uses);
  const places = listed(fitting.map(({ code }) => code.document.id));
  const these = 'place IN (SELECT value::bigint FROM json_each(?))';
  await rows.run(`DELETE FROM code_import WHERE ${these}`, places);
  const imports = fitting.flatMap(({ code }) =>
    unique(code.importKeys).map((name) => ({ name, owner: code.document.id })),
  );
  await insertAll(rows, named('code_import', 'place'), imports);
  await rows.run(`DELETE FROM code_unread WHERE ${these}`, places);
}

interface Fitting {
  readonly number: number;
  readonly code: ReadCode;
}

/** The last one of a document counts. */
async function fittingOf(rows: Rows, read: readonly ReadCode[]): Promise<Fitting[]> {
  const given = JSON.stringify(
    read.map(({ document: { id, hash, language } }, key) => ({ key, id, hash: storable(hash), language })),
  );
  const sql = `SELECT given.key, place.number FROM json_to_recordset(?::text::json)
      AS given (key INT, id BIGINT, hash TEXT, language TEXT)
    JOIN document_place AS place ON place.id = given.id JOIN document_text AS text USING (number)
    JOIN code_language USING (extension)
    WHERE text.hash = given.hash AND code_language.language = given.language ORDER BY given.key`;
  const byPlace = new Map<number, Fitting>();
  for (const { key, number } of await rows.all(sql, given)) {
    const code = read[Number(key)];
    if (code !== undefined) byPlace.set(code.document.id, { number: Number(number), code });
  }
  return [...byPlace.values()];
}

/** Names stay when nothing holds them any more: most come back. */
async function takeNames(rows: Rows, fitting: readonly Fitting[]): Promise<void> {
  const names = unique(fitting.flatMap(({ code }) => [...namesOf(code), ...code.uses, ...code.importKeys]));
  if (names.length === 0) return;
  const lacking = `SELECT value FROM json_each(?) AS given
    WHERE NOT EXISTS (SELECT 1 FROM code_name WHERE code_name.name = given.value)`;
  const fresh = (await rows.all(lacking, listed(names))).map(({ value }) => String(value));
  if (fresh.length === 0) return;
  const first = await numbersFrom(rows, 'code_name', fresh.length);
  await insertAll(
    rows,
    `INSERT INTO code_name (id, name) SELECT id, name FROM json_to_recordset(?::text::json) AS given (id BIGINT, name TEXT)
      ON CONFLICT DO NOTHING`,
    fresh.map((name, at) => ({ id: first + at, name })),
  );
}

/** Those that are new: the same content under another path was kept before. */
async function insertOutlines(rows: Rows, fitting: readonly Fitting[]): Promise<{ id: number; code: ReadCode }[]> {
  if (fitting.length === 0) return [];
  const wanted = [...new Map(fitting.map((each) => [`${each.number} ${each.code.document.language}`, each])).values()];
  const first = await numbersFrom(rows, 'code_outline', wanted.length);
  const sql = `INSERT INTO code_outline (id, number, language, symbols, outline)
    SELECT id, number, language, symbols, decode(outline, 'base64') FROM json_to_recordset(?::text::json)
    AS given (id BIGINT, number BIGINT, language TEXT, symbols INT, outline TEXT) ON CONFLICT DO NOTHING`;
  await insertAll(
    rows,
    sql,
    wanted.map(({ number, code: { document, outline } }, at) => ({
      id: first + at,
      number,
      language: document.language,
      symbols: outline.symbols.length,
      outline: Buffer.from(packedOutline(outline)).toString('base64'),
    })),
  );
  const taken = 'SELECT id FROM code_outline WHERE id >= ? AND id < ?';
  const ids = (await rows.all(taken, first, first + wanted.length)).map(({ id }) => Number(id));
  return ids.flatMap((id) => {
    const own = wanted[id - first];
    return own === undefined ? [] : [{ id, code: own.code }];
  });
}

function namesOf({ outline }: ReadCode): string[] {
  return unique(outline.symbols.map(({ name }) => name));
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names.map(keptName))];
}
