/** Earlier versions of the files, as rows: written by the transaction that changes the file. */
import type { Rows } from '../rows.ts';
import type { AuditRecord, FileVersion, History, HistoryState, Shelf } from '../store.ts';
import { messageOfVersion } from '../version-message.ts';
import { type FileChange, textOf } from './files.ts';

const versioned: readonly Shelf[] = ['instructions', 'decisions'];

export async function recordVersions(
  rows: Rows,
  changes: readonly FileChange[],
  record: AuditRecord | undefined,
): Promise<void> {
  const time = record?.time ?? new Date().toISOString();
  const [author, message] = [record?.principal ?? 'cairn', messageOfVersion(record)];
  const sql = 'INSERT INTO file_version (shelf, name, bytes, time, author, message) VALUES (?, ?, ?, ?, ?, ?)';
  for (const { shelf, name, text } of changes) {
    if (!versioned.includes(shelf)) continue;
    await rows.run(sql, shelf, name, text === undefined ? null : Buffer.from(text), time, author, message);
  }
}

interface Database {
  readonly rows: Rows;
  write<T>(work: (rows: Rows) => Promise<T>): Promise<T>;
}

export function historyOf(database: Database): History {
  const { rows } = database;
  return {
    async versions(shelf, name, limit) {
      const sql = `SELECT seq, time, author, message, bytes IS NULL AS removed FROM file_version
        WHERE shelf = ? AND name = ? ORDER BY seq DESC LIMIT ?`;
      return (await rows.all(sql, shelf, name, limit)).map(
        (row): FileVersion => ({
          commit: `version-${row.seq}`,
          time: String(row.time),
          author: String(row.author),
          message: String(row.message),
          removed: (row.removed as unknown) === true,
        }),
      );
    },
    async text(shelf, name, version) {
      const seq = /^version-(\d{1,15})$/.exec(version)?.[1];
      if (seq === undefined) return undefined;
      const sql = 'SELECT bytes FROM file_version WHERE shelf = ? AND name = ? AND seq = ?';
      const row = await rows.get(sql, shelf, name, Number(seq));
      return row === undefined || row.bytes === null ? undefined : textOf(row);
    },
    async forget(shelf, names) {
      await database.write(async (rows) => {
        const sql = 'DELETE FROM file_version WHERE shelf = ? AND name = ?';
        for (const name of names) await rows.run(sql, shelf, name);
      });
    },
    async settle() {},
    async state(): Promise<HistoryState> {
      const row = await rows.get('SELECT count(*) AS found FROM file_version');
      return { keeper: 'database', healthy: true, waiting: 0, commits: Number(row?.found ?? 0) };
    },
  };
}
