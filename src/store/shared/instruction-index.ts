/** The instruction files as PostgreSQL knows them. */
import { NEWEST } from '../frequency.ts';
import type { Row, Rows } from '../rows.ts';
import type { Coverage, HashedText, IndexChanges, IndexedFile, InstructionIndex, VectorShelf } from '../store.ts';
import { isNarrow, noTerms, type Terms } from '../terms.ts';
import { listed } from './bulk.ts';
import type { SharedDatabase } from './database.ts';
import { foldedText, updateInstructions } from './instruction-follow.ts';
import { INSTRUCTIONS } from './instruction-tables.ts';
import { askedOf, coverageIn, heldIn, matchOf, narrowingOf, type WordedTexts } from './text-rank.ts';
import { sharedVectors } from './vectors.ts';
import { scoreIn, weighed } from './words.ts';

const texts: WordedTexts = { shelf: INSTRUCTIONS, fields: { title: 'A', body: 'B' } };

const held = '(SELECT id, length(body) AS length, words FROM instruction_text JOIN instruction_words USING (number))';

export class SharedInstructionIndex implements InstructionIndex {
  readonly vectors: VectorShelf;
  readonly #database: SharedDatabase;
  readonly #rows: Rows;

  constructor(database: SharedDatabase) {
    this.#database = database;
    this.#rows = database.rows;
    this.vectors = sharedVectors(database, {
      shelf: INSTRUCTIONS,
      texts: '(SELECT number, id, hash, title AS heading, body FROM instruction_text WHERE id IS NOT NULL)',
      counter: 'instructions',
    });
  }

  coverage(words: readonly string[], ids: readonly string[]): Promise<Coverage> {
    return this.#database.look((rows) => coverageIn(rows, texts, held, words, ids));
  }

  async version(): Promise<number> {
    return Number((await this.#rows.get("SELECT value FROM counter WHERE name = 'instructions'"))?.value ?? 0);
  }

  async changesSince(version: number): Promise<IndexChanges> {
    // One statement sees the version and the files that belong to it.
    const sql = `SELECT counter.value AS now, instruction.* FROM counter LEFT JOIN instruction ON instruction.version > ?
      WHERE counter.name = 'instructions' ORDER BY instruction.name`;
    const found = await this.#rows.all(sql, version);
    const rows = found.filter((row) => row.name !== null);
    return {
      version: Number(found[0]?.now ?? 0),
      files: rows.filter((row) => row.removed === 0).map(toFile),
      removed: rows.filter((row) => row.removed === 1).map((row) => String(row.name)),
    };
  }

  async catalogHash(): Promise<string | undefined> {
    const sql = `SELECT hash FROM catalog_hash JOIN counter ON counter.name = 'instructions' AND value = version`;
    const row = await this.#rows.get(sql);
    return row && String(row.hash);
  }

  async keepCatalogHash(version: number, hash: string): Promise<void> {
    await this.#database.derive(async (rows) => {
      await rows.run('DELETE FROM catalog_hash');
      await rows.run('INSERT INTO catalog_hash VALUES (?, ?)', version, hash);
    });
  }

  update(files: readonly IndexedFile[], removed: readonly string[]): Promise<number> {
    return updateInstructions(this.#database, files, removed);
  }

  async bodies(ids: readonly string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map();
    const sql = 'SELECT id, body FROM instruction_text WHERE id IN (SELECT value FROM json_each(?))';
    const rows = await this.#rows.all(sql, listed(ids));
    return new Map(rows.map((row) => [String(row.id), String(row.body)]));
  }

  async withHash(prefix: string, limit: number): Promise<HashedText[]> {
    const sql = `SELECT id, title, body, body_hash FROM instruction_text
      WHERE id IS NOT NULL AND body_hash >= ? AND body_hash < ? ORDER BY body_hash, number LIMIT ?`;
    return (await this.#rows.all(sql, prefix, `${prefix}g`, limit)).map(({ id, title, body, body_hash }) => ({
      id: String(id),
      title: String(title),
      body: String(body),
      hash: String(body_hash),
    }));
  }

  async containing(text: string, limit: number): Promise<string[]> {
    if (text === '') return [];
    const pattern = `%${foldedText(text).replace(/[\\%_]/g, '\\$&')}%`;
    const sql = 'SELECT id FROM instruction_text WHERE id IS NOT NULL AND folded LIKE ? ORDER BY number LIMIT ?';
    return (await this.#rows.all(sql, pattern, limit)).map((row) => String(row.id));
  }

  async allowed(terms: Terms): Promise<ReadonlySet<string> | undefined> {
    if (!isNarrow(terms)) return undefined;
    const match = narrowingOf(texts, terms);
    const sql = `SELECT text.id FROM instruction_text AS text JOIN instruction_words USING (number) WHERE text.id IS NOT NULL
      ${match === undefined ? '' : 'AND words @@ ?::tsquery'} ${chosen(terms)}`;
    const rows = await this.#rows.all(sql, ...(match === undefined ? [] : [match]), ...chosenValues(terms));
    return new Set(rows.map(({ id }) => String(id)));
  }

  matching(words: readonly string[], limit: number, terms: Terms = noTerms) {
    return this.#database.look(async (rows) => {
      const { told, shelf, ideal, required } = await askedOf(rows, texts, words, terms);
      const match = matchOf(texts, told.words, terms);
      if (match === '') return [];
      const columns = { words: 'held.words', length: 'held.length' };
      const score = scoreIn(columns, shelf, [...weighed(shelf, told.words), ...required]);
      const newest = told.common ? [await newestIn(rows)] : [];
      const sql = `SELECT text.id, ${score.sql} AS score
        FROM ${heldIn('instruction_words', 'number', told.common)} JOIN instruction_text AS text USING (number)
        WHERE held.words @@ ?::tsquery AND text.id IS NOT NULL ${chosen(terms)} ORDER BY score DESC, number LIMIT ?`;
      const found = await rows.all(sql, ...score.values, ...newest, match, ...chosenValues(terms), limit);
      return found.map((row) => ({ id: String(row.id), score: Number(row.score) / ideal }));
    });
  }
}

/** Where the newest thousand begin. */
async function newestIn(rows: Rows): Promise<number> {
  const last = Number((await rows.get('SELECT max(number) AS last FROM instruction'))?.last ?? 0);
  return last - NEWEST + 1;
}

function chosen({ ids }: Terms): string {
  return ids === undefined ? '' : 'AND text.id IN (SELECT value FROM json_each(?))';
}

function chosenValues({ ids }: Terms): string[] {
  return ids === undefined ? [] : [listed(ids)];
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
