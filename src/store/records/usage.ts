/** Uses of instructions. */

import type { Row, Rows } from '../rows.ts';
import type { Usage, UsageCounter } from '../store.ts';

export function usageIn(rows: Rows): UsageCounter {
  const one = (id: string) => rows.get('SELECT * FROM usage WHERE id = ?', id);
  return {
    async of(ids) {
      const found = new Map<string, Usage>();
      for (const id of ids) {
        const row = await one(id);
        if (row !== undefined) found.set(id, toUsage(row));
      }
      return found;
    },
    async hottest(limit) {
      const sql = 'SELECT * FROM usage ORDER BY count DESC, last_used_at DESC, id LIMIT ?';
      return (await rows.all(sql, limit)).map(toUsage);
    },
    async add(id, times, at) {
      await rows.run(
        `INSERT INTO usage VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
           count = usage.count + excluded.count,
           last_used_at = CASE WHEN usage.last_used_at > excluded.last_used_at THEN usage.last_used_at ELSE excluded.last_used_at END`,
        id,
        times,
        at,
        at,
      );
      return toUsage((await one(id)) ?? {});
    },
    async remove(ids) {
      let gone = 0;
      for (const id of ids) gone += await rows.run('DELETE FROM usage WHERE id = ?', id);
      return gone;
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
