/**
 * Versions of files on their way into the history. The transaction that changes a file also keeps the new text here, so
 * that a crash loses no version; `HistoryKeeper` hands them to git later, in batches, behind the answers. Where git cannot
 * take them they wait, and the history says so.
 *
 * What somebody changed by hand is kept as well: before a file is replaced, its text as found becomes a version of its
 * own, unless the history has it.
 */
import { readIfPresent } from '../file.ts';
import { sha256 } from '../hash.ts';
import type { HistoryEntry } from '../history.ts';
import type { AuditRecord } from '../store.ts';
import type { MovedVersion } from '../transfer.ts';
import { messageOfVersion } from '../version-message.ts';
import type { Database, Queries, Row } from './database.ts';
import type { PlannedVersion } from './files.ts';

/** Inside the transaction, while the old files are still in place. */
export async function recordVersions(
  database: Queries,
  versions: readonly PlannedVersion[],
  record: AuditRecord | undefined,
): Promise<void> {
  const found: File[] = [];
  for (const { path, absolute, before } of versions) {
    if (before === undefined || knownHash(database, path) === before) continue;
    const text = await readIfPresent(absolute);
    if (text !== undefined) found.push({ path, text });
  }
  const time = record?.time ?? new Date().toISOString();
  add(database, { time, author: 'by hand', message: 'As found: changed by hand or by another program' }, found);
  add(
    database,
    { time, author: record?.principal ?? 'cairn', message: messageOfVersion(record) },
    versions.map(({ path, text }) => ({ path, text })),
  );
}

type File = HistoryEntry['files'][number];

/** Versions that another store kept, oldest first. */
export function keepVersions(database: Queries, path: string, versions: readonly MovedVersion[]): void {
  for (const { text = null, ...entry } of versions) add(database, entry, [{ path, text }]);
}

function add(database: Queries, entry: Omit<HistoryEntry, 'seq' | 'files'>, files: readonly File[]): void {
  if (files.length === 0) return;
  const { time, author, message } = entry;
  database.run('INSERT INTO history_entry (time, author, message) VALUES (?, ?, ?)', time, author, message);
  const seq = Number(database.get('SELECT last_insert_rowid() AS seq')?.seq);
  for (const { path, text } of files) {
    database.run('INSERT INTO history_file VALUES (?, ?, ?)', seq, path, text);
    if (text === null) database.run('DELETE FROM history_known WHERE path = ?', path);
    else database.run('INSERT OR REPLACE INTO history_known VALUES (?, ?)', path, sha256(text));
  }
}

function knownHash(database: Queries, path: string): string | undefined {
  const row = database.get('SELECT hash FROM history_known WHERE path = ?', path);
  return row && String(row.hash);
}

const BATCH_BYTES = 8 * 1024 * 1024;

/** The oldest that wait, as many as one batch takes. */
export function waiting(database: Queries, limit: number): HistoryEntry[] {
  const entries: HistoryEntry[] = [];
  let bytes = 0;
  for (const row of database.all('SELECT * FROM history_entry ORDER BY seq LIMIT ?', limit)) {
    const entry = toEntry(database, row);
    bytes += entry.files.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
    if (entries.length > 0 && bytes > BATCH_BYTES) break;
    entries.push(entry);
  }
  return entries;
}

/** Those of one file, newest first. */
export function waitingFor(database: Queries, path: string): HistoryEntry[] {
  const sql =
    'SELECT history_entry.* FROM history_file JOIN history_entry USING (seq) WHERE path = ? ORDER BY seq DESC';
  return database.all(sql, path).map((row) => toEntry(database, row, path));
}

function toEntry(database: Queries, row: Row, path?: string): HistoryEntry {
  const files = database.all('SELECT path, text FROM history_file WHERE seq = ?', Number(row.seq));
  return {
    seq: Number(row.seq),
    time: String(row.time),
    author: String(row.author),
    message: String(row.message),
    files: files
      .map((file) => ({ path: String(file.path), text: file.text === null ? null : String(file.text) }))
      .filter((file) => path === undefined || file.path === path),
  };
}

export function countWaiting(database: Queries): number {
  return Number(database.get('SELECT count(*) AS waiting FROM history_entry')?.waiting ?? 0);
}

export function dropUpTo(database: Queries, seq: number): void {
  database.run('DELETE FROM history_entry WHERE seq <= ?', seq);
}

/** Where no git ever takes them they must not grow for ever: the oldest go first. */
export function dropBeyond(database: Queries, most: number): number {
  return database.run('DELETE FROM history_entry WHERE seq <= (SELECT max(seq) FROM history_entry) - ?', most);
}

export function dropPath(database: Queries, path: string): void {
  database.run('DELETE FROM history_file WHERE path = ?', path);
  database.run('DELETE FROM history_known WHERE path = ?', path);
  database.run('DELETE FROM history_entry WHERE seq NOT IN (SELECT seq FROM history_file)');
}

/** The history goes back further than this store: a database was deleted and made anew. Number on from there. */
export function renumberAbove(database: Database, seq: number): void {
  const highest = Number(database.get('SELECT max(seq) AS highest FROM history_entry')?.highest ?? 0);
  // Downwards in one statement each, so that no two ever have the same number.
  for (const row of database.all('SELECT seq FROM history_entry ORDER BY seq DESC')) {
    database.run('UPDATE history_entry SET seq = ? WHERE seq = ?', Number(row.seq) + seq, Number(row.seq));
  }
  database.run("UPDATE sqlite_sequence SET seq = ? WHERE name = 'history_entry'", highest + seq);
}

/** One process at a time hands versions over; whoever dies meanwhile holds the others up for the length of a lease. */
export function takeLease(database: Queries, now: number, until: number): boolean {
  // One that ends later than any lease can was taken under a clock that was wrong.
  const sql = "UPDATE counter SET value = ? WHERE name = 'history_lease' AND (value < ? OR value > ?)";
  return database.run(sql, until, now, until) === 1;
}

export function returnLease(database: Queries): void {
  database.run("UPDATE counter SET value = 0 WHERE name = 'history_lease'");
}
