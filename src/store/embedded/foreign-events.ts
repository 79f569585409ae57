/**
 * Events in the database of another system. Threat: a file that somebody else wrote. It is opened read-only and as one that
 * nobody changes, so that not even a journal is made beside it; nothing in its schema is trusted, only a plain table is read,
 * and of that only what an event can hold.
 */
import { copyFile, lstat, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CairnError } from '../../errors.ts';
import { Database, type Row } from './database.ts';
import { messageOf } from './failure.ts';

export interface ForeignEvent {
  readonly id: number;
  readonly source: string;
  readonly kind: string;
  readonly content: string;
  readonly context: string;
  readonly timestamp: string;
  readonly linkedId: string;
}

const MOST_BYTES = 1024 ** 3;
const MOST_EVENTS = 200_000;
const LONGEST = 100_000;
const PAGE = 500;
const columns = ['id', 'source', 'kind', 'content', 'context', 'timestamp', 'linked_id'] as const;

/** Page by page, oldest first. */
export async function* foreignEvents(path: string): AsyncGenerator<ForeignEvent[]> {
  const { size } = await lstat(path);
  if (size > MOST_BYTES) throw unreadable('it is larger than 1 GiB');
  const { file, done } = await settled(path);
  let database: Database | undefined;
  try {
    database = opened(file);
    const present = columnsIn(database);
    for (let after = 0, count = 0; ; ) {
      const rows = database.all(statement(present), after);
      const page = rows.map(eventOf);
      count += page.length;
      if (count > MOST_EVENTS) throw unreadable(`it holds more than ${MOST_EVENTS} events`);
      if (page.length > 0) yield page;
      if (page.length < PAGE) return;
      after = page.at(-1)?.id ?? 0;
    }
  } catch (thrown) {
    throw thrown instanceof CairnError ? thrown : unreadable(messageOf(thrown));
  } finally {
    database?.close();
    await done();
  }
}

/** What its last writer left in the log beside it is only seen by who may write: that is done to a copy. */
async function settled(path: string): Promise<{ file: string; done: () => Promise<void> }> {
  const log = await lstat(`${path}-wal`).catch(() => undefined);
  if (log === undefined || !log.isFile() || log.size === 0) return { file: path, done: async () => {} };
  if (log.size > MOST_BYTES) throw unreadable('its log is larger than 1 GiB');
  const folder = await mkdtemp(join(tmpdir(), 'cairn-events-'));
  const file = join(folder, 'events.db');
  const done = () => rm(folder, { recursive: true, force: true });
  try {
    await copyFile(path, file);
    await copyFile(`${path}-wal`, `${file}-wal`);
    const copy = new Database(file);
    copy.exec('PRAGMA trusted_schema = OFF; PRAGMA journal_mode = DELETE');
    copy.close();
  } catch (thrown) {
    await done();
    throw unreadable(messageOf(thrown));
  }
  return { file, done };
}

function opened(file: string): Database {
  const database = new Database(`${pathToFileURL(file).href}?immutable=1`, { readOnly: true });
  database.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON');
  return database;
}

function columnsIn(database: Database): ReadonlySet<string> {
  const table = database.get("SELECT type, sql FROM sqlite_master WHERE name = 'events'");
  if (table === undefined) throw unreadable('it has no table "events"');
  if (table.type !== 'table' || /^\s*create\s+virtual/i.test(String(table.sql))) {
    throw unreadable('its "events" is no plain table');
  }
  const found = new Set(database.all('PRAGMA table_info(events)').map(({ name }) => String(name)));
  for (const name of ['id', 'kind', 'content']) if (!found.has(name)) throw unreadable(`its events have no "${name}"`);
  return found;
}

function statement(present: ReadonlySet<string>): string {
  const wanted = columns.map((name) => {
    if (!present.has(name)) return `'' AS ${name}`;
    return name === 'id' ? 'id' : `substr(CAST(${name} AS TEXT), 1, ${LONGEST}) AS ${name}`;
  });
  return `SELECT ${wanted.join(', ')} FROM events WHERE typeof(id) = 'integer' AND id > ? ORDER BY id LIMIT ${PAGE}`;
}

function eventOf(row: Row): ForeignEvent {
  const text = (name: string) => (row[name] === null || row[name] === undefined ? '' : String(row[name]));
  return {
    id: Number(row.id),
    source: text('source'),
    kind: text('kind'),
    content: text('content'),
    context: text('context'),
    timestamp: text('timestamp'),
    linkedId: text('linked_id'),
  };
}

function unreadable(why: string): CairnError {
  return new CairnError('validation_failed', `The database of events cannot be read: ${why}`);
}
