/** Questions in words about texts that are one row of words each: instructions, decisions, events. */
import { idealOf, RANKED, rarity, type Telling } from '../frequency.ts';
import type { Rows } from '../rows.ts';
import type { Coverage } from '../store.ts';
import type { Terms } from '../terms.ts';
import { listed } from './bulk.ts';
import {
  allOf,
  anyOf,
  type FieldWeights,
  queryOf,
  type Shelf,
  shelfOf,
  stemsOf,
  tellingIn,
  type Weighed,
  weighed,
  wordQuery,
} from './words.ts';

export interface WordedTexts {
  readonly shelf: string;
  readonly fields: FieldWeights;
}

export interface Asked {
  readonly told: Telling;
  readonly shelf: Shelf;
  /** What is a score of 1. */
  readonly ideal: number;
  /** What must be there counts as well. */
  readonly required: readonly Weighed[];
}

export async function askedOf(
  rows: Rows,
  texts: WordedTexts,
  words: readonly string[],
  { required }: Terms,
): Promise<Asked> {
  const plain = required.filter(({ prefix }) => !prefix).map(({ text }) => text);
  const shelf = await shelfOf(rows, texts.shelf, [...words, ...plain]);
  const told = tellingIn(shelf, words, RANKED);
  return {
    told,
    shelf,
    ideal: idealOf(told, shelf.texts),
    required: [...weighed(shelf, plain), ...(await weighedPrefixes(rows, texts, shelf, required))],
  };
}

/** As rare as all words together that begin so. */
export async function weighedPrefixes(
  rows: Rows,
  { shelf, fields }: WordedTexts,
  { texts }: Shelf,
  required: Terms['required'],
): Promise<Weighed[]> {
  const sql =
    "SELECT coalesce(sum(texts), 0) AS texts FROM word_count WHERE shelf = ? AND stem >= ? AND stem < ? || '\u{10ffff}'";
  return Promise.all(
    required
      .filter(({ prefix }) => prefix)
      .map(async (term) => {
        const stem = stemsOf(term.text).at(-1) ?? '';
        const holding = Number((await rows.get(sql, shelf, stem, stem))?.texts);
        return { query: queryOf(term, fields), rarity: rarity(Math.min(holding, texts), Math.max(texts, 1)) };
      }),
  );
}

/** What a text must hold as one query: all that is required, else any of the words, and nothing that is excluded. */
export function matchOf({ fields }: WordedTexts, words: readonly string[], { required, excluded }: Terms): string {
  const must = required.map((term) => queryOf(term, fields));
  const wanted = must.length > 0 ? allOf(must) : anyOf(words.map(wordQuery));
  return without(wanted, fields, excluded);
}

/** The same where no words are asked for; nothing where nothing narrows. */
export function narrowingOf({ fields }: WordedTexts, { required, excluded }: Terms): string | undefined {
  if (required.length > 0) return matchOf({ shelf: '', fields }, [], { required, excluded });
  const none = anyOf(excluded.map((term) => queryOf(term, fields)));
  return none === '' ? undefined : `!(${none})`;
}

function without(wanted: string, fields: FieldWeights, excluded: Terms['excluded']): string {
  const none = anyOf(excluded.map((term) => queryOf(term, fields)));
  return none === '' || wanted === '' ? wanted : `(${wanted}) & !(${none})`;
}

/**
 * The rows of words that are ranked, as `held`: all, or those from a number on, which is the one value then. Apart, so that these
 * few are looked through, rather than all texts that hold a common word.
 */
export function heldIn(table: string, number: string, newestOnly: boolean): string {
  return newestOnly ? `(SELECT * FROM ${table} WHERE ${number} >= ?::bigint OFFSET 0) AS held` : `${table} AS held`;
}

/** Which of the words the texts hold. `held` gives `id, length, words` of all texts, as a query in brackets. */
export async function coverageIn(
  rows: Rows,
  { shelf }: WordedTexts,
  held: string,
  words: readonly string[],
  ids: readonly string[],
): Promise<Coverage> {
  const { texts, holding } = await shelfOf(rows, shelf, words);
  // As one letter for each word.
  const sql = `SELECT held.id, held.length,
      (SELECT string_agg(CASE WHEN held.words @@ asked.value::tsquery THEN '1' ELSE '0' END, '' ORDER BY asked.key)
        FROM json_each(?) AS asked) AS holds
    FROM ${held} AS held WHERE held.id IN (SELECT value FROM json_each(?))`;
  const found = ids.length === 0 ? [] : await rows.all(sql, listed(words.map(wordQuery)), listed(ids));
  const byId = new Map(found.map((row) => [String(row.id), row]));
  return {
    texts,
    frequencies: words.map((word) => holding.get(word) ?? 0),
    holds: new Map(
      ids.flatMap((id) => {
        const row = byId.get(id);
        if (row === undefined) return [];
        const holds = String(row.holds ?? '');
        return [[id, { words: words.map((_, at) => holds[at] === '1'), length: Number(row.length) }] as const];
      }),
    ),
  };
}
