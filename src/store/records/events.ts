/** Events and their links to decisions. How they are found by their words is the engine's. */
import { sha256 } from '../hash.ts';
import type { Row, Rows, Value } from '../rows.ts';
import type { EventBook, EventDraft, EventFilter, EventKind, EventRecord } from '../store.ts';
import { noTerms, type Terms } from '../terms.ts';

/** Best first. */
export type MatchEvents = (
  words: readonly string[],
  filter: EventFilter,
  limit: number,
  terms: Terms,
) => Promise<{ event: EventRecord; score: number }[]>;

/** What an engine does with a new event so that its words are found; nothing where it sees to that by itself. */
export type WordEvent = (id: number, event: EventDraft) => Promise<void>;

export function eventsIn(rows: Rows, matching: MatchEvents, word?: WordEvent): EventBook {
  return {
    async get(id) {
      const row = await rows.get('SELECT * FROM event WHERE id = ?', id);
      return row && toEvent(row);
    },
    async list(filter, limit, offset) {
      const { where, values } = eventConditions(filter);
      const sql = `SELECT * FROM event ${where} ORDER BY id DESC LIMIT ? OFFSET ?`;
      return (await rows.all(sql, ...values, limit, offset)).map(toEvent);
    },
    matching: (words, filter, limit, terms = noTerms) => matching(words, filter, limit, terms),
    async count(filter) {
      const { where, values } = eventConditions(filter);
      return Number((await rows.get(`SELECT count(*) AS found FROM event ${where}`, ...values))?.found ?? 0);
    },
    async namespaces() {
      // One seek for each, however many events there are.
      const found: string[] = [];
      const next = 'SELECT min(namespace) AS name FROM event WHERE namespace > ?';
      for (let row = await rows.get(next, ''); row?.name != null; row = await rows.get(next, String(row.name))) {
        found.push(String(row.name));
      }
      return found;
    },
    async page(after, limit) {
      return (await rows.all('SELECT * FROM event WHERE id > ? ORDER BY id LIMIT ?', after, limit)).map(toEvent);
    },
    async of(decision) {
      const sql = 'SELECT event.* FROM event_link JOIN event ON id = event WHERE decision = ? ORDER BY id';
      return (await rows.all(sql, decision)).map(toEvent);
    },
    async links({ decision, event }) {
      const parts = [decision !== undefined ? 'decision = ?' : '', event !== undefined ? 'event = ?' : ''].filter(
        Boolean,
      );
      const where = parts.length === 0 ? '' : `WHERE ${parts.join(' AND ')}`;
      const values = [decision, event].filter((value) => value !== undefined);
      const found = await rows.all(`SELECT * FROM event_link ${where} ORDER BY event, decision`, ...values);
      return found.map((row) => ({
        event: Number(row.event),
        decision: String(row.decision),
        created: String(row.created),
      }));
    },
    async gitMark(namespace, repository) {
      const sql = 'SELECT mark FROM git_mark WHERE namespace = ? AND repository = ?';
      const row = await rows.get(sql, namespace, repository);
      return row && String(row.mark);
    },
    async add(event, wantedId) {
      const digest = digestOf(event);
      const taken =
        wantedId === undefined || (await rows.get('SELECT 1 AS found FROM event WHERE id = ?', wantedId)) !== undefined;
      const sql = `INSERT INTO event (id, namespace, session, digest, kind, source, subject, detail, targets, files, success, created)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
      const added = await rows.run(
        sql,
        taken ? null : wantedId,
        event.namespace,
        event.session,
        digest,
        event.kind,
        event.source,
        event.subject,
        event.detail,
        JSON.stringify(event.targets),
        JSON.stringify(event.files),
        event.success ? 1 : 0,
        event.created,
      );
      const known = 'SELECT id FROM event WHERE namespace = ? AND session = ? AND digest = ?';
      const id = Number((await rows.get(known, event.namespace, event.session, digest))?.id);
      if (added === 1) await word?.(id, event);
      return { id, added: added === 1 };
    },
    async link(event, decision, time) {
      return (
        (await rows.run('INSERT INTO event_link VALUES (?, ?, ?) ON CONFLICT DO NOTHING', event, decision, time)) === 1
      );
    },
    async moveLinks(from, to) {
      const sql = `INSERT INTO event_link SELECT event, ?, created FROM event_link WHERE decision = ? ON CONFLICT DO NOTHING`;
      const moved = await rows.run(sql, to, from);
      await rows.run('DELETE FROM event_link WHERE decision = ?', from);
      return moved;
    },
    async unlink(decision) {
      return rows.run('DELETE FROM event_link WHERE decision = ?', decision);
    },
    async removeSession(namespace, session) {
      return rows.run('DELETE FROM event WHERE namespace = ? AND session = ?', namespace, session);
    },
    async setGitMark(namespace, repository, mark) {
      const sql =
        'INSERT INTO git_mark VALUES (?, ?, ?) ON CONFLICT (namespace, repository) DO UPDATE SET mark = excluded.mark';
      await rows.run(sql, namespace, repository, mark);
    },
  };
}

/** What makes two events the same: not when, but what happened and how it ended. */
function digestOf({ kind, subject, detail, success }: EventDraft): string {
  return sha256(JSON.stringify([kind, subject, detail, success]));
}

export function eventConditions({ namespace, kind, after }: EventFilter): { where: string; values: Value[] } {
  const parts: string[] = [];
  const values: Value[] = [];
  const want = (condition: string, value: Value | undefined) => {
    if (value === undefined) return;
    parts.push(condition);
    values.push(value);
  };
  want('namespace = ?', namespace);
  want('kind = ?', kind);
  want('id > ?', after);
  return { where: parts.length === 0 ? '' : `WHERE ${parts.join(' AND ')}`, values };
}

export function toEvent(row: Row): EventRecord {
  return {
    id: Number(row.id),
    namespace: String(row.namespace),
    session: String(row.session),
    kind: String(row.kind) as EventKind,
    source: String(row.source),
    subject: String(row.subject),
    detail: String(row.detail),
    targets: JSON.parse(String(row.targets)) as string[],
    files: JSON.parse(String(row.files)) as string[],
    success: row.success === 1,
    created: String(row.created),
  };
}
