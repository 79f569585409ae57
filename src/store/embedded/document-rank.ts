/**
 * Which contents of documents hold what is sought, and how well. Words are ranked section by section, and a content is as
 * good as its best one; what must or must not be there counts for the whole content.
 */
import type { Place, PlaceFilter, Sought } from '../document-index.ts';
import {
  addPairs,
  addPaths,
  addSections,
  answerOf,
  bestOf,
  COUNTED,
  type Found,
  LEAST_ROWS,
  MOST_PATHS,
  namingWords,
  pairsAmong,
  rowsFor,
  type SectionMatch,
} from '../document-score.ts';
import type { Database, Queries, Value } from './database.ts';
import { conditions } from './document-filter.ts';
import { idealOf, telling } from './frequency.ts';
import { phrase } from './phrase.ts';
import { termConditions, termOf } from './terms.ts';

/** A section of a content, as one number: the content's own, then which section of it. */
export const SECTION_BITS = 12;
const SECTIONS = 2 ** SECTION_BITS;

/** So many rows are ranked for a question at most: some ten milliseconds. */
const RANKED = 20_000;
const BM25 = "rank MATCH 'bm25(2.0, 1.0, 0.5)'";

export function rankedIn(database: Database, sought: Sought, filter: PlaceFilter, limit: number) {
  database.fitPaths(filter.fits);
  const sections = Number(database.get("SELECT value FROM counter WHERE name = 'document_sections'")?.value ?? 0);
  const narrow = narrowing(sought, filter);
  const required = sought.required.map(({ text }) => text);
  const told = telling(database, 'document_vocabulary', sought.words, RANKED);
  // What must be there narrows, however common the other words are.
  const everywhere = told.common && sought.required.length === 0;
  const terms = [...(told.common && !everywhere ? [] : told.words), ...required].map(phrase);
  // So much of what all words could bring is what a score of 1 means: the same in every kind of text.
  const ideal = idealOf(told, sections);
  const found = new Map<number, Found>();
  let cut = false;
  if (terms.length > 0 || prefixesOf(sought).length > 0) {
    const match = [...terms, ...prefixesOf(sought)].join(' OR ');
    const most = rowsFor(limit);
    const rows = everywhere
      ? newestMatching(database, told.words, ideal, narrow, most)
      : sectionsMatching(database, match, narrow, most);
    cut = rows.length === most;
    addSections(found, rows);
  }
  const pairs = pairsAmong(sought, told).map(phrase);
  if (pairs.length > 0) addPairs(found, sectionsMatching(database, pairs.join(' OR '), narrow, LEAST_ROWS));
  addNamed(database, sought, narrow, filter, found, sections);
  const best = bestOf(found, ideal, sought.names, limit);
  const hashes = hashesOf(
    database,
    best.map(({ number }) => number),
  );
  const counted = Math.max(found.size, cut ? countedIn(database, terms.join(' OR '), narrow) : 0);
  return answerOf(best, hashes, counted, cut);
}

function hashesOf(database: Queries, numbers: readonly number[]): Map<number, string> {
  const sql = 'SELECT number, hash FROM json_each(?) CROSS JOIN document_text ON number = value';
  return new Map(database.all(sql, JSON.stringify(numbers)).map(({ number, hash }) => [Number(number), String(hash)]));
}

/** Hashes of the contents that may be answered at all; `undefined` where nothing narrows them. */
export function allowedIn(database: Database, sought: Sought, filter: PlaceFilter): Set<string> | undefined {
  database.fitPaths(filter.fits);
  const { where, values } = narrowing(sought, filter);
  if (where === '') return undefined;
  const sql = `SELECT hash FROM document_text AS text WHERE ${where.replaceAll('{number}', 'text.number')}`;
  return new Set(database.all(sql, ...values).map(({ hash }) => String(hash)));
}

interface Narrowing {
  /** On `{number}`; empty where all contents are meant. */
  readonly where: string;
  readonly values: readonly Value[];
}

function narrowing(sought: Sought, filter: PlaceFilter): Narrowing {
  const terms = termConditions('document_words', '{number}', `rowid >> ${SECTION_BITS}`, sought);
  const place = conditions(filter);
  const lying = `EXISTS (SELECT 1 FROM document_place AS place WHERE place.number = {number} ${place.where})`;
  return {
    where: [...terms.parts, ...(place.where === '' ? [] : [lying])].join(' AND '),
    values: [...terms.values, ...place.values],
  };
}

function prefixesOf({ required }: Sought): string[] {
  return required.filter(({ prefix }) => prefix).map(termOf);
}

function sectionsMatching(database: Queries, match: string, narrow: Narrowing, rows: number): SectionMatch[] {
  const sql = `SELECT rowid AS row, rank FROM document_words WHERE document_words MATCH ? AND ${BM25} ${and(narrow)}
    ORDER BY rank LIMIT ?`;
  return database
    .all(sql, match, ...narrow.values, rows)
    .map(({ row, rank }) => ({ ...sectionAt(Number(row)), score: -Number(rank) }));
}

/**
 * Words that are everywhere make no difference between texts, and to rank them SQLite counts them all. So: the newest that
 * hold all of them in the title, then anywhere, then any of them.
 */
function newestMatching(
  database: Queries,
  words: readonly string[],
  ideal: number,
  narrow: Narrowing,
  rows: number,
): SectionMatch[] {
  const all = words.map(phrase).join(' AND ');
  const ways = [
    { match: `title : (${all})`, score: 1.5 * ideal },
    { match: all, score: ideal },
    { match: words.map(phrase).join(' OR '), score: ideal / words.length },
  ];
  const sql = `SELECT rowid AS row FROM document_words WHERE document_words MATCH ? ${and(narrow)}
    ORDER BY rowid DESC LIMIT ?`;
  const found = new Map<number, SectionMatch>();
  for (const { match, score } of ways) {
    if (found.size >= rows) break;
    for (const { row } of database.all(sql, match, ...narrow.values, rows))
      if (!found.has(Number(row))) found.set(Number(row), { ...sectionAt(Number(row)), score });
  }
  return [...found.values()].slice(0, rows);
}

function sectionAt(row: number) {
  return { number: Math.floor(row / SECTIONS), section: row % SECTIONS };
}

function and({ where }: Narrowing): string {
  return where === '' ? '' : `AND ${where.replaceAll('{number}', `(document_words.rowid >> ${SECTION_BITS})`)}`;
}

function addNamed(
  database: Queries,
  sought: Sought,
  narrow: Narrowing,
  filter: PlaceFilter,
  found: Map<number, Found>,
  all: number,
): void {
  const told = telling(database, 'document_path_vocabulary', namingWords(sought), RANKED);
  const { words, common } = told;
  if (words.length === 0 || common) return;
  // As rare as the words are in paths, which need not be as rare as they are in texts.
  const ideal = idealOf(told, all);
  const place = conditions(filter);
  const inside = narrow.where === '' ? '' : `AND ${narrow.where.replaceAll('{number}', 'place.number')}`;
  const sql = `SELECT place.number, rank AS score FROM document_paths JOIN document_place AS place
    ON place.id = document_paths.rowid WHERE document_paths MATCH ? ${inside} ${place.where} ORDER BY rank LIMIT ?`;
  const rows = database.all(sql, words.map(phrase).join(' OR '), ...narrow.values, ...place.values, MOST_PATHS);
  const matches = rows.map((row) => ({ number: Number(row.number), score: -Number(row.score) }));
  addPaths(found, matches, ideal);
}

function countedIn(database: Queries, match: string, narrow: Narrowing): number {
  if (match === '') return 0;
  const some = `SELECT DISTINCT rowid >> ${SECTION_BITS} FROM document_words WHERE document_words MATCH ? ${and(narrow)} LIMIT ?`;
  return Number(database.get(`SELECT count(*) AS found FROM (${some})`, match, ...narrow.values, COUNTED)?.found ?? 0);
}

/** Contents whose places are looked up at once. */
const PLACED = 100;

export function placesIn(database: Database, hashes: readonly string[], filter: PlaceFilter, limit: number): Place[] {
  database.fitPaths(filter.fits);
  const { where, values } = conditions(filter);
  // Joined in the order that is written: contents as they are given, and no more of them than the limit needs.
  const sql = `SELECT place.id, text.hash, text.title FROM json_each(?) AS wanted
    CROSS JOIN document_text AS text ON text.hash = wanted.value CROSS JOIN document_place AS place USING (number)
    WHERE true ${where} ORDER BY wanted.key, place.id LIMIT ?`;
  const places: Place[] = [];
  for (let at = 0; at < hashes.length && places.length < limit; at += PLACED) {
    const some = JSON.stringify(hashes.slice(at, at + PLACED));
    for (const { id, hash, title } of database.all(sql, some, ...values, limit - places.length))
      places.push({ id: Number(id), hash: String(hash), ...(title !== null && { title: String(title) }) });
  }
  return places;
}
