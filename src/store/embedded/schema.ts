/** The tables of state.db, as migrations that are applied in order, each in one transaction. Never edit one that shipped. */
import { CairnError } from '../../errors.ts';
import type { Database, Queries } from './database.ts';
import { eventWordTables } from './event-words.ts';
import { anchorTables, changeTables, documentTables, sessionTables, webhookTables } from './record-tables.ts';
import { unsyncedTables } from './unsynced.ts';

const migrations: readonly string[] = [
  `CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
   INSERT INTO counter VALUES ('generation', 0);

   -- What the chain ended in, kept apart from the rows: a removed last row shows as well as a removed middle one.
   CREATE TABLE audit_head (id INTEGER PRIMARY KEY CHECK (id = 1), seq INTEGER NOT NULL, hash TEXT NOT NULL);
   INSERT INTO audit_head VALUES (1, 0, '');
   CREATE TABLE audit (
     seq INTEGER PRIMARY KEY, time TEXT NOT NULL, operation TEXT NOT NULL, principal TEXT NOT NULL, role TEXT NOT NULL,
     door TEXT NOT NULL, outcome TEXT NOT NULL, ids TEXT NOT NULL, before TEXT, after TEXT, note TEXT,
     previous TEXT NOT NULL, hash TEXT NOT NULL);

   CREATE TABLE api_key (
     id TEXT PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL, digest TEXT NOT NULL UNIQUE, created TEXT NOT NULL,
     revoked TEXT);

   CREATE TABLE feedback (
     id TEXT PRIMARY KEY, type TEXT NOT NULL, severity TEXT NOT NULL, status TEXT NOT NULL, title TEXT NOT NULL,
     description TEXT NOT NULL, tags TEXT NOT NULL, context TEXT, metadata TEXT, submitted_by TEXT NOT NULL,
     created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
   CREATE INDEX feedback_newest ON feedback (created_at DESC, id DESC);

   -- File changes that are decided but not yet known to be in place; see journal.ts.
   CREATE TABLE file_intent (
     id INTEGER PRIMARY KEY, path TEXT NOT NULL, staged TEXT, before TEXT, after TEXT);`,

  `CREATE TABLE usage (
     id TEXT PRIMARY KEY, count INTEGER NOT NULL, first_seen_ts TEXT NOT NULL, last_used_at TEXT NOT NULL) WITHOUT ROWID;
   CREATE INDEX usage_hottest ON usage (count DESC, last_used_at DESC, id);`,

  `CREATE TABLE truth (
     namespace TEXT NOT NULL, target_key TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (namespace, target_key)) WITHOUT ROWID;

   CREATE TABLE event (
     id INTEGER PRIMARY KEY AUTOINCREMENT, namespace TEXT NOT NULL, session TEXT NOT NULL, digest TEXT NOT NULL,
     kind TEXT NOT NULL, source TEXT NOT NULL, subject TEXT NOT NULL, detail TEXT NOT NULL, targets TEXT NOT NULL,
     files TEXT NOT NULL, success INTEGER NOT NULL, created TEXT NOT NULL, UNIQUE (namespace, session, digest));
   CREATE TABLE event_link (
     event INTEGER NOT NULL REFERENCES event (id) ON DELETE CASCADE, decision TEXT NOT NULL, created TEXT NOT NULL,
     PRIMARY KEY (event, decision)) WITHOUT ROWID;
   CREATE INDEX event_link_decision ON event_link (decision, event);
   CREATE TABLE git_mark (
     namespace TEXT NOT NULL, repository TEXT NOT NULL, mark TEXT NOT NULL,
     PRIMARY KEY (namespace, repository)) WITHOUT ROWID;

   -- Versions of the files that people edit, until the history has them; see history.ts.
   CREATE TABLE history_entry (
     seq INTEGER PRIMARY KEY AUTOINCREMENT, time TEXT NOT NULL, author TEXT NOT NULL, message TEXT NOT NULL);
   CREATE TABLE history_file (
     seq INTEGER NOT NULL REFERENCES history_entry (seq) ON DELETE CASCADE ON UPDATE CASCADE, path TEXT NOT NULL, text TEXT,
     PRIMARY KEY (seq, path)) WITHOUT ROWID;
   -- What the history knows, or is about to, of each file: the hash of its last version.
   CREATE TABLE history_known (path TEXT PRIMARY KEY, hash TEXT NOT NULL) WITHOUT ROWID;
   INSERT INTO counter VALUES ('history_lease', 0);`,

  documentTables,

  changeTables,

  sessionTables,

  unsyncedTables,

  anchorTables,

  eventWordTables,

  webhookTables,
];

export const schemaVersion = migrations.length;

export function refuseNewer(database: Database): void {
  const present = versionOf(database);
  if (present > schemaVersion) {
    throw new CairnError(
      'store_unavailable',
      `The store was written by a newer Cairn (schema ${present}, this one knows ${schemaVersion})`,
      { suggestion: 'Update Cairn, or point CAIRN_HOME at another home. Nothing was changed.' },
    );
  }
}

/** Brings the tables up to date, or to an earlier step; the caller holds the write lock. */
export function migrate(database: Database, to = schemaVersion): void {
  refuseNewer(database);
  for (let version = versionOf(database); version < to; version++) {
    database.exec(migrations[version] ?? '');
    database.exec(`PRAGMA user_version = ${version + 1}`);
  }
}

export function versionOf(database: Database): number {
  return Number(database.get('PRAGMA user_version')?.user_version ?? 0);
}

export function generationIn(database: Queries): number {
  return Number(database.get("SELECT value FROM counter WHERE name = 'generation'")?.value ?? 0);
}
