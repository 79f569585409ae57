/** What instructions and decisions name, in index.db: written by the same step that indexes their files. */
import { citingOf, namingItem, toMention } from '../mention-rows.ts';
import type { KeptMention, MentionIndex, MentioningKind, Naming } from '../mentions.ts';
import type { Queries, Value } from './database.ts';
import type { IndexDatabase } from './index-database.ts';

export const mentionTables = `
  CREATE TABLE mention (
    kind TEXT NOT NULL, id TEXT NOT NULL, position INTEGER NOT NULL, type TEXT NOT NULL, value TEXT NOT NULL, symbol TEXT,
    collection TEXT, given INTEGER NOT NULL, PRIMARY KEY (kind, id, position)) WITHOUT ROWID;
  CREATE INDEX mention_value ON mention (type, value, kind, id);`;

export function putMentions(
  database: Queries,
  kind: MentioningKind,
  id: string,
  mentions: readonly KeptMention[],
): void {
  dropMentions(database, kind, id);
  for (const [position, { type, value, symbol, collection, given }] of mentions.entries()) {
    database.run(
      'INSERT INTO mention VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      kind,
      id,
      position,
      type,
      value,
      symbol ?? null,
      collection ?? null,
      given ? 1 : 0,
    );
  }
}

export function dropMentions(database: Queries, kind: MentioningKind, id: string): void {
  database.run('DELETE FROM mention WHERE kind = ? AND id = ?', kind, id);
}

export function mentionsOfIndex(index: IndexDatabase): MentionIndex {
  const all = async (sql: string, ...values: Value[]) => (await index.reader())?.all(sql, ...values) ?? [];
  return {
    async of(kind, id) {
      const rows = await all('SELECT * FROM mention WHERE kind = ? AND id = ? ORDER BY position', kind, id);
      return rows.map(toMention);
    },
    async naming(type, values) {
      const found: Naming[] = [];
      for (const value of new Set(values)) {
        const sql = 'SELECT DISTINCT kind, id FROM mention WHERE type = ? AND value = ? ORDER BY kind, id';
        for (const row of await all(sql, type, value)) found.push({ ...namingItem(row), value });
      }
      return found;
    },
    async citing(kind) {
      const where = kind === undefined ? '' : 'AND kind = ?';
      const sql = `SELECT * FROM mention WHERE type = 'path' ${where} ORDER BY kind, id, position`;
      return citingOf(await all(sql, ...(kind === undefined ? [] : [kind])));
    },
  };
}
