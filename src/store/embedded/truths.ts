/** Which decision is the truth of a target, in SQLite: the primary key is the rule. */
import { CairnError } from '../../errors.ts';
import type { TruthRegister } from '../store.ts';
import type { Queries } from './database.ts';

export function truthsIn(database: Queries): TruthRegister {
  const of = (namespace: string, targetKey: string) => {
    const row = database.get('SELECT id FROM truth WHERE namespace = ? AND target_key = ?', namespace, targetKey);
    return row && String(row.id);
  };
  return {
    of: async (namespace, targetKey) => of(namespace, targetKey),
    async claim(namespace, targetKey, id) {
      const sql = 'INSERT INTO truth VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
      if (database.run(sql, namespace, targetKey, id) === 1) return;
      const present = of(namespace, targetKey);
      if (present !== id) throw new CairnError('conflict', `${present} is the active decision of this target already`);
    },
    async release(namespace, targetKey) {
      database.run('DELETE FROM truth WHERE namespace = ? AND target_key = ?', namespace, targetKey);
    },
  };
}
