/** Documents and snapshots. */
import { createHash } from 'node:crypto';
import { extname } from 'node:path/posix';
import type {
  DocumentDesk,
  DocumentDraft,
  DocumentFilter,
  DocumentRecord,
  SnapshotFile,
  SnapshotRecord,
  SortKey,
} from '../documents.ts';
import type { Row, Rows, Value } from '../rows.ts';
import { contentIsCited } from './anchors.ts';
import { contentIsPinned, documentsOfSession } from './sessions.ts';

const columns: Readonly<Record<SortKey, string>> = {
  name: 'path',
  size: 'size',
  created: 'created',
  modified: 'modified',
  indexed: 'indexed',
};

export function documentsIn(rows: Rows): DocumentDesk {
  const one = async (sql: string, ...values: Value[]) => {
    const row = await rows.get(sql, ...values);
    return row && toDocument(row);
  };
  const many = async (sql: string, ...values: Value[]) => (await rows.all(sql, ...values)).map(toDocument);
  return {
    get: async (id) => one('SELECT * FROM document WHERE id = ?', id),
    at: async (collection, path) => one('SELECT * FROM document WHERE collection = ? AND path = ?', collection, path),
    atPath: async (path, limit) =>
      many('SELECT * FROM document WHERE path = ? ORDER BY collection LIMIT ?', path, limit),
    async endingOnly(path) {
      const from = reversed(path);
      const sql = 'SELECT * FROM document WHERE reversed_path > ? AND reversed_path < ? LIMIT 2';
      const [first, second] = await many(sql, `${from}/`, `${from}/\u{10ffff}`);
      return second === undefined ? first : undefined;
    },
    withHash: async (hash, limit) =>
      many('SELECT * FROM document WHERE hash = ? ORDER BY collection, path LIMIT ?', hash, limit),
    async hashesFrom(prefix, limit) {
      const sql = 'SELECT DISTINCT hash FROM document WHERE hash >= ? AND hash < ? ORDER BY hash LIMIT ?';
      return (await rows.all(sql, prefix, `${prefix}g`, limit)).map((row) => String(row.hash));
    },
    async ending(path, collection, limit) {
      // A range over the paths read backwards: the path itself, and all that end in a slash and it.
      const from = reversed(path);
      const where = collection === undefined ? '' : 'AND collection = ?';
      const sql = `SELECT * FROM document WHERE (reversed_path = ? OR (reversed_path > ? AND reversed_path < ?)) ${where}
        ORDER BY length(path), path, collection LIMIT ?`;
      const values = collection === undefined ? [] : [collection];
      return many(sql, from, `${from}/`, `${from}/\u{10ffff}`, ...values, limit);
    },
    async list(filter, { by, descending }, limit, offset) {
      const { where, values } = conditions(filter);
      const order = descending ? 'DESC' : 'ASC';
      const sql = `SELECT * FROM document ${where} ORDER BY ${columns[by]} ${order}, id ${order} LIMIT ? OFFSET ?`;
      return many(sql, ...values, limit, offset);
    },
    async count(filter) {
      const { where, values } = conditions(filter);
      return Number((await rows.get(`SELECT count(*) AS found FROM document ${where}`, ...values))?.found ?? 0);
    },
    async page(collection, after, limit) {
      if (collection === undefined)
        return many('SELECT * FROM document WHERE path > ? ORDER BY path, id LIMIT ?', after, limit);
      const sql = 'SELECT * FROM document WHERE collection = ? AND path > ? ORDER BY path LIMIT ?';
      return many(sql, collection, after, limit);
    },
    async collections() {
      const sql = `SELECT collection, count(*) AS documents, sum(size) AS bytes FROM document GROUP BY collection ORDER BY 1`;
      return (await rows.all(sql)).map((row) => ({
        collection: String(row.collection),
        documents: Number(row.documents),
        bytes: Number(row.bytes),
      }));
    },
    async types() {
      const sql = `SELECT extension, kind, count(*) AS documents, sum(size) AS bytes FROM document
        GROUP BY extension, kind ORDER BY documents DESC, extension LIMIT 200`;
      return (await rows.all(sql)).map((row) => ({
        extension: String(row.extension),
        kind: String(row.kind),
        documents: Number(row.documents),
        bytes: Number(row.bytes),
      }));
    },
    async snapshots(collection, limit, offset) {
      const where = collection === undefined ? '' : 'WHERE collection = ?';
      const values = collection === undefined ? [] : [collection];
      const sql = `SELECT * FROM snapshot ${where} ORDER BY created DESC, id DESC LIMIT ? OFFSET ?`;
      return (await rows.all(sql, ...values, limit, offset)).map(toSnapshot);
    },
    async snapshot(id) {
      const row = await rows.get('SELECT * FROM snapshot WHERE id = ?', id);
      return row && toSnapshot(row);
    },
    async snapshotFiles(id, after, limit) {
      const sql = 'SELECT * FROM snapshot_file WHERE snapshot = ? AND path > ? ORDER BY path LIMIT ?';
      return (await rows.all(sql, id, after, limit)).map(toFile);
    },
    async inSnapshots(hash, limit) {
      const sql = 'SELECT snapshot, path FROM snapshot_file WHERE hash = ? ORDER BY snapshot, path LIMIT ?';
      return (await rows.all(sql, hash, limit)).map((row) => `${row.snapshot}/${row.path}`);
    },
    async needed(after, limit) {
      const sql = `SELECT hash FROM document WHERE hash > ? UNION SELECT hash FROM snapshot_file WHERE hash > ?
        ORDER BY hash LIMIT ?`;
      return (await rows.all(sql, after, after, limit)).map((row) => String(row.hash));
    },
    async isNeeded(hash) {
      const sql = `SELECT 1 AS found FROM document WHERE hash = ? UNION ALL SELECT 1 FROM snapshot_file WHERE hash = ?
        UNION ALL ${contentIsPinned} UNION ALL ${contentIsCited} LIMIT 1`;
      return (await rows.get(sql, hash, hash, hash, hash)) !== undefined;
    },
    async versionBytes() {
      const sql = `SELECT sum(size) AS bytes FROM (SELECT collection, path, hash, size FROM document UNION
        SELECT collection, path, hash, size FROM snapshot_file JOIN snapshot ON snapshot.id = snapshot_file.snapshot) AS version`;
      return Number((await rows.get(sql))?.bytes ?? 0);
    },
    async changes(after, limit) {
      const sql = `SELECT document.*, document_change.seq AS change_seq, document_change.id AS change_id FROM document_change
        LEFT JOIN document ON document.id = document_change.id WHERE seq > ? ORDER BY seq LIMIT ?`;
      return (await rows.all(sql, after, limit)).map((row) => ({
        seq: Number(row.change_seq),
        id: Number(row.change_id),
        ...(row.id !== null && { document: toDocument(row) }),
      }));
    },
    lastChange: async () => Number((await rows.get('SELECT max(seq) AS seq FROM document_change'))?.seq ?? 0),
    put: (document) => put(rows, document),
    async remove(id) {
      await note(rows, id);
      return (await rows.run('DELETE FROM document WHERE id = ?', id)) === 1;
    },
    takeSnapshot: (snapshot) => takeSnapshot(rows, snapshot),
  };
}

async function put(rows: Rows, document: DocumentDraft): Promise<number> {
  const { source } = document;
  await rows.run(
    `INSERT INTO document VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (collection, path) DO UPDATE SET hash = excluded.hash, size = excluded.size, kind = excluded.kind,
       mime = excluded.mime, tags = excluded.tags, metadata = excluded.metadata, modified = excluded.modified,
       indexed = excluded.indexed, flagged = excluded.flagged, source = excluded.source,
       source_size = excluded.source_size, source_modified_ms = excluded.source_modified_ms`,
    document.collection,
    document.path,
    reversed(document.path),
    extname(document.path).toLowerCase(),
    document.hash,
    document.size,
    document.kind,
    document.mime,
    JSON.stringify(document.tags),
    JSON.stringify(document.metadata),
    document.created,
    document.modified,
    document.indexed,
    document.flagged ?? null,
    source?.path ?? null,
    source?.size ?? null,
    source?.modifiedMs ?? null,
  );
  const sql = 'SELECT id FROM document WHERE collection = ? AND path = ?';
  const id = Number((await rows.get(sql, document.collection, document.path))?.id);
  await note(rows, id);
  return id;
}

async function note(rows: Rows, id: number): Promise<void> {
  // Gone and there again: at the end of the order.
  await rows.run('DELETE FROM document_change WHERE id = ?', id);
  await rows.run('INSERT INTO document_change (id) VALUES (?)', id);
}

async function takeSnapshot(
  rows: Rows,
  snapshot: Omit<SnapshotRecord, 'files' | 'bytes' | 'root'>,
): Promise<SnapshotRecord> {
  const { id, collection, label, created } = snapshot;
  await rows.run('INSERT INTO snapshot VALUES (?, ?, ?, ?, 0, 0, ?)', id, collection, label, created, '');
  await rows.run(
    'INSERT INTO snapshot_file SELECT ?, path, hash, size, modified FROM document WHERE collection = ?',
    id,
    collection,
  );
  const sums = 'SELECT count(*) AS files, coalesce(sum(size), 0) AS bytes FROM snapshot_file WHERE snapshot = ?';
  const { files, bytes } = (await rows.get(sums, id)) ?? {};
  const root = await rootOf(rows, id);
  await rows.run(
    'UPDATE snapshot SET files = ?, bytes = ?, root = ? WHERE id = ?',
    Number(files),
    Number(bytes),
    root,
    id,
  );
  return { ...snapshot, files: Number(files), bytes: Number(bytes), root };
}

const PAGE = 5000;

/** Over every path and its content, in the order of the paths: the same files have the same root, wherever they lie. */
async function rootOf(rows: Rows, snapshot: string): Promise<string> {
  const hash = createHash('sha256');
  const sql = 'SELECT path, hash FROM snapshot_file WHERE snapshot = ? AND path > ? ORDER BY path LIMIT ?';
  for (let after = '', more = true; more; ) {
    const page = await rows.all(sql, snapshot, after, PAGE);
    for (const row of page) hash.update(`${row.path}\0${row.hash}\n`);
    after = String(page.at(-1)?.path ?? '');
    more = page.length === PAGE;
  }
  return hash.digest('hex');
}

function conditions({ collection, kind, extension, tag, session }: DocumentFilter): { where: string; values: Value[] } {
  const parts: string[] = [];
  const values: Value[] = [];
  for (const [column, wanted] of [
    ['collection', collection],
    ['kind', kind],
    ['extension', extension],
  ] as const) {
    if (wanted === undefined) continue;
    parts.push(`${column} = ?`);
    values.push(wanted);
  }
  if (tag !== undefined) {
    parts.push('EXISTS (SELECT 1 FROM json_each(document.tags) WHERE value = ?)');
    values.push(tag);
  }
  if (session !== undefined) {
    parts.push(`id IN (${documentsOfSession})`);
    values.push(session, session, session);
  }
  return { where: parts.length === 0 ? '' : `WHERE ${parts.join(' AND ')}`, values };
}

function reversed(path: string): string {
  return [...path].reverse().join('');
}

function toDocument(row: Row): DocumentRecord {
  return {
    id: Number(row.id),
    collection: String(row.collection),
    path: String(row.path),
    hash: String(row.hash),
    size: Number(row.size),
    kind: row.kind === 'text' ? 'text' : 'binary',
    mime: String(row.mime),
    tags: JSON.parse(String(row.tags)) as string[],
    metadata: JSON.parse(String(row.metadata)) as Record<string, string>,
    created: String(row.created),
    modified: String(row.modified),
    indexed: String(row.indexed),
    ...(row.flagged !== null && { flagged: String(row.flagged) }),
    ...(row.source !== null && {
      source: { path: String(row.source), size: Number(row.source_size), modifiedMs: Number(row.source_modified_ms) },
    }),
  };
}

function toSnapshot(row: Row): SnapshotRecord {
  return {
    id: String(row.id),
    collection: String(row.collection),
    label: String(row.label),
    created: String(row.created),
    files: Number(row.files),
    bytes: Number(row.bytes),
    root: String(row.root),
  };
}

function toFile(row: Row): SnapshotFile {
  return { path: String(row.path), hash: String(row.hash), size: Number(row.size), modified: String(row.modified) };
}
