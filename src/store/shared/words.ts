/**
 * Texts as PostgreSQL finds and ranks them by their words. The words are ours, not those of the server, which depend on its
 * locale: the same as SQLite's, so that both engines find the same.
 *
 * The ranking is BM25 as SQLite has it. PostgreSQL knows neither how rare a word is nor how often a text holds it, but what
 * `ts_rank` says of a single word tells the latter: it is the sum of 1/n² over the places where the word stands, up to a
 * factor, so what is missing to the sum of all of them is about 1/(n + ½).
 */
import { stemOf } from '../../search/porter.ts';
import { tokensOf } from '../../search/tokens.ts';
import { rarity, type Telling, tellingOf } from '../frequency.ts';
import type { Rows, Value } from '../rows.ts';
import type { Term } from '../terms.ts';

/** Labels of fields. What is in C counts half. */
export type Weight = 'A' | 'B' | 'C' | 'D';

export interface Field {
  readonly weight: Weight;
  readonly text: string;
  /** How many times as much as others its words count: they stand there as often. */
  readonly times?: number;
}

export interface Words {
  /** As text; `?::tsvector`. */
  readonly vector: string;
  /** How many words there are, for the ranking. */
  readonly length: number;
}

// Limits of PostgreSQL. What is beyond them is cut: the beginning of a text is found, and so is each of its words.
const LAST_POSITION = 16_383;
const MOST_POSITIONS = 256;
const LONGEST_STEM = 500;
const MOST_BYTES = 900_000;
/** What a word takes besides its letters. */
const OVERHEAD = 8;

export function vectorOf(fields: readonly Field[]): string {
  return wordsOf(fields).vector;
}

export function wordsOf(fields: readonly Field[]): Words {
  const places = new Map<string, string[]>();
  const last = new Set<string>();
  let [position, bytes, length] = [0, 0, 0];
  for (const { weight, text, times = 1 } of fields) {
    const stems = stemsOf(text);
    length += stems.length;
    for (let time = 0; time < times; time++) {
      for (const stem of stems) {
        position++;
        let own = places.get(stem);
        if (own === undefined) {
          bytes += Buffer.byteLength(stem) + OVERHEAD;
          if (bytes > MOST_BYTES) continue;
          own = [];
          places.set(stem, own);
        }
        if (own.length >= MOST_POSITIONS || last.has(stem)) continue;
        if (position >= LAST_POSITION) last.add(stem);
        bytes += 2;
        own.push(`${Math.min(position, LAST_POSITION)}${weight}`);
      }
      // No phrase goes from one field into the next.
      position++;
    }
  }
  const vector = [...places].map(([stem, own]) => `'${stem}':${own.join(',')}`).join(' ');
  return { vector, length };
}

const stems = new Map<string, string>();
const KEPT_STEMS = 50_000;

/** The words of a text without their endings, in its order. */
export function stemsOf(text: string): string[] {
  return tokensOf(text).map((token) => {
    const known = stems.get(token);
    if (known !== undefined) return known;
    const stem = stemOf(token).slice(0, LONGEST_STEM);
    if (stems.size >= KEPT_STEMS) stems.clear();
    if (token.length < LONGEST_STEM) stems.set(token, stem);
    return stem;
  });
}

/** Which label the words of a field have. */
export type FieldWeights = Readonly<Record<string, Weight>>;

/** A word, a phrase or a prefix as a query, `?::tsquery`. Empty, which finds nothing, where it holds no word. */
export function queryOf({ text, prefix, field }: Term, fields: FieldWeights = {}): string {
  const weight = field === undefined ? '' : (fields[field] ?? '');
  const own = stemsOf(text);
  return own
    .map((stem, at) => {
      const flags = `${prefix && at === own.length - 1 ? '*' : ''}${weight}`;
      return `${quoted(stem)}${flags === '' ? '' : `:${flags}`}`;
    })
    .join(' <-> ');
}

function quoted(stem: string): string {
  return stem === '' ? '' : `'${stem}'`;
}

export function wordQuery(word: string): string {
  return queryOf({ text: word });
}

export function anyOf(queries: readonly string[]): string {
  return joined(queries, ' | ');
}

/** Finds nothing where one of them does. */
export function allOf(queries: readonly string[]): string {
  return queries.includes('') ? '' : joined(queries, ' & ');
}

function joined(queries: readonly string[], sign: string): string {
  return queries
    .filter((query) => query !== '')
    .map((query) => `(${query})`)
    .join(sign);
}

/** What a ranking knows of a shelf before it looks at any text. */
export interface Shelf {
  readonly texts: number;
  /** Words in a text. */
  readonly average: number;
  /** In how many texts each word occurs that was asked about. */
  readonly holding: ReadonlyMap<string, number>;
}

/** One question, whatever is asked about. A word of several parts is as rare as its rarest. */
export async function shelfOf(rows: Rows, shelf: string, words: readonly string[]): Promise<Shelf> {
  const own = words.map((word) => ({ word, stems: stemsOf(word) }));
  const all = [...new Set(own.flatMap(({ stems }) => stems))];
  // As an array: how many words are asked for is then no reason to go through all that there are.
  const sql = `SELECT '' AS stem, texts, length FROM word_shelf WHERE shelf = ?
    UNION ALL SELECT stem, texts, 0 FROM word_count WHERE shelf = ? AND stem = ANY (ARRAY(SELECT value FROM json_each(?)))`;
  const found = new Map((await rows.all(sql, shelf, shelf, JSON.stringify(all))).map((row) => [String(row.stem), row]));
  const texts = Number(found.get('')?.texts ?? 0);
  const countOf = (stem: string) => Number(found.get(stem)?.texts ?? 0);
  return {
    texts,
    average: texts === 0 ? 1 : Math.max(1, Number(found.get('')?.length ?? 0) / texts),
    holding: new Map(own.map(({ word, stems }) => [word, stems.length === 0 ? 0 : Math.min(...stems.map(countOf))])),
  };
}

/** The words of a question that narrow it. */
export function tellingIn(shelf: Shelf, words: readonly string[], most: number): Telling {
  return tellingOf(
    words.map((word) => ({ word, texts: shelf.holding.get(word) ?? 0 })),
    most,
  );
}

/** A query of one word, one phrase or one prefix, and how much it says. */
export interface Weighed {
  readonly query: string;
  readonly rarity: number;
}

export function weighed(shelf: Shelf, words: readonly string[]): Weighed[] {
  return words.map((word) => ({
    query: wordQuery(word),
    rarity: rarity(shelf.holding.get(word) ?? 0, Math.max(shelf.texts, 1)),
  }));
}

// As SQLite has them.
export const K1 = 1.2;
export const B = 0.75;

/** Labels D, C, B, A. */
const LABELS = "'{1,0.5,1,1}'";

/** How often a text holds the word of the query; halves for what counts half. Null for never. */
export function frequencyIn(words: string, query = '?::tsquery'): string {
  return `nullif(round(1.2158542::float8 / (1 - least(ts_rank(${LABELS}, ${words}, ${query}), 0.9999)) - 1) / 2, 0)`;
}

/** The score of a text in SQL: the sum of BM25 over its words. Columns are those of a table that is `worded`. */
export function scoreIn(
  { words, length }: { readonly words: string; readonly length: string },
  { average }: Shelf,
  terms: readonly Weighed[],
): { sql: string; values: Value[] } {
  if (terms.length === 0) return { sql: '0', values: [] };
  const size = `(${K1 * (1 - B)}::float8 + ?::float8 * ${length})`;
  const once = `(${words} @@ ?::tsquery)::int`;
  // How often a text holds a phrase is not known: once, as far as one can tell.
  const parts = terms.map((term) =>
    isPhrase(term)
      ? `?::float8 / (1 + ${size}) * ${once}`
      : `coalesce(?::float8 / (1 + ${size} / ${frequencyIn(words)}), 0)`,
  );
  return {
    sql: `(${parts.join(' + ')})`,
    values: terms.flatMap(({ query, rarity: says }) => [(K1 + 1) * says, (K1 * B) / average, query]),
  };
}

function isPhrase({ query }: Weighed): boolean {
  return query.includes('<->');
}

/**
 * The words of a question as rows, each of which finds its own texts: of a long question, a text holds one word or two, and
 * nobody looks for the others in it. `query, says, size, phrase`; the one value is `termsIn`.
 */
export const TERMS = `term AS MATERIALIZED (SELECT query::tsquery AS query, says, size, phrase
  FROM json_to_recordset(?::text::json) AS given (query TEXT, says FLOAT8, size FLOAT8, phrase BOOLEAN))`;

/** `undefined` where they hold no word. */
export function termsIn(terms: readonly Weighed[], { average }: Shelf): string | undefined {
  const own = terms.filter(({ query }) => query !== '');
  if (own.length === 0) return undefined;
  const size = (K1 * B) / average;
  return JSON.stringify(
    own.map((term) => ({ query: term.query, says: (K1 + 1) * term.rarity, size, phrase: isPhrase(term) })),
  );
}

/** What one of the terms says of a text that it found, in SQL. */
export function bm25(text: string, term: string): string {
  const often = `CASE WHEN ${term}.phrase THEN 1 ELSE coalesce(${frequencyIn(`${text}.words`, `${term}.query`)}, 1) END`;
  return `${term}.says / (1 + (${K1 * (1 - B)}::float8 + ${term}.size * ${text}.length) / (${often}))`;
}
