/** Where documents lie, and which of the places a question is about. */

import type { Place, PlaceFilter } from '../document-index.ts';
import { conditions as conditionsWith } from '../records/place-filter.ts';
import type { Rows } from '../rows.ts';
import { listed } from './bulk.ts';
import { seqIn } from './document-follow.ts';

/** A filter that SQL knows all of: `settled`. */
export function conditions(filter: PlaceFilter) {
  return conditionsWith(filter, 'false');
}

interface Settled {
  readonly of: string;
  readonly ids: readonly number[];
}

/** A search asks several times with the same. */
const settledBefore = new WeakMap<NonNullable<PlaceFilter['fits']>, Settled>();
const PAGE = 5000;

/** The same places without a comparison that only we can make: it is made here, for each path that is left by the others. */
export async function settled(rows: Rows, { fits, ...filter }: PlaceFilter): Promise<PlaceFilter> {
  if (fits === undefined) return filter;
  const of = `${await seqIn(rows)} ${JSON.stringify(filter)}`;
  let known = settledBefore.get(fits);
  if (known?.of !== of) {
    known = { of, ids: await fitting(rows, filter, fits) };
    settledBefore.set(fits, known);
  }
  return { ...filter, ids: known.ids };
}

async function fitting(rows: Rows, filter: PlaceFilter, fits: (path: string) => boolean): Promise<number[]> {
  const { where, values } = conditions(filter);
  const sql = `SELECT id, path FROM document_place AS place WHERE id > ? ${where} ORDER BY id LIMIT ${PAGE}`;
  const ids: number[] = [];
  for (let last = -1; ; ) {
    const page = await rows.all(sql, last, ...values);
    for (const { id, path } of page) if (fits(String(path))) ids.push(Number(id));
    if (page.length < PAGE) return ids;
    last = Number(page.at(-1)?.id);
  }
}

/** Contents whose places are looked up at once. */
const PLACED = 500;

export async function placesIn(
  rows: Rows,
  hashes: readonly string[],
  filter: PlaceFilter,
  limit: number,
): Promise<Place[]> {
  const { where, values } = conditions(await settled(rows, filter));
  const sql = `SELECT place.id, text.hash, text.title FROM json_each(?) AS wanted
    JOIN document_text AS text ON text.hash = wanted.value JOIN document_place AS place ON place.number = text.number
    WHERE true ${where} ORDER BY wanted.key, place.id LIMIT ?`;
  const places: Place[] = [];
  for (let at = 0; at < hashes.length && places.length < limit; at += PLACED) {
    const some = listed(hashes.slice(at, at + PLACED));
    for (const { id, hash, title } of await rows.all(sql, some, ...values, limit - places.length))
      places.push({ id: Number(id), hash: String(hash), ...(typeof title === 'string' && { title }) });
  }
  return places;
}
