/** Audit rows. The chain itself is defined once, in store/audit-chain.ts. */
import { linkOf } from '../audit-chain.ts';
import type { Row, Rows } from '../rows.ts';
import type { AuditEntry, AuditLog, AuditRecord } from '../store.ts';

export function auditIn(rows: Rows): AuditLog {
  return {
    async recent(limit) {
      return (await rows.all('SELECT * FROM audit ORDER BY seq DESC LIMIT ?', limit)).map(toEntry);
    },
    async page(after, limit) {
      return (await rows.all('SELECT * FROM audit WHERE seq > ? ORDER BY seq LIMIT ?', after, limit)).map(toEntry);
    },
    async head() {
      const head = await rows.get('SELECT seq, hash FROM audit_head');
      const count = await rows.get('SELECT count(*) AS found FROM audit');
      return { count: Number(count?.found ?? 0), seq: Number(head?.seq ?? 0), hash: String(head?.hash ?? '') };
    },
    async append(record) {
      const head = await rows.get('SELECT seq, hash FROM audit_head');
      const entry = linkOf(record, Number(head?.seq ?? 0) + 1, String(head?.hash ?? ''));
      await insert(rows, entry);
      await rows.run('UPDATE audit_head SET seq = ?, hash = ?', entry.seq, entry.hash);
      return entry;
    },
  };
}

async function insert(rows: Rows, entry: AuditEntry): Promise<void> {
  await rows.run(
    'INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    entry.seq,
    entry.time,
    entry.operation,
    entry.principal,
    entry.role,
    entry.door,
    entry.outcome,
    JSON.stringify(entry.ids),
    entry.before ?? null,
    entry.after ?? null,
    entry.note ?? null,
    entry.previous,
    entry.hash,
  );
}

function toEntry(row: Row): AuditEntry {
  const record: AuditRecord = {
    time: String(row.time),
    operation: String(row.operation),
    principal: String(row.principal),
    role: String(row.role),
    door: String(row.door),
    outcome: String(row.outcome),
    ids: JSON.parse(String(row.ids)) as string[],
    ...(row.before !== null && { before: String(row.before) }),
    ...(row.after !== null && { after: String(row.after) }),
    ...(row.note !== null && { note: String(row.note) }),
  };
  return { ...record, seq: Number(row.seq), previous: String(row.previous), hash: String(row.hash) };
}
