/** The tables of the records; `../records` says what is in them. */
import { references, table, unique } from './tables.ts';

export const recordTables = [
  table('counter', { columns: 'name TEXT NOT NULL, value BIGINT NOT NULL', key: 'name' }),
  table('audit_head', {
    columns: 'id INT NOT NULL CHECK (id = 1), seq BIGINT NOT NULL, hash TEXT NOT NULL',
    key: 'id',
  }),
  table('audit', {
    columns: `seq BIGINT NOT NULL, time TEXT NOT NULL, operation TEXT NOT NULL, principal TEXT NOT NULL, role TEXT NOT NULL,
      door TEXT NOT NULL, outcome TEXT NOT NULL, ids TEXT NOT NULL, before TEXT, after TEXT, note TEXT, previous TEXT NOT NULL,
      hash TEXT NOT NULL`,
    key: 'seq',
  }),
  table('api_key', {
    columns: `id TEXT NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL, digest TEXT NOT NULL, created TEXT NOT NULL,
      revoked TEXT`,
    key: 'id',
    rules: [unique('digest')],
  }),
  table('feedback', {
    columns: `id TEXT NOT NULL, type TEXT NOT NULL, severity TEXT NOT NULL, status TEXT NOT NULL, title TEXT NOT NULL,
      description TEXT NOT NULL, tags TEXT NOT NULL, context TEXT, metadata TEXT, submitted_by TEXT NOT NULL,
      created_at TEXT NOT NULL, updated_at TEXT NOT NULL`,
    key: 'id',
    indexes: ['created_at DESC, id DESC'],
  }),
  table('usage', {
    columns: 'id TEXT NOT NULL, count BIGINT NOT NULL, first_seen_ts TEXT NOT NULL, last_used_at TEXT NOT NULL',
    key: 'id',
    indexes: ['count DESC, last_used_at DESC, id'],
  }),
  table('truth', {
    columns: 'namespace TEXT NOT NULL, target_key TEXT NOT NULL, id TEXT NOT NULL',
    key: 'namespace, target_key',
  }),
  table('event', {
    columns: `id BIGINT NOT NULL, namespace TEXT NOT NULL, session TEXT NOT NULL, digest TEXT NOT NULL, kind TEXT NOT NULL,
      source TEXT NOT NULL, subject TEXT NOT NULL, detail TEXT NOT NULL, targets TEXT NOT NULL, files TEXT NOT NULL,
      success INT NOT NULL, created TEXT NOT NULL`,
    key: 'id',
    rules: [unique('namespace, session, digest')],
    numbered: 'id',
  }),
  table('event_link', {
    columns: 'event BIGINT NOT NULL, decision TEXT NOT NULL, created TEXT NOT NULL',
    key: 'event, decision',
    rules: [references('event', 'event', 'id')],
    indexes: ['decision, event'],
  }),
  table('git_mark', {
    columns: 'namespace TEXT NOT NULL, repository TEXT NOT NULL, mark TEXT NOT NULL',
    key: 'namespace, repository',
  }),
  table('document', {
    columns: `id BIGINT NOT NULL, collection TEXT NOT NULL, path TEXT NOT NULL, reversed_path TEXT NOT NULL,
      extension TEXT NOT NULL, hash TEXT NOT NULL, size BIGINT NOT NULL, kind TEXT NOT NULL, mime TEXT NOT NULL,
      tags TEXT NOT NULL, metadata TEXT NOT NULL, created TEXT NOT NULL, modified TEXT NOT NULL, indexed TEXT NOT NULL,
      flagged TEXT, source TEXT, source_size BIGINT, source_modified_ms DOUBLE PRECISION`,
    key: 'id',
    rules: [unique('collection, path')],
    indexes: ['hash', 'path, id', 'reversed_path', 'size, id', 'created, id', 'modified, id', 'indexed, id'],
    numbered: 'id',
  }),
  table('document_change', {
    columns: 'seq BIGINT NOT NULL, id BIGINT NOT NULL',
    key: 'seq',
    rules: [unique('id')],
    numbered: 'seq',
  }),
  table('snapshot', {
    columns: `id TEXT NOT NULL, collection TEXT NOT NULL, label TEXT NOT NULL, created TEXT NOT NULL, files BIGINT NOT NULL,
      bytes BIGINT NOT NULL, root TEXT NOT NULL`,
    key: 'id',
    indexes: ['created DESC, id DESC'],
  }),
  table('snapshot_file', {
    columns: `snapshot TEXT NOT NULL, path TEXT NOT NULL, hash TEXT NOT NULL, size BIGINT NOT NULL, modified TEXT NOT NULL`,
    key: 'snapshot, path',
    rules: [references('snapshot', 'snapshot', 'id')],
    indexes: ['hash'],
  }),
  table('session', {
    columns: `id TEXT NOT NULL, label TEXT NOT NULL, principal TEXT NOT NULL, role TEXT NOT NULL, created TEXT NOT NULL,
      stopped TEXT`,
    key: 'id',
    indexes: ['created DESC, id DESC', 'principal, role, created DESC, id DESC'],
  }),
  table('session_pin', {
    columns: `session TEXT NOT NULL, collection TEXT NOT NULL, path TEXT NOT NULL, hash TEXT NOT NULL, created TEXT NOT NULL`,
    key: 'session, collection, path, hash',
    rules: [references('session', 'session', 'id')],
    indexes: ['hash'],
  }),
  table('session_document', {
    columns: 'session TEXT NOT NULL, document BIGINT NOT NULL',
    key: 'session, document',
    rules: [references('session', 'session', 'id'), references('document', 'document', 'id')],
    indexes: ['document'],
  }),
  table('anchor', {
    columns: `kind TEXT NOT NULL, id TEXT NOT NULL, ref TEXT NOT NULL, place TEXT NOT NULL, content TEXT NOT NULL,
      hash TEXT NOT NULL, cited_at TEXT NOT NULL, cited_by TEXT NOT NULL`,
    key: 'kind, id, ref',
    indexes: ['content'],
  }),
  table('webhook', {
    columns: `id TEXT NOT NULL, address TEXT NOT NULL, cursor BIGINT NOT NULL, attempts BIGINT NOT NULL DEFAULT 0,
      due_ms BIGINT NOT NULL DEFAULT 0, delivered BIGINT NOT NULL DEFAULT 0, failures BIGINT NOT NULL DEFAULT 0,
      last_error TEXT, last_delivered TEXT, created TEXT NOT NULL, holder TEXT, held_until_ms BIGINT NOT NULL DEFAULT 0`,
    key: 'id',
  }),
  table('webhook_dead', {
    columns: `id BIGINT NOT NULL, webhook TEXT NOT NULL, seq BIGINT NOT NULL, time TEXT NOT NULL, error TEXT NOT NULL,
      retry INT NOT NULL DEFAULT 0`,
    key: 'id',
    rules: [references('webhook', 'webhook', 'id')],
    indexes: ['webhook, id'],
    numbered: 'id',
  }),
  // The files that people would edit, and their versions.
  table('file', {
    columns: `shelf TEXT NOT NULL, name TEXT NOT NULL, bytes BYTEA NOT NULL, size BIGINT NOT NULL,
      modified_ms BIGINT NOT NULL`,
    key: 'shelf, name',
  }),
  table('file_version', {
    columns: `seq BIGINT NOT NULL, shelf TEXT NOT NULL, name TEXT NOT NULL, bytes BYTEA, time TEXT NOT NULL,
      author TEXT NOT NULL, message TEXT NOT NULL`,
    key: 'seq',
    indexes: ['shelf, name, seq DESC'],
    numbered: 'seq',
  }),
].join('\n');

/** What a new catalog begins with. */
export const counters = ['generation', 'derived'] as const;
