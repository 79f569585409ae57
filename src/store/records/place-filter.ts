/** Which places of documents a question is about, as SQL that both engines take. */
import type { PlaceFilter } from '../document-index.ts';
import type { Value } from '../rows.ts';

/** `fitting` is the condition that stands for `fits`, which no SQL knows. */
export function conditions(filter: PlaceFilter, fitting: string): { where: string; values: Value[] } {
  const { collection, kind, extension, tag, below, ids, after, before, fits } = filter;
  const parts: string[] = [];
  const values: Value[] = [];
  const add = (sql: string, ...given: Value[]) => {
    parts.push(`AND ${sql}`);
    values.push(...given);
  };
  if (collection !== undefined) add('place.collection = ?', collection);
  if (kind !== undefined) add('place.kind = ?', kind);
  if (extension !== undefined) add('place.extension = ?', extension);
  if (tag !== undefined) add('EXISTS (SELECT 1 FROM json_each(place.tags) WHERE value = ?)', tag);
  if (ids !== undefined) add('place.id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))', JSON.stringify(ids));
  if (after !== undefined) add('place.modified >= ?', utc(after));
  if (before !== undefined) add('place.modified <= ?', utc(before));
  if (fits !== undefined) add(fitting);
  if (below !== undefined) {
    // All that begins with the folder and a slash, as a range: `0` is what follows `/`.
    const each = below.map(() => '(place.path = ? OR (place.path >= ? AND place.path < ?))');
    add(anyOf(each), ...below.flatMap((folder) => [folder, `${folder}/`, `${folder}0`]));
  }
  return { where: parts.join(' '), values };
}

/** As times are kept: they compare as texts. */
function utc(time: string): string {
  return new Date(time).toISOString();
}

/** As a tree of halves: SQLite refuses a chain of a thousand. */
function anyOf(parts: readonly string[]): string {
  if (parts.length <= 1) return parts[0] ?? 'false';
  const middle = parts.length >> 1;
  return `(${anyOf(parts.slice(0, middle))} OR ${anyOf(parts.slice(middle))})`;
}
