/** The tables of the records that came after the first version of state.db. Never edited: they are migrations. */

export const anchorTables = `
  CREATE TABLE anchor (
    kind TEXT NOT NULL, id TEXT NOT NULL, ref TEXT NOT NULL, place TEXT NOT NULL, content TEXT NOT NULL, hash TEXT NOT NULL,
    cited_at TEXT NOT NULL, cited_by TEXT NOT NULL, PRIMARY KEY (kind, id, ref)) WITHOUT ROWID;
  CREATE INDEX anchor_content ON anchor (content);`;

/** An empty path: the pin is of the content. */
export const sessionTables = `
  CREATE TABLE session (
    id TEXT PRIMARY KEY, label TEXT NOT NULL, principal TEXT NOT NULL, role TEXT NOT NULL, created TEXT NOT NULL,
    stopped TEXT);
  CREATE INDEX session_newest ON session (created DESC, id DESC);
  CREATE INDEX session_owner ON session (principal, role, created DESC, id DESC);
  CREATE TABLE session_pin (
    session TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE, collection TEXT NOT NULL, path TEXT NOT NULL,
    hash TEXT NOT NULL, created TEXT NOT NULL, PRIMARY KEY (session, collection, path, hash)) WITHOUT ROWID;
  CREATE INDEX session_pin_hash ON session_pin (hash);
  CREATE TABLE session_document (
    session TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    document INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE, PRIMARY KEY (session, document)) WITHOUT ROWID;
  CREATE INDEX session_document_session ON session_document (document);`;

export const webhookTables = `
  CREATE TABLE webhook (
    id TEXT PRIMARY KEY, address TEXT NOT NULL, cursor INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
    due_ms INTEGER NOT NULL DEFAULT 0, delivered INTEGER NOT NULL DEFAULT 0, failures INTEGER NOT NULL DEFAULT 0,
    last_error TEXT, last_delivered TEXT, created TEXT NOT NULL, holder TEXT, held_until_ms INTEGER NOT NULL DEFAULT 0)
    WITHOUT ROWID;
  CREATE TABLE webhook_dead (
    id INTEGER PRIMARY KEY AUTOINCREMENT, webhook TEXT NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL, time TEXT NOT NULL, error TEXT NOT NULL, retry INTEGER NOT NULL DEFAULT 0);
  CREATE INDEX webhook_dead_webhook ON webhook_dead (webhook, id);`;

export const documentTables = `
  CREATE TABLE document (
    id INTEGER PRIMARY KEY AUTOINCREMENT, collection TEXT NOT NULL, path TEXT NOT NULL, reversed_path TEXT NOT NULL,
    extension TEXT NOT NULL, hash TEXT NOT NULL, size INTEGER NOT NULL, kind TEXT NOT NULL, mime TEXT NOT NULL,
    tags TEXT NOT NULL, metadata TEXT NOT NULL, created TEXT NOT NULL, modified TEXT NOT NULL, indexed TEXT NOT NULL,
    flagged TEXT, source TEXT, source_size INTEGER, source_modified_ms REAL, UNIQUE (collection, path));
  CREATE INDEX document_hash ON document (hash);
  CREATE INDEX document_path ON document (path, id);
  CREATE INDEX document_suffix ON document (reversed_path);
  CREATE INDEX document_size ON document (size, id);
  CREATE INDEX document_created ON document (created, id);
  CREATE INDEX document_modified ON document (modified, id);
  CREATE INDEX document_indexed ON document (indexed, id);
  CREATE TABLE snapshot (
    id TEXT PRIMARY KEY, collection TEXT NOT NULL, label TEXT NOT NULL, created TEXT NOT NULL, files INTEGER NOT NULL,
    bytes INTEGER NOT NULL, root TEXT NOT NULL);
  CREATE INDEX snapshot_newest ON snapshot (created DESC, id DESC);
  CREATE TABLE snapshot_file (
    snapshot TEXT NOT NULL REFERENCES snapshot (id) ON DELETE CASCADE, path TEXT NOT NULL, hash TEXT NOT NULL,
    size INTEGER NOT NULL, modified TEXT NOT NULL, PRIMARY KEY (snapshot, path)) WITHOUT ROWID;
  CREATE INDEX snapshot_file_hash ON snapshot_file (hash);`;

/** Which documents changed since, each once: what is derived from them follows by it. */
export const changeTables = `
  CREATE TABLE document_change (seq INTEGER PRIMARY KEY AUTOINCREMENT, id INTEGER NOT NULL UNIQUE);
  INSERT INTO document_change (id) SELECT id FROM document ORDER BY id;`;
