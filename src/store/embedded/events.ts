/** Events and their links to decisions in SQLite. */
import { sha256 } from '../hash.ts';
import type { EventBook, EventDraft, EventFilter, EventKind, EventRecord } from '../store.ts';
import { noTerms, type Terms } from '../terms.ts';
import type { Queries, Row, Value } from './database.ts';
import { idealOf, NEWEST, RANKED, telling } from './frequency.ts';
import { phrase } from './phrase.ts';
import { termConditions, termOf } from './terms.ts';

/** Kept by triggers, whoever writes. What is deleted leaves nothing behind: somebody may want it forgotten. */
export const eventWordTables = `
  CREATE VIRTUAL TABLE event_words USING fts5(
    subject, detail, content='event', content_rowid='id', tokenize='porter unicode61');
  CREATE VIRTUAL TABLE event_vocabulary USING fts5vocab(event_words, 'row');
  INSERT INTO event_words (event_words, rank) VALUES ('secure-delete', 1);
  INSERT INTO event_words (event_words) VALUES ('rebuild');
  CREATE TRIGGER event_worded AFTER INSERT ON event BEGIN
    INSERT INTO event_words (rowid, subject, detail) VALUES (new.id, new.subject, new.detail);
  END;
  CREATE TRIGGER event_unworded AFTER DELETE ON event BEGIN
    INSERT INTO event_words (event_words, rowid, subject, detail) VALUES ('delete', old.id, old.subject, old.detail);
  END;
  CREATE TRIGGER event_reworded AFTER UPDATE OF subject, detail ON event BEGIN
    INSERT INTO event_words (event_words, rowid, subject, detail) VALUES ('delete', old.id, old.subject, old.detail);
    INSERT INTO event_words (rowid, subject, detail) VALUES (new.id, new.subject, new.detail);
  END;`;

export function eventsIn(database: Queries): EventBook {
  return {
    async get(id) {
      const row = database.get('SELECT * FROM event WHERE id = ?', id);
      return row && toEvent(row);
    },
    async list(filter, limit, offset) {
      const { where, values } = conditions(filter);
      const sql = `SELECT * FROM event ${where} ORDER BY id DESC LIMIT ? OFFSET ?`;
      return database.all(sql, ...values, limit, offset).map(toEvent);
    },
    async matching(words, filter, limit, terms = noTerms) {
      return matchingIn(database, words, filter, limit, terms);
    },
    async count(filter) {
      const { where, values } = conditions(filter);
      return Number(database.get(`SELECT count(*) AS found FROM event ${where}`, ...values)?.found ?? 0);
    },
    async namespaces() {
      // One seek for each, however many events there are.
      const found: string[] = [];
      const next = 'SELECT min(namespace) AS name FROM event WHERE namespace > ?';
      for (let row = database.get(next, ''); row?.name != null; row = database.get(next, String(row.name))) {
        found.push(String(row.name));
      }
      return found;
    },
    async page(after, limit) {
      return database.all('SELECT * FROM event WHERE id > ? ORDER BY id LIMIT ?', after, limit).map(toEvent);
    },
    async of(decision) {
      const sql = 'SELECT event.* FROM event_link JOIN event ON id = event WHERE decision = ? ORDER BY id';
      return database.all(sql, decision).map(toEvent);
    },
    async links({ decision, event }) {
      const parts = [decision !== undefined ? 'decision = ?' : '', event !== undefined ? 'event = ?' : ''].filter(
        Boolean,
      );
      const where = parts.length === 0 ? '' : `WHERE ${parts.join(' AND ')}`;
      const values = [decision, event].filter((value) => value !== undefined);
      const rows = database.all(`SELECT * FROM event_link ${where} ORDER BY event, decision`, ...values);
      return rows.map((row) => ({
        event: Number(row.event),
        decision: String(row.decision),
        created: String(row.created),
      }));
    },
    async gitMark(namespace, repository) {
      const sql = 'SELECT mark FROM git_mark WHERE namespace = ? AND repository = ?';
      const row = database.get(sql, namespace, repository);
      return row && String(row.mark);
    },
    async add(event, wantedId) {
      const digest = digestOf(event);
      const taken = wantedId === undefined || database.get('SELECT 1 FROM event WHERE id = ?', wantedId) !== undefined;
      const sql = `INSERT INTO event (id, namespace, session, digest, kind, source, subject, detail, targets, files, success, created)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
      const added = database.run(
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
      const id = Number(database.get(known, event.namespace, event.session, digest)?.id);
      return { id, added: added === 1 };
    },
    async link(event, decision, time) {
      return (
        database.run('INSERT INTO event_link VALUES (?, ?, ?) ON CONFLICT DO NOTHING', event, decision, time) === 1
      );
    },
    async moveLinks(from, to) {
      const moved = database.run('UPDATE OR IGNORE event_link SET decision = ? WHERE decision = ?', to, from);
      database.run('DELETE FROM event_link WHERE decision = ?', from);
      return moved;
    },
    async unlink(decision) {
      return database.run('DELETE FROM event_link WHERE decision = ?', decision);
    },
    async removeSession(namespace, session) {
      return database.run('DELETE FROM event WHERE namespace = ? AND session = ?', namespace, session);
    },
    async setGitMark(namespace, repository, mark) {
      database.run('INSERT OR REPLACE INTO git_mark VALUES (?, ?, ?)', namespace, repository, mark);
    },
  };
}

function matchingIn(
  database: Queries,
  words: readonly string[],
  filter: EventFilter,
  limit: number,
  terms: Terms,
): { event: EventRecord; score: number }[] {
  const told = telling(database, 'event_vocabulary', words, RANKED);
  const match = [...told.words.map(phrase), ...terms.required.map(termOf)].join(' OR ');
  if (match === '') return [];
  const events = Number(database.get('SELECT max(id) AS last FROM event')?.last ?? 0);
  const own = conditions(filter);
  const narrow = termConditions('event_words', 'event.id', 'rowid', terms);
  const where = [
    'event_words MATCH ?',
    "rank MATCH 'bm25(2.0, 1.0)'",
    ...(told.common ? [`event_words.rowid > ${events - NEWEST}`] : []),
    ...narrow.parts,
    ...(own.where === '' ? [] : [own.where.replace('WHERE ', '')]),
  ].join(' AND ');
  const sql = `SELECT event.*, rank AS score FROM event_words JOIN event ON event.id = event_words.rowid
    WHERE ${where} ORDER BY rank LIMIT ?`;
  const ideal = idealOf(told, events);
  return database
    .all(sql, match, ...narrow.values, ...own.values, limit)
    .map(({ score, ...row }) => ({ event: toEvent(row), score: -Number(score) / ideal }));
}

/** What makes two events the same: not when, but what happened and how it ended. */
function digestOf({ kind, subject, detail, success }: EventDraft): string {
  return sha256(JSON.stringify([kind, subject, detail, success]));
}

function conditions({ namespace, kind, after }: EventFilter): { where: string; values: Value[] } {
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

function toEvent(row: Row): EventRecord {
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
