/** `cairn ls`: documents as a table. */
import { counted, numberText, sizeText, timeText } from '../figures.ts';
import { type Column, table } from '../table.ts';
import { type Line, type Piece, toned } from '../terminal.ts';
import type { Order } from './verb.ts';

interface Listed {
  readonly hash: string;
  readonly path: string;
  readonly collection: string;
  readonly size: number;
  readonly mime: string;
  readonly tags: readonly string[];
  readonly modified: string;
  readonly flagged?: string;
}

interface Listing {
  readonly total: number;
  readonly documents?: readonly Listed[];
  readonly paths?: readonly string[];
}

/** As many as the operation gives at once: a person can read on where a program asks for the next page. */
const MOST_ROWS = 1000;

export async function listDocuments(order: Order): Promise<number> {
  const { words, flags, input, human, width, call, show } = order;
  const listing = await call<Listing>('list', {
    ...(human && { limit: MOST_ROWS }),
    ...(flags.reverse === true && { sort_order: 'desc' }),
    ...input,
    ...(words.length > 0 && { paths: words }),
  });
  show(listing, () => linesOf(listing, flags.long === true, width, Number(input.offset ?? 0)));
  return 0;
}

function linesOf({ total, documents = [], paths }: Listing, long: boolean, width: number, offset: number): Line[] {
  if (paths !== undefined) return [...paths.map((path): Line => [path]), ...rest(total, offset, paths.length)];
  if (total === 0) return [['No documents here. cairn add PATH stores some; cairn collections shows what there is.']];
  const several = long || new Set(documents.map(({ collection }) => collection)).size > 1;
  const bytes = documents.reduce((sum, { size }) => sum + size, 0);
  return [
    ...table(
      columns,
      documents.map((each) => rowOf(each, long, several)),
      width,
    ),
    [toned('faint', `${counted(documents.length, 'document')}, ${sizeText(bytes)}`)],
    ...rest(total, offset, documents.length),
  ];
}

const columns: readonly Column[] = [
  { title: 'HASH' },
  { title: 'SIZE', right: true },
  { title: 'MODIFIED' },
  { title: 'COLLECTION' },
  { title: 'PATH', keep: 'end' },
  { title: 'TYPE', keep: 'start' },
  { title: 'TAGS', keep: 'start' },
];

function rowOf(
  { hash, size, modified, collection, path, mime, tags, flagged }: Listed,
  long: boolean,
  several: boolean,
) {
  const row: Piece[] = [
    long ? toned('faint', hash.slice(0, 12)) : '',
    sizeText(size),
    timeText(modified),
    several ? collection : '',
    toned('name', path),
    long ? mime : '',
    [...tags, ...(flagged === undefined ? [] : [`secret? ${flagged}`])].join(', '),
  ];
  return row;
}

function rest(total: number, offset: number, shown: number): Line[] {
  if (offset + shown >= total) return [];
  return [[toned('change', `${numberText(total)} in all: go on with --offset ${offset + shown}`)]];
}
