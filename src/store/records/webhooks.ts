/** Webhooks. */

import type { Maintain, Row, Rows } from '../rows.ts';
import type { DeadLetter, WebhookDesk, WebhookQueue, WebhookState } from '../webhooks.ts';

/** Of each webhook; the oldest make room. */
const MOST_DEAD = 10_000;
/** One that is held for longer was taken under a clock that was wrong. */
const LONGEST_HELD_MS = 3_600_000;

export function webhooksIn(rows: Rows): WebhookDesk {
  return {
    list: async () => (await rows.all('SELECT * FROM webhook ORDER BY created, id')).map(toState),
    async get(id) {
      const row = await rows.get('SELECT * FROM webhook WHERE id = ?', id);
      return row && toState(row);
    },
    async revived(id) {
      const sql = 'SELECT * FROM webhook_dead WHERE webhook = ? AND retry = 1 ORDER BY id LIMIT 1';
      const row = await rows.get(sql, id);
      return row && toLetter(row);
    },
    deadLetters: async (limit) =>
      (await rows.all('SELECT * FROM webhook_dead ORDER BY id DESC LIMIT ?', limit)).map(toLetter),
    deadCount: async () => Number((await rows.get('SELECT count(*) AS found FROM webhook_dead'))?.found ?? 0),
    async retry({ id, webhook }) {
      const which = [
        ...(id === undefined ? [] : ['AND id = ?']),
        ...(webhook === undefined ? [] : ['AND webhook = ?']),
      ];
      const values = [id, webhook].filter((value) => value !== undefined);
      return rows.run(`UPDATE webhook_dead SET retry = 1 WHERE retry = 0 ${which.join(' ')}`, ...values);
    },
  };
}

export function webhookQueue(maintain: Maintain): WebhookQueue {
  return {
    register: ({ id, address, cursor, created }) =>
      maintain(async (rows) => {
        const sql = 'INSERT INTO webhook (id, address, cursor, created) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING';
        await rows.run(sql, id, address, cursor, created);
      }),
    claim: (id, holder, forMs) =>
      maintain(async (rows) => {
        const now = Date.now();
        const sql = `UPDATE webhook SET holder = ?, held_until_ms = ?
          WHERE id = ? AND (holder = ? OR held_until_ms < ? OR held_until_ms > ?)`;
        const values = [holder, forMs === 0 ? 0 : now + forMs, id, holder, now, now + LONGEST_HELD_MS];
        if ((await rows.run(sql, ...values)) === 0) return undefined;
        const row = await rows.get('SELECT * FROM webhook WHERE id = ?', id);
        return row && toState(row);
      }),
    advance: (id, seq, delivered) =>
      maintain(async (rows) => {
        const sent = 'UPDATE webhook SET delivered = delivered + 1, last_delivered = ?, last_error = NULL WHERE id = ?';
        if (delivered !== undefined) await rows.run(sent, delivered, id);
        await rows.run('UPDATE webhook SET cursor = ?, attempts = 0, due_ms = 0 WHERE id = ?', seq, id);
      }),
    failed: (id, error, dueMs) =>
      maintain(async (rows) => {
        const sql =
          'UPDATE webhook SET attempts = attempts + 1, failures = failures + 1, last_error = ?, due_ms = ? WHERE id = ?';
        await rows.run(sql, error, dueMs, id);
      }),
    bury: (id, seq, error, time) =>
      maintain(async (rows) => {
        await rows.run(
          'INSERT INTO webhook_dead (webhook, seq, time, error) VALUES (?, ?, ?, ?)',
          id,
          seq,
          time,
          error,
        );
        const sql = `UPDATE webhook SET cursor = ?, attempts = 0, due_ms = 0, failures = failures + 1, last_error = ? WHERE id = ?`;
        await rows.run(sql, seq, error, id);
        const last = 'SELECT id FROM webhook_dead WHERE webhook = ? ORDER BY id DESC LIMIT 1 OFFSET ?';
        await rows.run(`DELETE FROM webhook_dead WHERE webhook = ? AND id <= (${last})`, id, id, MOST_DEAD);
      }),
    settle: (letter, error) =>
      maintain(async (rows) => {
        if (error === undefined) await rows.run('DELETE FROM webhook_dead WHERE id = ?', letter);
        else await rows.run('UPDATE webhook_dead SET retry = 0, error = ? WHERE id = ?', error, letter);
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
