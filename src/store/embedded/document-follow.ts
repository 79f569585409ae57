/** One step of index.db after the changes of documents. */
import { extname } from 'node:path/posix';
import { splitWords } from '../../search/words.ts';
import type { ContentText } from '../document-index.ts';
import { partsOf, pathWords, type TextFacts, textFacts } from '../document-text.ts';
import type { DocumentChange, DocumentRecord } from '../documents.ts';
import type { Database, Queries } from './database.ts';
import { SECTION_BITS } from './document-rank.ts';
import { threeWordsOf } from './letters.ts';
import { takeSpellings } from './spelling.ts';
import { DOCUMENT_VECTORS, dropVectors } from './vectors.ts';

export interface FollowInput {
  readonly home: string;
  readonly after: number;
  readonly changes: readonly DocumentChange[];
  readonly texts: readonly ContentText[];
}

/** Within a transaction. `false` where the index does not stand at `after`, or lacks a text that is not given. */
export function followIn(
  database: Database,
  after: number,
  changes: readonly DocumentChange[],
  texts: readonly ContentText[],
): boolean {
  if (seqIn(database) !== after) return false;
  const byHash = new Map(texts.map((text) => [text.hash, text]));
  const known = (hash: string) => byHash.has(hash) || numberOf(database, hash) !== undefined;
  if (!changes.every(({ document }) => document === undefined || known(document.hash))) return false;
  // Row by row, then index by index: SQLite writes out what an index has gathered whenever another table is changed.
  const fresh: Fresh[] = [];
  const left = changes.map(({ id, document }) => place(database, id, document, byHash, fresh));
  // Not before all are placed: a content that one path leaves may be what the next one is about.
  for (const number of new Set(left)) if (number !== undefined) dropUnneeded(database, number);
  indexTexts(database, fresh);
  const paths = changes.map(({ document }) => document?.path ?? '');
  takeSpellings(database, [...fresh, ...paths.map((path) => ({ text: path, parts: splitWords(path) }))]);
  database.run("UPDATE counter SET value = ? WHERE name = 'document_seq'", changes.at(-1)?.seq ?? after);
  return true;
}

export function seqIn(database: Queries): number {
  return Number(database.get("SELECT value FROM counter WHERE name = 'document_seq'")?.value ?? 0);
}

const BITS = BigInt(SECTION_BITS);

/** A text that is new to the index. */
interface Fresh extends TextFacts {
  readonly number: number;
}

/** Puts a document where it lies now. Returns the number of the text that it leaves. */
function place(
  database: Database,
  id: number,
  document: DocumentRecord | undefined,
  texts: ReadonlyMap<string, ContentText>,
  fresh: Fresh[],
): number | undefined {
  const old = database.get('SELECT number FROM document_place WHERE id = ?', id);
  if (old !== undefined) {
    database.run('DELETE FROM document_place WHERE id = ?', id);
    database.run('DELETE FROM document_paths WHERE rowid = ?', id);
  }
  if (document !== undefined) {
    const number =
      numberOf(database, document.hash) ?? insertText(database, document.hash, texts.get(document.hash), fresh);
    const { collection, path, kind, modified } = document;
    const [extension, tags] = [extname(path).toLowerCase(), JSON.stringify(document.tags)];
    const sql = 'INSERT INTO document_place VALUES (?, ?, ?, ?, ?, ?, ?, ?)';
    database.run(sql, id, number, collection, path, extension, kind, tags, modified);
    database.run('INSERT INTO document_paths (rowid, path) VALUES (?, ?)', id, pathWords(path));
  }
  return old && Number(old.number);
}

function numberOf(database: Queries, hash: string): number | undefined {
  const known = database.get('SELECT number FROM document_text WHERE hash = ?', hash);
  return known && Number(known.number);
}

function insertText(database: Queries, hash: string, given: ContentText | undefined, fresh: Fresh[]): number {
  const facts = textFacts(given);
  const { title, letters, kept, partial, problem, sections } = facts;
  // Never given to a second text: vectors and outlines are kept by it.
  database.run("UPDATE counter SET value = value + 1 WHERE name = 'document_number'");
  const number = Number(database.get("SELECT value FROM counter WHERE name = 'document_number'")?.value);
  const sql = 'INSERT INTO document_text VALUES (?, ?, ?, ?, ?, ?, ?)';
  database.run(sql, number, hash, title === '' ? null : title, kept, partial, problem, sections.length);
  if (sections.length > 0 || letters !== '') fresh.push({ ...facts, number });
  return number;
}

function indexTexts(database: Queries, fresh: readonly Fresh[]): void {
  const words = 'INSERT INTO document_words (rowid, title, body, parts) VALUES (?, ?, ?, ?)';
  for (const each of fresh) {
    for (const [at, section] of each.sections.entries()) {
      const row = (BigInt(each.number) << BITS) + BigInt(at);
      database.run(words, row, each.title, section.text, partsOf(each, section).join(' '));
    }
  }
  const threes = 'INSERT INTO document_letters (rowid, body) VALUES (?, ?)';
  for (const { number, letters } of fresh) database.run(threes, number, threeWordsOf(letters).join(' '));
  countSections(
    database,
    fresh.reduce((sum, { sections }) => sum + sections.length, 0),
  );
}

function dropUnneeded(database: Queries, number: number): void {
  if (database.get('SELECT 1 FROM document_place WHERE number = ? LIMIT 1', number) !== undefined) return;
  const text = database.get('SELECT hash, sections FROM document_text WHERE number = ?', number);
  const sections = Number(text?.sections ?? 0);
  dropVectors(database, DOCUMENT_VECTORS, String(text?.hash));
  const word = 'DELETE FROM document_words WHERE rowid = ?';
  for (let at = 0; at < sections; at++) database.run(word, (BigInt(number) << BITS) + BigInt(at));
  database.run('DELETE FROM document_letters WHERE rowid = ?', number);
  database.run('DELETE FROM document_text WHERE number = ?', number);
  countSections(database, -sections);
}

function countSections(database: Queries, more: number): void {
  if (more !== 0) database.run("UPDATE counter SET value = value + ? WHERE name = 'document_sections'", more);
}
