/** The links that files name, kept by the same write that indexes the files. */
import type { Link } from '../graph-index.ts';
import type { Rows } from '../rows.ts';
import { insertAll, listed } from './bulk.ts';

/** In place of those that the same files named before; the last one of a file counts. */
export async function replaceLinks(
  rows: Rows,
  files: readonly { readonly owner: string; readonly links: readonly Link[] }[],
): Promise<void> {
  const byOwner = new Map(files.map(({ owner, links }) => [owner, links]));
  if (byOwner.size === 0) return;
  await rows.run('DELETE FROM link WHERE owner IN (SELECT value FROM json_each(?))', listed([...byOwner.keys()]));
  const sql = `INSERT INTO link (source, relation, target, owner) SELECT source, relation, target, owner
    FROM json_to_recordset(?::text::json) AS given (source TEXT, relation TEXT, target TEXT, owner TEXT) ON CONFLICT DO NOTHING`;
  const all = [...byOwner].flatMap(([owner, links]) =>
    links.map(({ source, relation, target }) => ({ source, relation, target, owner })),
  );
  await insertAll(rows, sql, all);
}

/** Two files may name the same link, each from its end. */
export async function linksOf(
  rows: Rows,
  key: string,
  direction: 'out' | 'in',
  relation: string,
  limit: number,
): Promise<Link[]> {
  const [own, other] = direction === 'out' ? ['source', 'target'] : ['target', 'source'];
  const sql = `SELECT DISTINCT source, target FROM link WHERE ${own} = ? AND relation = ? ORDER BY ${other} LIMIT ?`;
  return (await rows.all(sql, key, relation, limit)).map(({ source, target }) => ({
    source: String(source),
    relation,
    target: String(target),
  }));
}
