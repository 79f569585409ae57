/** Which documents grep has to look at, as index.db knows them. */
import type { Candidate, CandidateMark, PlaceFilter } from '../document-index.ts';
import type { Queries, Row } from './database.ts';
import { conditions } from './document-filter.ts';
import { threeWordsOf } from './letters.ts';
import { phrase } from './phrase.ts';

/** So many texts are fewer to put in order than all documents are to go through. */
const FEW = 2000;
/** More of them narrow no further, and each is a list to read. */
const MOST_THREES = 24;

export function holdingIn(
  database: Queries,
  alternatives: readonly (readonly string[])[],
  filter: PlaceFilter,
  after: CandidateMark | undefined,
  limit: number,
): Candidate[] {
  const { where, values } = conditions(filter);
  const letters = lettersOf(alternatives);
  const held = `SELECT rowid AS number FROM document_letters WHERE document_letters MATCH ?
    UNION SELECT number FROM document_text WHERE partial = 1`;
  const match = letters === undefined ? [] : [letters];
  const few = letters !== undefined && countUpTo(database, `${held} LIMIT ${FEW}`, letters) < FEW;
  const from = few
    ? `(${held}) AS hit CROSS JOIN document_place AS place ON place.number = hit.number`
    : 'document_place AS place';
  const within = few || letters === undefined ? '' : `AND place.number IN (${held})`;
  const sql = `SELECT place.id, place.collection, place.path, place.kind, text.hash FROM ${from}
    JOIN document_text AS text ON text.number = place.number
    WHERE (place.kind = 'text' OR text.extracted IS NOT NULL) ${within}
      AND (place.collection, place.path) > (?, ?) ${where}
    ORDER BY place.collection, place.path LIMIT ?`;
  // As one text: a row for each takes twice as long.
  const listed = `SELECT json_group_array(json_array(id, collection, path, kind, hash)) AS listed FROM (${sql})`;
  const row = database.get(listed, ...match, after?.collection ?? '', after?.path ?? '', ...values, limit);
  const rows = JSON.parse(String(row?.listed ?? '[]')) as [number, string, string, Candidate['kind'], string][];
  return rows.map(([id, collection, path, kind, hash]) => ({ id, collection, path, kind, hash }));
}

export function unreadableIn(
  database: Queries,
  filter: PlaceFilter,
  limit: number,
): (Candidate & { readonly problem: string })[] {
  const { where, values } = conditions(filter);
  const sql = `SELECT place.id, place.collection, place.path, place.kind, text.hash, text.problem
    FROM document_text AS text JOIN document_place AS place USING (number) WHERE text.problem IS NOT NULL ${where}
    ORDER BY place.collection, place.path LIMIT ?`;
  return database.all(sql, ...values, limit).map((row) => ({ ...candidateOf(row), problem: String(row.problem) }));
}

function countUpTo(database: Queries, sql: string, letters: string): number {
  return Number(database.get(`SELECT count(*) AS found FROM (${sql})`, letters)?.found ?? 0);
}

function candidateOf({ id, collection, path, kind, hash }: Row): Candidate {
  return {
    id: Number(id),
    collection: String(collection),
    path: String(path),
    kind: kind === 'text' ? 'text' : 'binary',
    hash: String(hash),
  };
}

/** As a question to the index of letters; `undefined` where it cannot narrow anything. */
function lettersOf(alternatives: readonly (readonly string[])[]): string | undefined {
  const each = alternatives.map((pieces) => [...new Set(pieces.flatMap(threeWordsOf))].slice(0, MOST_THREES));
  if (each.some((threes) => threes.length === 0)) return undefined;
  return each.map((threes) => `(${threes.map(phrase).join(' AND ')})`).join(' OR ');
}
