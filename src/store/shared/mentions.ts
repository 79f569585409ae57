/** What instructions and decisions name: written by the same step that indexes their files. */
import { citingOf, namingItem, toMention } from '../mention-rows.ts';
import type { KeptMention, MentionIndex, MentioningKind, Naming } from '../mentions.ts';
import type { Rows } from '../rows.ts';
import { insertAll, listed } from './bulk.ts';
import type { SharedDatabase } from './database.ts';

/** In place of those that the same texts held before; the last one of an id counts. */
export async function replaceMentions(
  rows: Rows,
  kind: MentioningKind,
  texts: readonly { readonly id: string; readonly mentions: readonly KeptMention[] }[],
): Promise<void> {
  const byId = new Map(texts.map(({ id, mentions }) => [id, mentions]));
  if (byId.size === 0) return;
  const gone = 'DELETE FROM mention WHERE kind = ? AND id IN (SELECT value FROM json_each(?))';
  await rows.run(gone, kind, listed([...byId.keys()]));
  const sql = `INSERT INTO mention (kind, id, position, type, value, symbol, collection, given)
    SELECT ?, id, position, type, value, symbol, collection, given FROM json_to_recordset(?::text::json)
    AS each (id TEXT, position INT, type TEXT, value TEXT, symbol TEXT, collection TEXT, given INT)`;
  const all = [...byId].flatMap(([id, mentions]) =>
    mentions.map(({ type, value, symbol, collection, given }, position) => ({
      id,
      position,
      type,
      value,
      symbol: symbol ?? null,
      collection: collection ?? null,
      given: given ? 1 : 0,
    })),
  );
  await insertAll(rows, sql, all, kind);
}

export function sharedMentions({ rows }: SharedDatabase): MentionIndex {
  return {
    async of(kind, id) {
      const found = await rows.all('SELECT * FROM mention WHERE kind = ? AND id = ? ORDER BY position', kind, id);
      return found.map(toMention);
    },
    async naming(type, values) {
      const wanted = [...new Set(values)];
      if (wanted.length === 0) return [];
      // Values may be longer than what an index takes.
      const sql = `SELECT DISTINCT asked.key, asked.value, mention.kind, mention.id FROM json_each(?) AS asked
        JOIN mention ON mention.type = ? AND md5(mention.value) = md5(asked.value) AND mention.value = asked.value
        ORDER BY asked.key, mention.kind, mention.id`;
      const found = await rows.all(sql, listed(wanted), type);
      return found.map((row): Naming => ({ ...namingItem(row), value: wanted[Number(row.key)] ?? '' }));
    },
    async citing(kind) {
      const where = kind === undefined ? '' : 'AND kind = ?';
      const sql = `SELECT * FROM mention WHERE type = 'path' ${where} ORDER BY kind, id, position`;
      return citingOf(await rows.all(sql, ...(kind === undefined ? [] : [kind])));
    },
  };
}
