/** state.db as rows, to be moved into another store or out of one. */
import { clearTable, insertRows, pageOf } from '../records/transfer.ts';
import type { Transfer } from '../transfer.ts';
import { historyPath } from './files.ts';
import type { Transactions } from './history-keeper.ts';
import { dropPath, keepVersions } from './history-log.ts';

/** Columns that count, as SQLite names them; each is the number of a row. */
const counting = ['event', 'document', 'document_change', 'webhook_dead'];

export function embeddedTransfer({ look, maintain }: Transactions): Transfer {
  return {
    page: async (table, after, limit) => look((database) => pageOf(database, table, after, limit)),
    clear: (table) => maintain((database) => clearTable(database, table)),
    insert: (table, rows) => maintain((database) => insertRows(database, table, rows)),
    numbers: () =>
      look((database) => {
        const rows = database.all('SELECT name, seq FROM sqlite_sequence');
        const own = rows.filter(({ name }) => counting.includes(String(name)));
        return Object.fromEntries(own.map(({ name, seq }) => [String(name), Number(seq)]));
      }),
    keepNumbers: (numbers) =>
      maintain((database) => {
        for (const [table, seq] of Object.entries(numbers)) {
          if (!counting.includes(table)) continue;
          database.run('DELETE FROM sqlite_sequence WHERE name = ?', table);
          database.run('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', table, seq);
        }
      }),
    keepVersions: (shelf, name, versions) =>
      maintain((database) => {
        const path = historyPath(shelf, name);
        dropPath(database, path);
        keepVersions(database, path, versions);
      }),
  };
}
