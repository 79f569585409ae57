/** The graph as PostgreSQL knows it. */
import type { Language, Outline } from '../../graph/code/outline.ts';
import type { CodePlace, GraphIndex, InstructionFacts, Link, ReadCode, Unread } from '../graph-index.ts';
import { unpackedOutline } from '../outline-bytes.ts';
import type { Row, Rows } from '../rows.ts';
import { claimTurn, listed } from './bulk.ts';
import type { SharedDatabase } from './database.ts';
import { keepCode, keptName } from './graph-keep.ts';
import { linksOf } from './graph-links.ts';

export class SharedGraphIndex implements GraphIndex {
  readonly #database: SharedDatabase;
  readonly #rows: Rows;

  constructor(database: SharedDatabase) {
    this.#database = database;
    this.#rows = database.rows;
  }

  version(): Promise<number> {
    return this.#number("SELECT value AS found FROM counter WHERE name = 'code'");
  }

  async unread(limit: number): Promise<Unread[]> {
    const sql = `SELECT place.id, place.collection, place.path, text.hash, code_language.language, code_outline.outline
      FROM code_unread JOIN document_place AS place ON place.id = code_unread.place
      JOIN document_text AS text USING (number) JOIN code_language USING (extension)
      LEFT JOIN code_outline ON code_outline.number = text.number AND code_outline.language = code_language.language
      ORDER BY code_unread.place LIMIT ?`;
    return (await this.#rows.all(sql, limit)).map((row) => ({
      id: Number(row.id),
      ...placeOf(row),
      hash: String(row.hash),
      language: String(row.language) as Language,
      ...(row.outline instanceof Uint8Array && { outline: unpackedOutline(row.outline) }),
    }));
  }

  pending(): Promise<number> {
    return this.#number('SELECT count(*) AS found FROM code_unread');
  }

  async keep(read: readonly ReadCode[]): Promise<void> {
    await this.#database.derive(async (rows) => {
      await keepCode(rows, read);
      await rows.run("UPDATE counter SET value = value + 1 WHERE name = 'code'");
    });
  }

  claim(forMs: number): Promise<boolean> {
    return claimTurn(this.#rows, 'code_lease', forMs);
  }

  async outline(hash: string, language: Language): Promise<Outline | undefined> {
    const sql = 'SELECT outline FROM document_text JOIN code_outline USING (number) WHERE hash = ? AND language = ?';
    const row = await this.#rows.get(sql, hash, language);
    return row?.outline instanceof Uint8Array ? unpackedOutline(row.outline) : undefined;
  }

  async importing(collection: string, keys: readonly string[], limit: number): Promise<string[]> {
    const sql = `SELECT DISTINCT place.path FROM code_name
      JOIN code_import ON code_import.name = code_name.id JOIN document_place AS place ON place.id = code_import.place
      WHERE code_name.name IN (SELECT value FROM json_each(?)) AND place.collection = ? LIMIT ?`;
    return (await this.#rows.all(sql, names(keys), collection, limit)).map(({ path }) => String(path));
  }

  async using(collection: string, wanted: readonly string[], limit: number): Promise<string[]> {
    const sql = `SELECT DISTINCT place.path FROM code_name
      JOIN code_use ON code_use.name = code_name.id JOIN code_outline ON code_outline.id = code_use.outline
      JOIN document_place AS place ON place.number = code_outline.number
      WHERE code_name.name IN (SELECT value FROM json_each(?)) AND place.collection = ? LIMIT ?`;
    return (await this.#rows.all(sql, names(wanted), collection, limit)).map(({ path }) => String(path));
  }

  async defining(name: string, limit: number): Promise<CodePlace[]> {
    const sql = `SELECT DISTINCT place.collection, place.path FROM code_name
      JOIN code_definition ON code_definition.name = code_name.id
      JOIN code_outline ON code_outline.id = code_definition.outline
      JOIN document_place AS place ON place.number = code_outline.number
      WHERE code_name.name = ? ORDER BY 1, 2 LIMIT ?`;
    return (await this.#rows.all(sql, keptName(name), limit)).map(placeOf);
  }

  async outlined(after: CodePlace | undefined, limit: number): Promise<(CodePlace & { symbols: number })[]> {
    // Document by document in their order, so that a page costs no more than itself.
    const each = `SELECT place.collection, place.path, (SELECT symbols FROM code_outline JOIN code_language USING (language)
        WHERE code_outline.number = place.number AND code_language.extension = place.extension) AS symbols
      FROM document_place AS place WHERE (place.collection, place.path) > (?, ?) ORDER BY place.collection, place.path OFFSET 0`;
    const sql = `SELECT collection, path, symbols FROM (${each}) AS each WHERE symbols > 0 LIMIT ?`;
    const rows = await this.#rows.all(sql, after?.collection ?? '', after?.path ?? '', limit);
    return rows.map((row) => ({ ...placeOf(row), symbols: Number(row.symbols) }));
  }

  symbolCount(): Promise<number> {
    return this.#number(`SELECT sum(symbols) AS found FROM document_place
      JOIN code_language USING (extension) JOIN code_outline USING (number, language)`);
  }

  links(key: string, direction: 'out' | 'in', relation: string, limit: number): Promise<Link[]> {
    return linksOf(this.#rows, key, direction, relation, limit);
  }

  async instruction(id: string): Promise<InstructionFacts | undefined> {
    const row = await this.#rows.get(`${instructionFacts} WHERE instruction.id = ?`, id);
    return row && factsOf(row);
  }

  async instructions(limit: number, offset: number): Promise<InstructionFacts[]> {
    const sql = `${instructionFacts} WHERE instruction.id IS NOT NULL ORDER BY instruction.id LIMIT ? OFFSET ?`;
    return (await this.#rows.all(sql, limit, offset)).map(factsOf);
  }

  instructionCount(): Promise<number> {
    return this.#number('SELECT count(id) AS found FROM instruction');
  }

  async categories(limit: number, offset: number): Promise<string[]> {
    const sql = `SELECT DISTINCT target FROM link WHERE ${isCategory} ORDER BY target LIMIT ? OFFSET ?`;
    return (await this.#rows.all(sql, limit, offset)).map(({ target }) => String(target));
  }

  categoryCount(): Promise<number> {
    return this.#number(`SELECT count(DISTINCT target) AS found FROM link WHERE ${isCategory}`);
  }

  async #number(sql: string): Promise<number> {
    return Number((await this.#rows.get(sql))?.found ?? 0);
  }
}

/** A range over the index of targets. */
const isCategory = "target >= 'category:' AND target < 'category;'";

const instructionFacts = `SELECT instruction.id, text.title, text.body_hash, head::json #>> '{head,status}' AS status
  FROM instruction JOIN instruction_text AS text USING (number)`;

function factsOf({ id, title, status, body_hash }: Row): InstructionFacts {
  return { id: String(id), title: String(title), status: String(status ?? ''), hash: String(body_hash) };
}

function names(given: readonly string[]): string {
  return listed(given.map(keptName));
}

function placeOf({ collection, path }: Row): CodePlace {
  return { collection: String(collection), path: String(path) };
}
