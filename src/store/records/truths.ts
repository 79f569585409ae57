/** Which decision is the truth of a target: the primary key is the rule. */
import { CairnError } from '../../errors.ts';
import type { Rows } from '../rows.ts';
import type { TruthRegister } from '../store.ts';

export function truthsIn(rows: Rows): TruthRegister {
  const of = async (namespace: string, targetKey: string) => {
    const row = await rows.get('SELECT id FROM truth WHERE namespace = ? AND target_key = ?', namespace, targetKey);
    return row && String(row.id);
  };
  return {
    of,
    async claim(namespace, targetKey, id) {
      const sql = 'INSERT INTO truth VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
      if ((await rows.run(sql, namespace, targetKey, id)) === 1) return;
      const present = await of(namespace, targetKey);
      if (present !== id) throw new CairnError('conflict', `${present} is the active decision of this target already`);
    },
    async release(namespace, targetKey) {
      await rows.run('DELETE FROM truth WHERE namespace = ? AND target_key = ?', namespace, targetKey);
    },
  };
}
