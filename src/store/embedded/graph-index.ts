/** The graph as index.db knows it. */
import type { Language, Outline } from '../../graph/code/outline.ts';
import type { CodePlace, GraphIndex, InstructionFacts, Link, ReadCode, Unread } from '../graph-index.ts';
import { packedOutline, unpackedOutline } from '../outline-bytes.ts';
import type { Queries, Row, Value } from './database.ts';
import { linksOf } from './graph-links.ts';
import type { IndexDatabase } from './index-database.ts';

export class EmbeddedGraphIndex implements GraphIndex {
  readonly #index: IndexDatabase;

  constructor(index: IndexDatabase) {
    this.#index = index;
  }

  async version(): Promise<number> {
    return this.#number("SELECT value AS found FROM counter WHERE name = 'code'");
  }

  async unread(limit: number): Promise<Unread[]> {
    const sql = `SELECT place.id, place.collection, place.path, text.hash, code_language.language, code_outline.outline
      FROM code_unread JOIN document_place AS place ON place.id = code_unread.place
      JOIN document_text AS text USING (number) JOIN code_language USING (extension)
      LEFT JOIN code_outline ON code_outline.number = text.number AND code_outline.language = code_language.language
      ORDER BY code_unread.place LIMIT ?`;
    return (await this.#all(sql, limit)).map((row) => ({
      id: Number(row.id),
      ...placeOf(row),
      hash: String(row.hash),
      language: String(row.language) as Language,
      ...(row.outline instanceof Uint8Array && { outline: unpackedOutline(row.outline) }),
    }));
  }

  async pending(): Promise<number> {
    return this.#number('SELECT count(*) AS found FROM code_unread');
  }

  async keep(read: readonly ReadCode[]): Promise<void> {
    await this.#index.write((database) => {
      for (const each of read) keepOne(database, each);
      database.run("UPDATE counter SET value = value + 1 WHERE name = 'code'");
    });
  }

  claim(forMs: number): Promise<boolean> {
    const now = Date.now();
    return this.#index.write((database) => {
      // One that ends later than any can was taken under a clock that was wrong.
      const sql = "UPDATE counter SET value = ? WHERE name = 'code_lease' AND (value < ? OR value > ?)";
      return database.run(sql, forMs === 0 ? 0 : now + forMs, now, now + forMs) === 1;
    });
  }

  async outline(hash: string, language: Language): Promise<Outline | undefined> {
    const sql = `SELECT outline FROM document_text JOIN code_outline USING (number) WHERE hash = ? AND language = ?`;
    const [row] = await this.#all(sql, hash, language);
    return row?.outline instanceof Uint8Array ? unpackedOutline(row.outline) : undefined;
  }

  async importing(collection: string, keys: readonly string[], limit: number): Promise<string[]> {
    const sql = `SELECT DISTINCT place.path FROM code_name
      CROSS JOIN code_import ON code_import.name = code_name.id CROSS JOIN document_place AS place ON place.id = code_import.place
      WHERE code_name.name IN (SELECT value FROM json_each(?)) AND place.collection = ? LIMIT ?`;
    return (await this.#all(sql, JSON.stringify(keys), collection, limit)).map(({ path }) => String(path));
  }

  async using(collection: string, names: readonly string[], limit: number): Promise<string[]> {
    const sql = `SELECT DISTINCT place.path FROM code_name
      CROSS JOIN code_use ON code_use.name = code_name.id CROSS JOIN code_outline ON code_outline.id = code_use.outline
      CROSS JOIN document_place AS place ON place.number = code_outline.number
      WHERE code_name.name IN (SELECT value FROM json_each(?)) AND place.collection = ? LIMIT ?`;
    return (await this.#all(sql, JSON.stringify(names), collection, limit)).map(({ path }) => String(path));
  }

  async defining(name: string, limit: number): Promise<CodePlace[]> {
    const sql = `SELECT DISTINCT place.collection, place.path FROM code_name
      CROSS JOIN code_definition ON code_definition.name = code_name.id
      CROSS JOIN code_outline ON code_outline.id = code_definition.outline
      CROSS JOIN document_place AS place ON place.number = code_outline.number
      WHERE code_name.name = ? ORDER BY 1, 2 LIMIT ?`;
    return (await this.#all(sql, name, limit)).map(placeOf);
  }

  async outlined(after: CodePlace | undefined, limit: number): Promise<(CodePlace & { symbols: number })[]> {
    const sql = `SELECT place.collection, place.path, code_outline.symbols FROM document_place AS place
      JOIN code_language USING (extension) JOIN code_outline USING (number, language)
      WHERE (place.collection, place.path) > (?, ?) AND symbols > 0 ORDER BY place.collection, place.path LIMIT ?`;
    const rows = await this.#all(sql, after?.collection ?? '', after?.path ?? '', limit);
    return rows.map((row) => ({ ...placeOf(row), symbols: Number(row.symbols) }));
  }

  symbolCount(): Promise<number> {
    return this.#number(`SELECT sum(symbols) AS found FROM document_place
      JOIN code_language USING (extension) JOIN code_outline USING (number, language)`);
  }

  async links(key: string, direction: 'out' | 'in', relation: string, limit: number): Promise<Link[]> {
    const database = await this.#index.reader();
    return database === undefined ? [] : linksOf(database, key, direction, relation, limit);
  }

  async instruction(id: string): Promise<InstructionFacts | undefined> {
    const [row] = await this.#all(`${instructionFacts} WHERE file.id = ?`, id);
    return row && factsOf(row);
  }

  async instructions(limit: number, offset: number): Promise<InstructionFacts[]> {
    const sql = `${instructionFacts} WHERE file.id IS NOT NULL ORDER BY file.id LIMIT ? OFFSET ?`;
    return (await this.#all(sql, limit, offset)).map(factsOf);
  }

  instructionCount(): Promise<number> {
    return this.#number('SELECT count(id) AS found FROM file');
  }

  async categories(limit: number, offset: number): Promise<string[]> {
    const sql = `SELECT DISTINCT target FROM link WHERE ${isCategory} ORDER BY target LIMIT ? OFFSET ?`;
    return (await this.#all(sql, limit, offset)).map(({ target }) => String(target));
  }

  categoryCount(): Promise<number> {
    return this.#number(`SELECT count(DISTINCT target) AS found FROM link WHERE ${isCategory}`);
  }

  async #all(sql: string, ...values: Value[]): Promise<Row[]> {
    return (await this.#index.reader())?.all(sql, ...values) ?? [];
  }

  async #number(sql: string): Promise<number> {
    return Number((await this.#all(sql))[0]?.found ?? 0);
  }
}

/** A range over the index of targets. */
const isCategory = "target >= 'category:' AND target < 'category;'";

const instructionFacts = `SELECT file.id, content.title, content.body_hash, json_extract(file.head, '$.head.status') AS status
  FROM file JOIN content USING (number)`;

function factsOf({ id, title, status, body_hash }: Row): InstructionFacts {
  return { id: String(id), title: String(title), status: String(status ?? ''), hash: String(body_hash) };
}

function keepOne(database: Queries, { document, outline, importKeys, uses }: ReadCode): void {
  const { id, hash, language } = document;
  const present = `SELECT place.number FROM document_place AS place JOIN document_text AS text USING (number)
    JOIN code_language USING (extension) WHERE place.id = ? AND text.hash = ? AND language = ?`;
  const row = database.get(present, id, hash, language);
  if (row === undefined) return;
  keepOutline(database, Number(row.number), language, outline, uses);
  database.run('DELETE FROM code_import WHERE place = ?', id);
  const sql = 'INSERT OR IGNORE INTO code_import VALUES (?, ?)';
  for (const key of new Set(importKeys)) database.run(sql, nameId(database, key), id);
  database.run('DELETE FROM code_unread WHERE place = ?', id);
}

function keepOutline(
  database: Queries,
  number: number,
  language: Language,
  outline: Outline,
  uses: readonly string[],
): void {
  const { symbols } = outline;
  const sql = 'INSERT OR IGNORE INTO code_outline (number, language, symbols, outline) VALUES (?, ?, ?, ?)';
  if (database.run(sql, number, language, symbols.length, packedOutline(outline)) === 0) return;
  const known = 'SELECT id FROM code_outline WHERE number = ? AND language = ?';
  const id = Number(database.get(known, number, language)?.id);
  for (const name of new Set(symbols.map((symbol) => symbol.name)))
    database.run('INSERT OR IGNORE INTO code_definition VALUES (?, ?)', nameId(database, name), id);
  for (const name of new Set(uses))
    database.run('INSERT OR IGNORE INTO code_use VALUES (?, ?)', nameId(database, name), id);
}

/** Names stay when nothing holds them any more: most come back. */
function nameId(database: Queries, name: string): number {
  const known = database.get('SELECT id FROM code_name WHERE name = ?', name);
  if (known !== undefined) return Number(known.id);
  database.run('INSERT INTO code_name (name) VALUES (?)', name);
  return Number(database.get('SELECT last_insert_rowid() AS id')?.id);
}

function placeOf({ collection, path }: Row): CodePlace {
  return { collection: String(collection), path: String(path) };
}
