/**
 * Which contents of documents hold what is sought, and how well: by the same rules as in the embedded store, section by section.
 * Questions that do not need each other's answers go out together.
 */
import type { PlaceFilter, Sought } from '../document-index.ts';
import {
  addPairs,
  addPaths,
  addSections,
  answerOf,
  bestOf,
  COUNTED,
  type Found,
  MOST_PATHS,
  namingWords,
  pairsAmong,
  rowsFor,
  type SectionMatch,
} from '../document-score.ts';
import { idealOf } from '../frequency.ts';
import type { Row, Rows } from '../rows.ts';
import { numbersIn } from './document-follow.ts';
import { fields, type Narrowing, narrowing } from './document-narrowing.ts';
import { neighbours } from './document-pairs.ts';
import { conditions, settled } from './document-places.ts';
import { PATHS, SECTIONS } from './document-tables.ts';
import { weighedPrefixes } from './text-rank.ts';
import {
  allOf,
  anyOf,
  bm25,
  queryOf,
  type Shelf,
  shelfOf,
  TERMS,
  tellingIn,
  termsIn,
  type Weighed,
  weighed,
  wordQuery,
} from './words.ts';

/** So many sections are ranked for a question at most: some ten milliseconds. Half of it would leave out words that tell. */
const RANKED = 20_000;
const texts = { shelf: SECTIONS, fields };

export async function rankedIn(rows: Rows, sought: Sought, asked: PlaceFilter, limit: number) {
  const filter = await settled(rows, asked);
  const required = sought.required.map(({ text }) => text);
  const shelf = await shelfOf(rows, SECTIONS, [...sought.words, ...required]);
  const narrow = narrowing(sought, filter);
  const told = tellingIn(shelf, sought.words, RANKED);
  // What must be there narrows, however common the other words are.
  const everywhere = told.common && sought.required.length === 0;
  const words = [...(told.common && !everywhere ? [] : told.words), ...required];
  // So much of what all words could bring is what a score of 1 means: the same in every kind of text.
  const ideal = idealOf(told, shelf.texts);
  const most = rowsFor(limit);
  const [{ matches, contents }, pairs, named] = await Promise.all([
    everywhere
      ? newestMatching(rows, told.words, ideal, narrow, most)
      : sectionsMatching(
          rows,
          shelf,
          [...weighed(shelf, words), ...(await weighedPrefixes(rows, texts, shelf, sought.required))],
          narrow,
          most,
        ),
    neighbours(rows, shelf, pairsAmong(sought, told), narrow),
    pathsMatching(rows, sought, narrow, filter, shelf.texts),
  ]);
  const found = new Map<number, Found>();
  addSections(found, matches);
  addPairs(found, pairs);
  addPaths(found, named.matches, named.ideal);
  const best = bestOf(found, ideal, sought.names, limit);
  const hashes = await hashesOf(
    rows,
    best.map(({ number }) => number),
  );
  return answerOf(best, hashes, Math.max(found.size, Math.min(contents, COUNTED)), matches.length === most);
}

interface Matched {
  readonly matches: readonly SectionMatch[];
  /** How many contents they are of, and those that were left out; counted up to a bound. */
  readonly contents: number;
}

/** Hashes of the contents that may be answered at all; `undefined` where nothing narrows them. */
export async function allowedIn(rows: Rows, sought: Sought, asked: PlaceFilter): Promise<Set<string> | undefined> {
  const { isOpen, where, values } = narrowing(sought, await settled(rows, asked));
  if (isOpen) return undefined;
  const sql = `SELECT hash FROM document_text AS text WHERE ${where('text.number')}`;
  return new Set((await rows.all(sql, ...values)).map(({ hash }) => String(hash)));
}

async function hashesOf(rows: Rows, numbers: readonly number[]): Promise<Map<number, string>> {
  const sql = 'SELECT number, hash FROM document_text WHERE number = ANY (?::text::bigint[])';
  const found = await rows.all(sql, numbersIn(numbers));
  return new Map(found.map(({ number, hash }) => [Number(number), String(hash)]));
}

async function sectionsMatching(
  rows: Rows,
  shelf: Shelf,
  terms: readonly Weighed[],
  narrow: Narrowing,
  most: number,
): Promise<Matched> {
  const given = termsIn(terms, shelf);
  if (given === undefined) return { matches: [], contents: 0 };
  // What is put in order is numbers: not the words they were made of.
  const sql = `WITH ${TERMS}, hit AS MATERIALIZED (
      SELECT held.number, held.section, ${bm25('held', 'term')} AS score
      FROM term JOIN document_words AS held ON held.words @@ term.query WHERE ${narrow.where('held.number')})
    SELECT number, section, sum(score) AS score, (SELECT count(DISTINCT number) FROM hit) AS contents FROM hit
    GROUP BY number, section ORDER BY score DESC, number, section LIMIT ?`;
  const found = await rows.all(sql, given, ...narrow.values, most);
  const matches = found.map((row) => ({ ...sectionOf(row), score: Number(row.score) }));
  return { matches, contents: Number(found[0]?.contents ?? 0) };
}

/**
 * Words that are everywhere make no difference between texts. So: the newest that hold all of them in the title, then
 * anywhere, then any of them.
 */
async function newestMatching(
  rows: Rows,
  words: readonly string[],
  ideal: number,
  narrow: Narrowing,
  most: number,
): Promise<Matched> {
  const all = words.map(wordQuery);
  const ways = [
    { match: allOf(words.map((text) => queryOf({ text, field: 'title' }, fields))), score: 1.5 * ideal },
    { match: allOf(all), score: ideal },
    { match: anyOf(all), score: ideal / words.length },
  ];
  const sql = `SELECT number, section FROM document_words AS held
    WHERE held.words @@ ?::tsquery AND ${narrow.where('held.number')} ORDER BY number DESC, section DESC LIMIT ?`;
  const found = new Map<string, SectionMatch>();
  for (const { match, score } of ways) {
    if (found.size >= most) break;
    for (const row of await rows.all(sql, match, ...narrow.values, most)) {
      const name = `${row.number} ${row.section}`;
      if (!found.has(name)) found.set(name, { ...sectionOf(row), score });
    }
  }
  const matches = [...found.values()].slice(0, most);
  return { matches, contents: matches.length < most ? 0 : await countedIn(rows, anyOf(all), narrow) };
}

function sectionOf({ number, section }: Row) {
  return { number: Number(number), section: Number(section) };
}

async function pathsMatching(
  rows: Rows,
  sought: Sought,
  narrow: Narrowing,
  filter: PlaceFilter,
  sections: number,
): Promise<{ matches: Omit<SectionMatch, 'section'>[]; ideal: number }> {
  const shelf = await shelfOf(rows, PATHS, namingWords(sought));
  const told = tellingIn(shelf, namingWords(sought), RANKED);
  // As rare as the words are in paths, which need not be as rare as they are in texts.
  const ideal = idealOf(told, sections);
  if (told.words.length === 0 || told.common) return { matches: [], ideal };
  const place = conditions(filter);
  // Places are looked up for the best alone, where none is ruled out.
  const order = narrow.isOpen ? `ORDER BY score DESC, id LIMIT ${MOST_PATHS}` : '';
  const sql = `WITH ${TERMS}, hit AS MATERIALIZED (
      SELECT held.id, ${bm25('held', 'term')} AS score FROM term JOIN document_paths AS held ON held.words @@ term.query),
    named AS MATERIALIZED (SELECT id, sum(score) AS score FROM hit GROUP BY id ${order})
    SELECT place.number, named.score FROM named JOIN document_place AS place ON place.id = named.id
    WHERE ${narrow.where('place.number')} ${place.where} ORDER BY named.score DESC, place.id LIMIT ?`;
  const given = termsIn(weighed(shelf, told.words), shelf) ?? '[]';
  const found = await rows.all(sql, given, ...narrow.values, ...place.values, MOST_PATHS);
  return { matches: found.map((row) => ({ number: Number(row.number), score: Number(row.score) })), ideal };
}

async function countedIn(rows: Rows, match: string, narrow: Narrowing): Promise<number> {
  if (match === '') return 0;
  const some = `SELECT DISTINCT number FROM document_words AS held
    WHERE held.words @@ ?::tsquery AND ${narrow.where('held.number')} LIMIT ?`;
  return Number(
    (await rows.get(`SELECT count(*) AS found FROM (${some}) AS counted`, match, ...narrow.values, COUNTED))?.found,
  );
}
