/** What was cited, and how it was then. */
import type { AnchorDesk, AnchorRecord } from '../anchors.ts';
import type { MentioningKind } from '../mentions.ts';
import type { Row, Rows } from '../rows.ts';

/** Whether something still refers to a content as it was when it was cited. */
export const contentIsCited = 'SELECT 1 FROM anchor WHERE content = ?';

const REPLACE = `UPDATE SET place = excluded.place, content = excluded.content, hash = excluded.hash,
  cited_at = excluded.cited_at, cited_by = excluded.cited_by`;

export function anchorsIn(rows: Rows): AnchorDesk {
  const insert = async (anchor: AnchorRecord, onConflict: string) => {
    const { kind, id, ref, place, content, hash, citedAt, by } = anchor;
    return rows.run(
      `INSERT INTO anchor VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (kind, id, ref) DO ${onConflict}`,
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
  const refsOf = async (kind: MentioningKind, id: string) =>
    (await rows.all('SELECT * FROM anchor WHERE kind = ? AND id = ? ORDER BY ref', kind, id)).map(toAnchor);
  return {
    of: refsOf,
    citing: async (content) =>
      (await rows.all('SELECT * FROM anchor WHERE content = ? ORDER BY kind, id, ref', content)).map(toAnchor),
    async all(kind) {
      const where = kind === undefined ? '' : 'WHERE kind = ?';
      const values = kind === undefined ? [] : [kind];
      return (await rows.all(`SELECT * FROM anchor ${where} ORDER BY kind, id, ref`, ...values)).map(toAnchor);
    },
    put: async (anchor) => void (await insert(anchor, REPLACE)),
    putNew: async (anchor) => (await insert(anchor, 'NOTHING')) === 1,
    async keepOnly(kind, id, refs) {
      const kept = new Set(refs);
      const gone = (await refsOf(kind, id)).filter(({ ref }) => !kept.has(ref));
      for (const { ref } of gone) {
        await rows.run('DELETE FROM anchor WHERE kind = ? AND id = ? AND ref = ?', kind, id, ref);
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
