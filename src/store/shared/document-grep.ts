/** Which documents grep has to look at, as the index of letters knows them. */
import type { Candidate, CandidateMark, PlaceFilter } from '../document-index.ts';
import { threesOf } from '../letters.ts';
import type { Row, Rows } from '../rows.ts';
import { listed } from './bulk.ts';
import { numbersIn } from './document-follow.ts';
import { conditions, settled } from './document-places.ts';

/** So many texts are fewer to put in order than all documents are to go through. */
const FEW = 10_000;
/** More of them narrow no further, and each is a list to read. */
const MOST_THREES = 24;

/** Documents that one step of going through all of them looks at. */
const PAGE = 1000;
const readable = "(place.kind = 'text' OR text.extracted IS NOT NULL)";
const columns = 'place.id, place.collection, place.path, place.kind, text.hash';

export async function holdingIn(
  rows: Rows,
  alternatives: readonly (readonly string[])[],
  asked: PlaceFilter,
  after: CandidateMark | undefined,
  limit: number,
): Promise<Candidate[]> {
  const filter = await settled(rows, asked);
  const letters = lettersOf(alternatives);
  if (letters === undefined) return readableIn(rows, filter, after, limit);
  const numbers = await fewHolding(rows, letters);
  if (numbers !== undefined) return readableIn(rows, filter, after, limit, numbersIn(numbers));
  const found: Candidate[] = [];
  // Through all documents in their order, until there are enough.
  for (let mark = after; ; ) {
    const page = await lookedThrough(rows, letters, filter, mark);
    for (const { held, ...row } of page) if (held && found.length < limit) found.push(candidateOf(row));
    const last = page.at(-1);
    if (found.length === limit || last === undefined || page.length < PAGE) return found;
    mark = candidateOf(last);
  }
}

/** Texts that hold the letters, and those that nobody knows; `undefined` where they are many. */
async function fewHolding(rows: Rows, letters: string): Promise<number[] | undefined> {
  const sql = `SELECT letters.number FROM json_each(?) AS way
      JOIN document_letters AS letters ON letters.threes @> way.value::int[]
    UNION ALL SELECT number FROM document_text WHERE partial = 1 LIMIT ${FEW}`;
  const numbers = (await rows.all(sql, letters)).map(({ number }) => Number(number));
  return numbers.length < FEW ? [...new Set(numbers)] : undefined;
}

/** Documents in their order, of some texts or of all. */
async function readableIn(
  rows: Rows,
  filter: PlaceFilter,
  after: CandidateMark | undefined,
  limit: number,
  numbers?: string,
): Promise<Candidate[]> {
  const { where, values } = conditions(filter);
  const within = numbers === undefined ? '' : 'AND place.number = ANY (?::text::bigint[])';
  const sql = `SELECT ${columns} FROM document_place AS place JOIN document_text AS text ON text.number = place.number
    WHERE ${readable} AND (place.collection, place.path) > (?, ?) ${where} ${within}
    ORDER BY place.collection, place.path LIMIT ?`;
  const own = numbers === undefined ? [] : [numbers];
  return (await rows.all(sql, after?.collection ?? '', after?.path ?? '', ...values, ...own, limit)).map(candidateOf);
}

/** The next documents, and whether each holds the letters. As one step of its own: they come by their index. */
async function lookedThrough(
  rows: Rows,
  letters: string,
  filter: PlaceFilter,
  after: CandidateMark | undefined,
): Promise<Row[]> {
  const { where, values } = conditions(filter);
  const sql = `WITH place AS MATERIALIZED (SELECT id, number, collection, path, kind FROM document_place AS place
      WHERE (place.collection, place.path) > (?, ?) ${where} ORDER BY place.collection, place.path LIMIT ${PAGE})
    SELECT ${columns}, ${readable} AND (text.partial = 1
      OR EXISTS (SELECT 1 FROM json_each(?) AS way WHERE letters.threes @> way.value::int[])) AS held
    FROM place JOIN document_text AS text ON text.number = place.number
      LEFT JOIN document_letters AS letters ON letters.number = place.number
    ORDER BY place.collection, place.path`;
  return rows.all(sql, after?.collection ?? '', after?.path ?? '', ...values, letters);
}

export async function unreadableIn(
  rows: Rows,
  filter: PlaceFilter,
  limit: number,
): Promise<(Candidate & { readonly problem: string })[]> {
  const { where, values } = conditions(await settled(rows, filter));
  const sql = `SELECT ${columns}, text.problem FROM document_text AS text
    JOIN document_place AS place ON place.number = text.number WHERE text.problem IS NOT NULL ${where}
    ORDER BY place.collection, place.path LIMIT ?`;
  const found = await rows.all(sql, ...values, limit);
  return found.map((row) => ({ ...candidateOf(row), problem: String(row.problem) }));
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

/** As lists of numbers, one for each alternative; `undefined` where they cannot narrow anything. */
function lettersOf(alternatives: readonly (readonly string[])[]): string | undefined {
  const each = alternatives.map((pieces) => [...new Set(pieces.flatMap(threesOf))].slice(0, MOST_THREES));
  return each.some((threes) => threes.length === 0) ? undefined : listed(each.map(numbersIn));
}
