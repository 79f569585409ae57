/**
 * Sections that hold two words side by side. How rare that is nobody has counted before: all that hold it are looked at, which
 * are few, and then those that may be answered are ranked.
 */
import { LEAST_ROWS, type SectionMatch } from '../document-score.ts';
import type { Rows } from '../rows.ts';
import { fields, type Narrowing } from './document-narrowing.ts';
import { anyOf, B, K1, queryOf, type Shelf, wordQuery } from './words.ts';

export async function neighbours(
  rows: Rows,
  shelf: Shelf,
  pairs: readonly string[],
  narrow: Narrowing,
): Promise<Omit<SectionMatch, 'section'>[]> {
  if (pairs.length === 0) return [];
  const queries = pairs.map(wordQuery);
  const titles = pairs.map((text) => queryOf({ text, field: 'title' }, fields));
  const each = (write: (at: number) => string, sign: string) => queries.map((_, at) => write(at)).join(sign);
  // As often as one can tell: once, and once more in the title.
  const often = (at: number) => `(words @@ ?::tsquery)::int + (words @@ ?::tsquery)::int AS p${at}`;
  // As `rarity` has it, times the rest of BM25.
  const score = (at: number) => `CASE hit.p${at} WHEN 0 THEN 0 ELSE
    greatest(1e-6, ln((?::float8 - told.p${at} + 0.5) / (told.p${at} + 0.5))) * ${K1 + 1}
      / (1 + (${K1 * (1 - B)} + ?::float8 * hit.length) / hit.p${at}) END`;
  const sql = `WITH hit AS MATERIALIZED (
      SELECT number, length, ${each(often, ', ')} FROM document_words WHERE words @@ ?::tsquery),
    told AS (SELECT ${each((at) => `count(nullif(p${at}, 0))::float8 AS p${at}`, ', ')} FROM hit)
    SELECT number, ${each(score, ' + ')} AS score FROM hit, told
    WHERE ${narrow.where('hit.number')} ORDER BY score DESC, number LIMIT ${LEAST_ROWS}`;
  const found = await rows.all(
    sql,
    ...queries.flatMap((query, at) => [query, titles[at] ?? '']),
    anyOf(queries),
    ...pairs.flatMap(() => [shelf.texts, (K1 * B) / shelf.average]),
    ...narrow.values,
  );
  return found.map(({ number, score: scored }) => ({ number: Number(number), score: Number(scored) }));
}
