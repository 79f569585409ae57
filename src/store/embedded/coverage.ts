/** Which words of a question a text holds, whatever their endings, and how rare each word is. */
import type { Coverage } from '../store.ts';
import type { Database, Queries } from './database.ts';
import { phrase } from './phrase.ts';

/** Where the texts of one kind lie in index.db. */
export interface IndexedTexts {
  readonly shelf: string;
  readonly files: string;
  readonly texts: string;
  readonly words: string;
  /** A number that grows with every change of a text, in SQL. */
  readonly version: string;
  /** What is put before each passage of `text`, in SQL. */
  readonly heading: string;
  /** A text never changes: another one has a greater number. */
  readonly immutable?: boolean;
}

/** How many texts there are, without a look at them. */
export function countTexts(database: Queries | undefined, { files }: IndexedTexts): number {
  return Number(database?.get(`SELECT count(*) AS found FROM ${files} WHERE id IS NOT NULL`)?.found ?? 0);
}

export function coverageIn(
  database: Database | undefined,
  from: IndexedTexts,
  words: readonly string[],
  ids: readonly string[],
): Coverage {
  if (database === undefined) return { texts: 0, frequencies: words.map(() => 0), holds: new Map() };
  const { files, texts, words: index } = from;
  const text = `SELECT number, length(body) AS length FROM ${files} JOIN ${texts} USING (number) WHERE id = ?`;
  const found = ids.flatMap((id) => {
    const row = database.get(text, id);
    return row === undefined ? [] : [{ id, number: Number(row.number), length: Number(row.length) }];
  });
  const numbers = JSON.stringify(found.map(({ number }) => number));
  // A word's texts are gone through once, for all that is asked: looking each text up is a search of its own.
  const sql = `SELECT count(*) AS found,
      json_group_array(rowid) FILTER (WHERE rowid IN (SELECT value FROM json_each(?))) AS holding
    FROM ${index} WHERE ${index} MATCH ?`;
  const each = words.map((word) => {
    const row = database.get(sql, numbers, phrase(word));
    return { found: Number(row?.found ?? 0), holding: new Set<number>(JSON.parse(String(row?.holding ?? '[]'))) };
  });
  return {
    texts: countTexts(database, from),
    frequencies: each.map((word) => word.found),
    holds: new Map(
      found.map(({ id, number, length }) => [id, { words: each.map(({ holding }) => holding.has(number)), length }]),
    ),
  };
}
