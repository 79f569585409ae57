/** Sessions. A pin with an empty path is of the content. */

import type { Row, Rows, Value } from '../rows.ts';
import type { SessionDesk, SessionOwner, SessionPin, SessionRecord } from '../sessions.ts';

/** The documents of a session, by id: added in it, or pinned to it. Takes the session three times. */
export const documentsOfSession = `
  SELECT document FROM session_document WHERE session = ?
  UNION SELECT pinned.id FROM session_pin JOIN document AS pinned ON pinned.hash = session_pin.hash
    WHERE session_pin.session = ? AND session_pin.path = ''
  UNION SELECT pinned.id FROM session_pin
    JOIN document AS pinned ON pinned.collection = session_pin.collection AND pinned.path = session_pin.path
    WHERE session_pin.session = ?`;

/** What a running session has pinned is needed. */
export const contentIsPinned = `
  SELECT 1 FROM session_pin JOIN session ON session.id = session_pin.session
    WHERE session_pin.hash = ? AND session.stopped IS NULL`;

export function sessionsIn(rows: Rows): SessionDesk {
  return {
    async get(id) {
      const row = await rows.get('SELECT * FROM session WHERE id = ?', id);
      return row && toSession(row);
    },
    async list(owner, limit, offset) {
      const { where, values } = ownedBy(owner);
      const sql = `SELECT * FROM session ${where} ORDER BY created DESC, id DESC LIMIT ? OFFSET ?`;
      return (await rows.all(sql, ...values, limit, offset)).map(toSession);
    },
    count: (owner) => countOf(rows, owner),
    async counts(id) {
      const sql = `SELECT (SELECT count(*) FROM session_pin WHERE session = ?) AS pins,
        (SELECT count(*) FROM session_document WHERE session = ?) AS documents`;
      const row = await rows.get(sql, id, id);
      return { pins: Number(row?.pins ?? 0), documents: Number(row?.documents ?? 0) };
    },
    async pins(id) {
      const sql = `SELECT session_pin.collection, session_pin.path, session_pin.created,
          coalesce(document.hash, session_pin.hash) AS hash
        FROM session_pin LEFT JOIN document
          ON document.collection = session_pin.collection AND document.path = session_pin.path
        WHERE session_pin.session = ? ORDER BY session_pin.created, session_pin.collection, session_pin.path`;
      return (await rows.all(sql, id)).map(toPin);
    },
    async start({ id, label, principal, role, created }) {
      await rows.run('INSERT INTO session VALUES (?, ?, ?, ?, ?, NULL)', id, label, principal, role, created);
    },
    stop: async (id, time) =>
      (await rows.run('UPDATE session SET stopped = ? WHERE id = ? AND stopped IS NULL', time, id)) === 1,
    async pin(id, pin) {
      const { collection, path } = placeOf(pin);
      if (path !== '') {
        const sql = 'DELETE FROM session_pin WHERE session = ? AND collection = ? AND path = ?';
        await rows.run(sql, id, collection, path);
      }
      const sql = 'INSERT INTO session_pin VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING';
      await rows.run(sql, id, collection, path, pin.hash, pin.created);
    },
    async unpin(id, pin) {
      const { collection, path } = placeOf(pin);
      const whole = path === '' ? ' AND hash = ?' : '';
      const sql = `DELETE FROM session_pin WHERE session = ? AND collection = ? AND path = ?${whole}`;
      await rows.run(sql, id, collection, path, ...(path === '' ? [pin.hash] : []));
    },
    async include(id, document) {
      await rows.run('INSERT INTO session_document VALUES (?, ?) ON CONFLICT DO NOTHING', id, document);
    },
    async prune(owner, keep) {
      const over = (await countOf(rows, owner)) - keep;
      if (over > 0) {
        const sql = `DELETE FROM session WHERE id IN (SELECT id FROM session AS old WHERE principal = ? AND role = ?
            AND (stopped IS NOT NULL OR NOT EXISTS (SELECT 1 FROM session_pin WHERE session_pin.session = old.id))
          ORDER BY stopped IS NULL, created, id LIMIT ?)`;
        await rows.run(sql, owner.principal, owner.role, over);
      }
      return countOf(rows, owner);
    },
  };
}

async function countOf(rows: Rows, owner: SessionOwner | undefined): Promise<number> {
  const { where, values } = ownedBy(owner);
  return Number((await rows.get(`SELECT count(*) AS found FROM session ${where}`, ...values))?.found ?? 0);
}

function ownedBy(owner: SessionOwner | undefined): { where: string; values: Value[] } {
  if (owner === undefined) return { where: '', values: [] };
  return { where: 'WHERE principal = ? AND role = ?', values: [owner.principal, owner.role] };
}

function placeOf({ place }: SessionPin): { collection: string; path: string } {
  return place ?? { collection: '', path: '' };
}

function toSession(row: Row): SessionRecord {
  return {
    id: String(row.id),
    label: String(row.label),
    principal: String(row.principal),
    role: String(row.role),
    created: String(row.created),
    ...(row.stopped !== null && { stopped: String(row.stopped) }),
  };
}

function toPin(row: Row): SessionPin {
  return {
    hash: String(row.hash),
    ...(row.path !== '' && { place: { collection: String(row.collection), path: String(row.path) } }),
    created: String(row.created),
  };
}
