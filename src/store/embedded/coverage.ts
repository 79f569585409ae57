/** Which words of a question a text holds, whatever their endings, and how rare each word is. */
import type { Coverage } from '../store.ts';
import type { Database } from './database.ts';
import { phrase } from './phrase.ts';

/** Where the texts of one kind lie in index.db. */
export interface IndexedTexts {
  readonly shelf: string;
  readonly files: string;
  readonly texts: string;
  readonly words: string;
  /** The part of a text that its vector is made of, in SQL. */
  readonly embedded: string;
}

export function coverageIn(
  database: Database | undefined,
  { files, texts, words: index }: IndexedTexts,
  words: readonly string[],
  ids: readonly string[],
): Coverage {
  if (database === undefined) return { texts: 0, frequencies: words.map(() => 0), holds: new Map() };
  const frequency = `SELECT count(*) AS found FROM ${index} WHERE ${index} MATCH ?`;
  const held = `SELECT 1 FROM ${index} WHERE ${index} MATCH ? AND rowid = ?`;
  const holds = new Map<string, boolean[]>();
  for (const id of ids) {
    const number = database.get(`SELECT number FROM ${files} WHERE id = ?`, id)?.number;
    if (number === undefined) continue;
    holds.set(
      id,
      words.map((word) => database.get(held, phrase(word), number) !== undefined),
    );
  }
  return {
    texts: Number(database.get(`SELECT count(*) AS found FROM ${texts}`)?.found ?? 0),
    frequencies: words.map((word) => Number(database.get(frequency, phrase(word))?.found ?? 0)),
    holds,
  };
}
