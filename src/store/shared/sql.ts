/** The SQL that both engines share, as PostgreSQL wants it. */

const known = new Map<string, string>();
const KEPT = 2000;

/**
 * Values are numbered, and what is unique is unique within a catalog: each key begins with it. No statement of ours has a
 * question mark that is not a value.
 */
export function translated(sql: string): string {
  const before = known.get(sql);
  if (before !== undefined) return before;
  let count = 0;
  const after = sql.replaceAll('?', () => `$${++count}`).replace(/ON CONFLICT \(/g, 'ON CONFLICT (catalog, ');
  if (known.size >= KEPT) known.clear();
  known.set(sql, after);
  return after;
}
