/** Feedback records. */

import type { Row, Rows, Value } from '../rows.ts';
import type { FeedbackDesk, FeedbackFilter, FeedbackRecord } from '../store.ts';

export function feedbackIn(rows: Rows): FeedbackDesk {
  return {
    async get(id) {
      const row = await rows.get('SELECT * FROM feedback WHERE id = ?', id);
      return row && toRecord(row);
    },
    async list(filter, limit, offset) {
      const { where, values } = conditions(filter);
      const sql = `SELECT * FROM feedback ${where} ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`;
      return (await rows.all(sql, ...values, limit, offset)).map(toRecord);
    },
    async count(filter) {
      const { where, values } = conditions(filter);
      return Number((await rows.get(`SELECT count(*) AS found FROM feedback ${where}`, ...values))?.found ?? 0);
    },
    async tally(field, filter) {
      const { where, values } = conditions(filter);
      const counts = await rows.all(
        `SELECT ${field} AS name, count(*) AS found FROM feedback ${where} GROUP BY 1`,
        ...values,
      );
      return Object.fromEntries(counts.map((row) => [String(row.name), Number(row.found)]));
    },
    async put(record) {
      await rows.run(
        `INSERT INTO feedback VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET type = excluded.type, severity = excluded.severity, status = excluded.status,
           title = excluded.title, description = excluded.description, tags = excluded.tags, context = excluded.context,
           metadata = excluded.metadata, submitted_by = excluded.submitted_by, created_at = excluded.created_at,
           updated_at = excluded.updated_at`,
        record.id,
        record.type,
        record.severity,
        record.status,
        record.title,
        record.description,
        JSON.stringify(record.tags),
        record.context ? JSON.stringify(record.context) : null,
        record.metadata ? JSON.stringify(record.metadata) : null,
        record.submittedBy,
        record.createdAt,
        record.updatedAt,
      );
    },
  };
}

function conditions(filter: FeedbackFilter): { where: string; values: Value[] } {
  const parts: string[] = [];
  const values: Value[] = [];
  for (const field of ['type', 'severity', 'status'] as const) {
    const wanted = filter[field];
    if (wanted === undefined) continue;
    parts.push(`${field} = ?`);
    values.push(wanted);
  }
  if (filter.since !== undefined) {
    parts.push('created_at >= ?');
    values.push(filter.since);
  }
  for (const tag of filter.tags ?? []) {
    parts.push('EXISTS (SELECT 1 FROM json_each(feedback.tags) WHERE value = ?)');
    values.push(tag);
  }
  return { where: parts.length === 0 ? '' : `WHERE ${parts.join(' AND ')}`, values };
}

function toRecord(row: Row): FeedbackRecord {
  return {
    id: String(row.id),
    type: String(row.type),
    severity: String(row.severity),
    status: String(row.status),
    title: String(row.title),
    description: String(row.description),
    tags: JSON.parse(String(row.tags)) as string[],
    ...(row.context !== null && { context: JSON.parse(String(row.context)) as Record<string, unknown> }),
    ...(row.metadata !== null && { metadata: JSON.parse(String(row.metadata)) as Record<string, unknown> }),
    submittedBy: String(row.submitted_by),
    createdAt: String(row.created_at),
    updatedAt: String(row.updated_at),
  };
}
