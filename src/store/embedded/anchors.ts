/** What was cited, and how it was then, in state.db. */
import type { AnchorDesk, AnchorRecord } from '../anchors.ts';
import type { MentioningKind } from '../mentions.ts';
import type { Queries, Row } from './database.ts';

export const anchorTables = `
  CREATE TABLE anchor (
    kind TEXT NOT NULL, id TEXT NOT NULL, ref TEXT NOT NULL, place TEXT NOT NULL, content TEXT NOT NULL, hash TEXT NOT NULL,
    cited_at TEXT NOT NULL, cited_by TEXT NOT NULL, PRIMARY KEY (kind, id, ref)) WITHOUT ROWID;
  CREATE INDEX anchor_content ON anchor (content);`;

/** Whether something still refers to a content as it was when it was cited. */
export const contentIsCited = 'SELECT 1 FROM anchor WHERE content = ?';

export function anchorsIn(database: Queries): AnchorDesk {
  const insert = (how: 'INSERT OR REPLACE' | 'INSERT OR IGNORE', anchor: AnchorRecord) => {
    const { kind, id, ref, place, content, hash, citedAt, by } = anchor;
    return database.run(
      `${how} INTO anchor VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      kind,
      id,
      ref,
      place,
      content,
      hash,
      citedAt,
      by,
    );
  };
  const refsOf = (kind: MentioningKind, id: string) =>
    database.all('SELECT * FROM anchor WHERE kind = ? AND id = ? ORDER BY ref', kind, id).map(toAnchor);
  return {
    of: async (kind, id) => refsOf(kind, id),
    citing: async (content) =>
      database.all('SELECT * FROM anchor WHERE content = ? ORDER BY kind, id, ref', content).map(toAnchor),
    async all(kind) {
      const where = kind === undefined ? '' : 'WHERE kind = ?';
      const values = kind === undefined ? [] : [kind];
      return database.all(`SELECT * FROM anchor ${where} ORDER BY kind, id, ref`, ...values).map(toAnchor);
    },
    put: async (anchor) => void insert('INSERT OR REPLACE', anchor),
    putNew: async (anchor) => insert('INSERT OR IGNORE', anchor) === 1,
    async keepOnly(kind, id, refs) {
      const kept = new Set(refs);
      const gone = refsOf(kind, id).filter(({ ref }) => !kept.has(ref));
      for (const { ref } of gone) {
        database.run('DELETE FROM anchor WHERE kind = ? AND id = ? AND ref = ?', kind, id, ref);
      }
      return gone.length;
    },
  };
}

function toAnchor(row: Row): AnchorRecord {
  return {
    kind: row.kind === 'decision' ? 'decision' : 'instruction',
    id: String(row.id),
    ref: String(row.ref),
    place: String(row.place),
    content: String(row.content),
    hash: String(row.hash),
    citedAt: String(row.cited_at),
    by: String(row.cited_by),
  };
}
