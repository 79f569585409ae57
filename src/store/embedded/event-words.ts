/** Events found by their words, in SQLite. */
import { eventConditions, type MatchEvents, toEvent } from '../records/events.ts';
import type { EventFilter, EventRecord } from '../store.ts';
import type { Terms } from '../terms.ts';
import type { Queries } from './database.ts';
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

export function matchingEvents(database: Queries): MatchEvents {
  return async (words, filter, limit, terms) => matchingIn(database, words, filter, limit, terms);
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
  const own = eventConditions(filter);
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
