/** A catalog as rows, to be moved into another store or out of one. */
import { clearTable, insertRows, pageOf } from '../records/transfer.ts';
import type { Transfer } from '../transfer.ts';
import type { SharedDatabase } from './database.ts';
import { wordEventsFrom } from './event-words.ts';

/** Which column of a table counts; the name of its counter. */
const counting: Readonly<Record<string, string>> = {
  event: 'event.id',
  document: 'document.id',
  document_change: 'document_change.seq',
  webhook_dead: 'webhook_dead.id',
};

export function sharedTransfer(database: SharedDatabase): Transfer {
  return {
    page: (table, after, limit) => pageOf(database.rows, table, after, limit),
    clear: (table) => database.maintain((rows) => clearTable(rows, table)),
    async insert(table, page) {
      await database.maintain((rows) => insertRows(rows, table, page));
      if (table === 'event' && page[0] !== undefined) await wordEventsFrom(database, Number(page[0].id));
    },
    async numbers() {
      const found: Record<string, number> = {};
      for (const [table, counter] of Object.entries(counting)) {
        const row = await database.rows.get('SELECT value FROM counter WHERE name = ?', counter);
        if (row !== undefined) found[table] = Number(row.value);
      }
      return found;
    },
    keepNumbers: (numbers) =>
      database.maintain(async (rows) => {
        const sql = 'INSERT INTO counter VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value';
        for (const [table, value] of Object.entries(numbers)) {
          const counter = counting[table];
          if (counter !== undefined) await rows.run(sql, counter, value);
        }
      }),
    keepVersions: (shelf, name, versions) =>
      database.maintain(async (rows) => {
        await rows.run('DELETE FROM file_version WHERE shelf = ? AND name = ?', shelf, name);
        const sql = 'INSERT INTO file_version (shelf, name, bytes, time, author, message) VALUES (?, ?, ?, ?, ?, ?)';
        for (const { text, time, author, message } of versions) {
          await rows.run(sql, shelf, name, text === undefined ? null : Buffer.from(text), time, author, message);
        }
      }),
  };
}
