/** One step of the search index after the changes of documents: some statements for all of them. */
import { extname } from 'node:path/posix';
import { splitWords } from '../../search/words.ts';
import type { ContentText } from '../document-index.ts';
import { partsOf, pathWords, type TextFacts, textFacts } from '../document-text.ts';
import type { DocumentChange } from '../documents.ts';
import { threesOf } from '../letters.ts';
import type { Rows } from '../rows.ts';
import { insertAll, listed, numbersFrom } from './bulk.ts';
import type { SharedDatabase } from './database.ts';
import { takeSpellings } from './spelling.ts';
import { DOCUMENT_VECTORS, dropVectors } from './vectors.ts';
import { type Words, wordsOf } from './words.ts';

/** `false` where the index does not stand at `after`, or lacks a text that is not given. */
export async function followIn(
  database: SharedDatabase,
  after: number,
  changes: readonly DocumentChange[],
  texts: readonly ContentText[],
): Promise<boolean> {
  const { rows } = database;
  if ((await seqIn(rows)) !== after) return false;
  const given = new Map(texts.map((text) => [text.hash, text]));
  const hashes = [...new Set(changes.flatMap(({ document }) => document?.hash ?? []))];
  const fresh = await lackingIn(rows, hashes);
  if (!fresh.every((hash) => given.has(hash))) return false;
  // Words are cut and stemmed before others have to wait for it.
  const prepared = new Map<string, Prepared>();
  for (const hash of fresh) prepared.set(hash, await prepare(hash, given.get(hash)));
  return database.derive(async (own) => {
    if ((await seqIn(own)) !== after) return false;
    // Somebody may have forgotten everything meanwhile, and come as far again.
    const lacking = await lackingIn(own, hashes);
    if (!lacking.every((hash) => prepared.has(hash))) return false;
    const taken = lacking.flatMap((hash) => prepared.get(hash) ?? []);
    await insertTexts(own, taken);
    const left = await replacePlaces(own, changes);
    await dropUnneeded(own, left);
    const paths = changes.flatMap(({ document }) => document?.path ?? []);
    await takeSpellings(database, own, [
      ...taken.map(({ facts }) => facts),
      ...paths.map((path) => ({ text: path, parts: splitWords(path) })),
    ]);
    const sql = "UPDATE counter SET value = ? WHERE name = 'document_seq'";
    await own.run(sql, changes.at(-1)?.seq ?? after);
    return true;
  });
}

export async function seqIn(rows: Rows): Promise<number> {
  return Number((await rows.get("SELECT value FROM counter WHERE name = 'document_seq'"))?.value ?? 0);
}

/** In the order given. */
export async function lackingIn(rows: Rows, hashes: readonly string[]): Promise<string[]> {
  if (hashes.length === 0) return [];
  const sql = 'SELECT hash FROM document_text WHERE hash IN (SELECT value FROM json_each(?))';
  const known = new Set((await rows.all(sql, listed(hashes))).map(({ hash }) => hash));
  return [...new Set(hashes)].filter((hash) => !known.has(hash));
}

interface Prepared {
  readonly hash: string;
  readonly facts: TextFacts;
  /** Of each section. */
  readonly words: readonly Words[];
  /** As PostgreSQL writes a list of numbers. */
  readonly threes: string;
}

/** Letters whose words are cut at once: some ten milliseconds. */
const AT_ONCE = 100_000;
let worked = 0;

async function prepare(hash: string, given: ContentText | undefined): Promise<Prepared> {
  const facts = textFacts(given);
  const words: Words[] = [];
  for (const section of facts.sections) {
    words.push(
      wordsOf([
        // What is said twice counts twice.
        { weight: 'A', text: facts.title, times: 2 },
        { weight: 'B', text: section.text },
        { weight: 'C', text: partsOf(facts, section).join(' ') },
      ]),
    );
    await breathe(section.text.length);
  }
  await breathe(facts.letters.length / 4);
  return { hash, facts, words, threes: numbersIn(threesOf(facts.letters)) };
}

/** Lets others have their turn. */
async function breathe(work: number): Promise<void> {
  worked += work;
  if (worked < AT_ONCE) return;
  worked = 0;
  await new Promise(setImmediate);
}

export function numbersIn(numbers: readonly number[]): string {
  return `{${numbers.join(',')}}`;
}

async function insertTexts(rows: Rows, texts: readonly Prepared[]): Promise<void> {
  if (texts.length === 0) return;
  // Never given to a second text: vectors and outlines are kept by it.
  const first = await numbersFrom(rows, 'document_number', texts.length);
  const numbered = texts.map((text, at) => ({ ...text, number: first + at }));
  await insertAll(
    rows,
    `INSERT INTO document_text (number, hash, title, extracted, partial, problem, sections)
      SELECT number, hash, title, decode(kept, 'base64'), partial, problem, sections FROM json_to_recordset(?::text::json)
      AS each (number BIGINT, hash TEXT, title TEXT, kept TEXT, partial INT, problem TEXT, sections INT)`,
    numbered.map(({ number, hash, facts: { title, kept, partial, problem, sections } }) => ({
      number,
      hash,
      title: title === '' ? null : title,
      kept: kept && Buffer.from(kept).toString('base64'),
      partial,
      problem,
      sections: sections.length,
    })),
  );
  await insertAll(
    rows,
    `INSERT INTO document_words (number, section, length, words)
      SELECT number, section, length, vector::tsvector FROM json_to_recordset(?::text::json)
      AS each (number BIGINT, section INT, length INT, vector TEXT)`,
    numbered.flatMap(({ number, words }) => words.map((own, section) => ({ number, section, ...own }))),
  );
  await insertAll(
    rows,
    `INSERT INTO document_letters (number, threes)
      SELECT number, threes::int[] FROM json_to_recordset(?::text::json) AS each (number BIGINT, threes TEXT)`,
    numbered
      .filter(({ facts: { sections, letters } }) => sections.length > 0 || letters !== '')
      .map(({ number, threes }) => ({ number, threes })),
  );
}

/** Puts documents where they lie now. Returns the numbers of the texts that they leave. */
async function replacePlaces(rows: Rows, changes: readonly DocumentChange[]): Promise<number[]> {
  const last = new Map(changes.map((change) => [change.id, change]));
  const ids = listed([...last.keys()]);
  const these = 'id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))';
  const gone = await rows.all(`DELETE FROM document_place WHERE ${these} RETURNING number`, ids);
  if (gone.length > 0) await rows.run(`DELETE FROM document_paths WHERE ${these}`, ids);
  const placed = [...last.values()].flatMap(({ id, document }) => (document === undefined ? [] : [{ id, document }]));
  await insertAll(
    rows,
    `INSERT INTO document_place (id, number, collection, path, extension, kind, tags, modified)
      SELECT each.id, text.number, each.collection, each.path, each.extension, each.kind, each.tags, each.modified
      FROM json_to_recordset(?::text::json) AS each (id BIGINT, hash TEXT, collection TEXT, path TEXT, extension TEXT,
        kind TEXT, tags TEXT, modified TEXT)
      JOIN document_text AS text ON text.hash = each.hash`,
    placed.map(({ id, document: { hash, collection, path, kind, tags, modified } }) => ({
      id,
      hash,
      collection,
      path,
      extension: extname(path).toLowerCase(),
      kind,
      tags: listed(tags),
      modified,
    })),
  );
  await insertAll(
    rows,
    `INSERT INTO document_paths (id, length, words) SELECT id, length, vector::tsvector
      FROM json_to_recordset(?::text::json) AS each (id BIGINT, length INT, vector TEXT)`,
    placed.map(({ id, document: { path } }) => ({ id, ...wordsOf([{ weight: 'B', text: pathWords(path) }]) })),
  );
  return [...new Set(gone.map(({ number }) => Number(number)))];
}

/** Not before all are placed: a content that one path leaves may be what the next one is about. */
async function dropUnneeded(rows: Rows, left: readonly number[]): Promise<void> {
  if (left.length === 0) return;
  const sql = `DELETE FROM document_text AS text WHERE number IN (SELECT CAST(value AS BIGINT) FROM json_each(?))
    AND NOT EXISTS (SELECT 1 FROM document_place AS place WHERE place.number = text.number) RETURNING number, hash`;
  const gone = await rows.all(sql, listed(left));
  if (gone.length === 0) return;
  const numbers = listed(gone.map(({ number }) => Number(number)));
  for (const table of ['document_words', 'document_letters'])
    await rows.run(`DELETE FROM ${table} WHERE number IN (SELECT CAST(value AS BIGINT) FROM json_each(?))`, numbers);
  await dropVectors(
    rows,
    DOCUMENT_VECTORS,
    gone.map(({ hash }) => String(hash)),
  );
}
