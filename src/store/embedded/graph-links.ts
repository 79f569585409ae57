/** The links that files name, kept by the same write that indexes the file. */
import type { Link } from '../graph-index.ts';
import type { Queries } from './database.ts';

/** In place of those that the same file named before. */
export function putLinks(database: Queries, owner: string, links: readonly Link[]): void {
  dropLinks(database, owner);
  const sql = 'INSERT OR IGNORE INTO link VALUES (?, ?, ?, ?)';
  for (const { source, relation, target } of links) database.run(sql, source, relation, target, owner);
}

export function dropLinks(database: Queries, owner: string): void {
  database.run('DELETE FROM link WHERE owner = ?', owner);
}

/** Two files may name the same link, each from its end. */
export function linksOf(
  database: Queries,
  key: string,
  direction: 'out' | 'in',
  relation: string,
  limit: number,
): Link[] {
  const [own, other] = direction === 'out' ? ['source', 'target'] : ['target', 'source'];
  const sql = `SELECT DISTINCT source, target FROM link WHERE ${own} = ? AND relation = ? ORDER BY ${other} LIMIT ?`;
  return database.all(sql, key, relation, limit).map(({ source, target }) => ({
    source: String(source),
    relation,
    target: String(target),
  }));
}
