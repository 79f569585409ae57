/** Uses of instructions in SQLite. */
import type { Usage, UsageCounter } from '../store.ts';
import type { Queries, Row } from './database.ts';

export function usageIn(database: Queries): UsageCounter {
  const one = (id: string) => database.get('SELECT * FROM usage WHERE id = ?', id);
  return {
    async of(ids) {
      const rows = ids.map(one).filter((row) => row !== undefined);
      return new Map(rows.map((row) => [String(row.id), toUsage(row)]));
    },
    async hottest(limit) {
      const sql = 'SELECT * FROM usage ORDER BY count DESC, last_used_at DESC, id LIMIT ?';
      return database.all(sql, limit).map(toUsage);
    },
    async add(id, times, at) {
      database.run(
        `INSERT INTO usage VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
           count = count + excluded.count, last_used_at = max(last_used_at, excluded.last_used_at)`,
        id,
        times,
        at,
        at,
      );
      return toUsage(one(id) ?? {});
    },
    async remove(ids) {
      return ids.reduce((gone, id) => gone + database.run('DELETE FROM usage WHERE id = ?', id), 0);
    },
  };
}

function toUsage(row: Row): Usage {
  return {
    id: String(row.id),
    count: Number(row.count),
    firstSeenTs: String(row.first_seen_ts),
    lastUsedAt: String(row.last_used_at),
  };
}
