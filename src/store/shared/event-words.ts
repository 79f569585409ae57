/** Events found by their words. Their words are kept by the same transaction that keeps them. */
import { idealOf, NEWEST } from '../frequency.ts';
import { eventConditions, type MatchEvents, toEvent, type WordEvent } from '../records/events.ts';
import type { Rows } from '../rows.ts';
import type { EventDraft } from '../store.ts';
import { insertAll } from './bulk.ts';
import type { SharedDatabase } from './database.ts';
import { references, table } from './tables.ts';
import { askedOf, heldIn, matchOf, type WordedTexts } from './text-rank.ts';
import { worded } from './word-tables.ts';
import { scoreIn, type Words, weighed, wordsOf } from './words.ts';

const texts: WordedTexts = { shelf: 'events', fields: { subject: 'A', detail: 'B' } };

/** What is deleted leaves nothing behind: somebody may want it forgotten. */
export const eventWordTables = [
  table('event_words', {
    columns: 'event BIGINT NOT NULL, words TSVECTOR NOT NULL, length INT NOT NULL',
    key: 'event',
    rules: [references('event', 'event', 'id')],
  }),
  worded('event_words', texts.shelf),
].join('\n');

export function matchingEvents(rows: Rows): MatchEvents {
  return async (words, filter, limit, terms) => {
    const { told, shelf, required } = await askedOf(rows, texts, words, terms);
    const match = matchOf(texts, told.words, terms);
    if (match === '') return [];
    const last = Number((await rows.get('SELECT max(id) AS last FROM event'))?.last ?? 0);
    const ideal = idealOf(told, last);
    const own = eventConditions(filter);
    const columns = { words: 'held.words', length: 'held.length' };
    const score = scoreIn(columns, shelf, [...weighed(shelf, told.words), ...required]);
    const newest = told.common ? [last - NEWEST + 1] : [];
    const where = ['held.words @@ ?::tsquery', ...(own.where === '' ? [] : [own.where.replace('WHERE ', '')])].join(
      ' AND ',
    );
    const sql = `SELECT event.*, ${score.sql} AS score
      FROM ${heldIn('event_words', 'event', told.common)} JOIN event ON event.id = held.event
      WHERE ${where} ORDER BY score DESC, event.id LIMIT ?`;
    const found = await rows.all(sql, ...score.values, ...newest, match, ...own.values, limit);
    return found.map(({ score: sum, ...row }) => ({ event: toEvent(row), score: Number(sum) / ideal }));
  };
}

export function wordEventsIn(rows: Rows): WordEvent {
  return async (id, event) => {
    const { vector, length } = wordsOfEvent(event);
    const sql = 'INSERT INTO event_words (event, words, length) VALUES (?, ?::tsvector, ?) ON CONFLICT DO NOTHING';
    await rows.run(sql, id, vector, length);
  };
}

const AT_ONCE = 1000;

/** For events that came as rows, from another store: those from one of them on. */
export async function wordEventsFrom(database: SharedDatabase, first: number): Promise<void> {
  for (let after = first - 1; ; ) {
    const lacking = `SELECT id, subject, detail FROM event WHERE id > ?
      AND NOT EXISTS (SELECT 1 FROM event_words WHERE event_words.event = event.id) ORDER BY id LIMIT ?`;
    const rows = await database.rows.all(lacking, after, AT_ONCE);
    if (rows.length === 0) return;
    after = Number(rows.at(-1)?.id);
    // Some may be deleted meanwhile, or have got theirs.
    const sql = `INSERT INTO event_words (event, words, length) SELECT given.event, vector::tsvector, length
      FROM json_to_recordset(?::text::json) AS given (event BIGINT, vector TEXT, length INT)
      JOIN event ON event.id = given.event ON CONFLICT DO NOTHING`;
    const worded = rows.map(({ id, subject, detail }) => ({
      event: Number(id),
      ...wordsOfEvent({ subject: String(subject), detail: String(detail) }),
    }));
    await database.maintain((own) => insertAll(own, sql, worded));
  }
}

function wordsOfEvent({ subject, detail }: Pick<EventDraft, 'subject' | 'detail'>): Words {
  return wordsOf([
    { weight: 'A', text: subject, times: 2 },
    { weight: 'B', text: detail },
  ]);
}
