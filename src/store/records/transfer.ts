/** The records as rows, to be moved from one store into another. Both engines have the same tables and columns. */
import type { Row, Rows, Value } from '../rows.ts';
import type { MovedTable } from '../transfer.ts';

interface Facts {
  readonly name: MovedTable;
  readonly key: readonly string[];
}

/** What refers to another comes after it. */
const facts: readonly Facts[] = [
  { name: 'audit', key: ['seq'] },
  { name: 'audit_head', key: ['id'] },
  { name: 'api_key', key: ['id'] },
  { name: 'feedback', key: ['id'] },
  { name: 'usage', key: ['id'] },
  { name: 'truth', key: ['namespace', 'target_key'] },
  { name: 'event', key: ['id'] },
  { name: 'event_link', key: ['event', 'decision'] },
  { name: 'git_mark', key: ['namespace', 'repository'] },
  { name: 'document', key: ['id'] },
  { name: 'document_change', key: ['seq'] },
  { name: 'snapshot', key: ['id'] },
  { name: 'snapshot_file', key: ['snapshot', 'path'] },
  { name: 'session', key: ['id'] },
  { name: 'session_pin', key: ['session', 'collection', 'path', 'hash'] },
  { name: 'session_document', key: ['session', 'document'] },
  { name: 'anchor', key: ['kind', 'id', 'ref'] },
  { name: 'webhook', key: ['id'] },
  { name: 'webhook_dead', key: ['id'] },
];

export async function pageOf(rows: Rows, table: MovedTable, after: Row | undefined, limit: number): Promise<Row[]> {
  const key = facts.find(({ name }) => name === table)?.key ?? [];
  const order = key.join(', ');
  const where = after === undefined ? '' : `WHERE (${order}) > (${key.map(() => '?').join(', ')})`;
  const values = after === undefined ? [] : key.map((column) => after[column] as Value);
  const page = await rows.all(`SELECT * FROM ${table} ${where} ORDER BY ${order} LIMIT ?`, ...values, limit);
  return page.map(({ catalog: _own, ...row }) => row);
}

export async function clearTable(rows: Rows, table: MovedTable): Promise<void> {
  await rows.run(`DELETE FROM ${table}`);
}

export async function insertRows(rows: Rows, table: MovedTable, page: readonly Row[]): Promise<void> {
  const [first] = page;
  if (first === undefined) return;
  const columns = Object.keys(first);
  const places = `(${columns.map(() => '?').join(', ')})`;
  const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${page.map(() => places).join(', ')}`;
  await rows.run(sql, ...page.flatMap((row) => columns.map((column) => row[column] as Value)));
}
