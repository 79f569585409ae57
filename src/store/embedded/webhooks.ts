/** Webhooks in SQLite. */
import type { DeadLetter, WebhookDesk, WebhookQueue, WebhookState } from '../webhooks.ts';
import type { Queries, Row } from './database.ts';
import type { Transactions } from './history-keeper.ts';

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

/** Of each webhook; the oldest make room. */
const MOST_DEAD = 10_000;

export function webhooksIn(database: Queries): WebhookDesk {
  return {
    list: async () => database.all('SELECT * FROM webhook ORDER BY created, id').map(toState),
    async get(id) {
      const row = database.get('SELECT * FROM webhook WHERE id = ?', id);
      return row && toState(row);
    },
    async revived(id) {
      const sql = 'SELECT * FROM webhook_dead WHERE webhook = ? AND retry = 1 ORDER BY id LIMIT 1';
      const row = database.get(sql, id);
      return row && toLetter(row);
    },
    deadLetters: async (limit) =>
      database.all('SELECT * FROM webhook_dead ORDER BY id DESC LIMIT ?', limit).map(toLetter),
    deadCount: async () => Number(database.get('SELECT count(*) AS found FROM webhook_dead')?.found ?? 0),
    async retry({ id, webhook }) {
      const sql = `UPDATE webhook_dead SET retry = 1 WHERE retry = 0 AND (?1 IS NULL OR id = ?1) AND (?2 IS NULL OR webhook = ?2)`;
      return database.run(sql, id ?? null, webhook ?? null);
    },
  };
}

export function webhookQueue({ maintain }: Transactions): WebhookQueue {
  return {
    register: ({ id, address, cursor, created }) =>
      maintain((database) => {
        const sql = 'INSERT INTO webhook (id, address, cursor, created) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING';
        database.run(sql, id, address, cursor, created);
      }),
    claim: (id, holder, forMs) =>
      maintain((database) => {
        const now = Date.now();
        const sql =
          'UPDATE webhook SET holder = ?, held_until_ms = ? WHERE id = ? AND (holder = ? OR held_until_ms < ?)';
        if (database.run(sql, holder, forMs === 0 ? 0 : now + forMs, id, holder, now) === 0) return undefined;
        const row = database.get('SELECT * FROM webhook WHERE id = ?', id);
        return row && toState(row);
      }),
    advance: (id, seq, delivered) =>
      maintain((database) => {
        const sent = 'UPDATE webhook SET delivered = delivered + 1, last_delivered = ?, last_error = NULL WHERE id = ?';
        if (delivered !== undefined) database.run(sent, delivered, id);
        database.run('UPDATE webhook SET cursor = ?, attempts = 0, due_ms = 0 WHERE id = ?', seq, id);
      }),
    failed: (id, error, dueMs) =>
      maintain((database) => {
        const sql =
          'UPDATE webhook SET attempts = attempts + 1, failures = failures + 1, last_error = ?, due_ms = ? WHERE id = ?';
        database.run(sql, error, dueMs, id);
      }),
    bury: (id, seq, error, time) =>
      maintain((database) => {
        database.run('INSERT INTO webhook_dead (webhook, seq, time, error) VALUES (?, ?, ?, ?)', id, seq, time, error);
        const sql = `UPDATE webhook SET cursor = ?, attempts = 0, due_ms = 0, failures = failures + 1, last_error = ? WHERE id = ?`;
        database.run(sql, seq, error, id);
        const last = 'SELECT id FROM webhook_dead WHERE webhook = ? ORDER BY id DESC LIMIT 1 OFFSET ?';
        database.run(`DELETE FROM webhook_dead WHERE webhook = ? AND id <= (${last})`, id, id, MOST_DEAD);
      }),
    settle: (letter, error) =>
      maintain((database) => {
        if (error === undefined) database.run('DELETE FROM webhook_dead WHERE id = ?', letter);
        else database.run('UPDATE webhook_dead SET retry = 0, error = ? WHERE id = ?', error, letter);
      }),
  };
}

function toState(row: Row): WebhookState {
  return {
    id: String(row.id),
    address: String(row.address),
    cursor: Number(row.cursor),
    attempts: Number(row.attempts),
    dueMs: Number(row.due_ms),
    delivered: Number(row.delivered),
    failures: Number(row.failures),
    ...(row.last_error !== null && { lastError: String(row.last_error) }),
    ...(row.last_delivered !== null && { lastDelivered: String(row.last_delivered) }),
    created: String(row.created),
  };
}

function toLetter(row: Row): DeadLetter {
  return {
    id: Number(row.id),
    webhook: String(row.webhook),
    seq: Number(row.seq),
    time: String(row.time),
    error: String(row.error),
    retry: row.retry === 1,
  };
}
