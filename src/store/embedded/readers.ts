/**
 * Snapshots of state.db for reading: a few connections that take turns, and none where there is no store yet. A connection that
 * is closed gives its files back when its statements are collected, at some time; so they are kept, and not opened for each of
 * a thousand calls that come at once.
 */
import { CairnError } from '../../errors.ts';
import { Places } from '../../service/places.ts';
import { exists } from '../file.ts';
import { Database, Lease, type Queries } from './database.ts';
import { describeFailure } from './failure.ts';
import { untilFree } from './lock.ts';
import { generationIn, migrate, schemaVersion, versionOf } from './schema.ts';

/** The engine answers one query at a time: more would only wait side by side. */
const PLACES = 8;

export class Readers {
  readonly #path: string;
  readonly #waitMs: number | undefined;
  readonly #idle: Database[] = [];
  /** For reads before there is a store: making one takes longer than most of them. */
  readonly #idleEmpty: Database[] = [];
  readonly #places = new Places(PLACES);
  #closed = false;

  readonly #upgrade: () => Promise<void>;

  /** `upgrade` brings a store of an older Cairn up to date; where that cannot be done, reading says so. */
  constructor(path: string, waitMs: number | undefined, upgrade: () => Promise<void>) {
    this.#upgrade = upgrade;
    this.#path = path;
    this.#waitMs = waitMs;
  }

  async look<T>(work: (database: Queries) => Promise<T>): Promise<T> {
    await this.#places.take();
    try {
      return await this.#look(work);
    } finally {
      this.#places.giveBack();
    }
  }

  async #look<T>(work: (database: Queries) => Promise<T>): Promise<T> {
    const database = await this.#take();
    const lease = new Lease(database);
    let healthy = false;
    try {
      await untilFree(() => beginSnapshot(database), this.#waitMs);
      const result = await work(lease);
      database.exec('COMMIT');
      healthy = true;
      return result;
    } catch (thrown) {
      throw describeFailure(thrown);
    } finally {
      lease.end();
      if (database.inTransaction) database.exec('ROLLBACK');
      this.#giveBack(database, healthy);
    }
  }

  close(): void {
    this.#closed = true;
    for (const database of [...this.#idle.splice(0), ...this.#idleEmpty.splice(0)]) database.close();
  }

  async #take(): Promise<Database> {
    if (this.#closed) throw new CairnError('store_unavailable', 'The store is closed');
    const kept = this.#idle.pop();
    if (kept !== undefined) return kept;
    if (!(await exists(this.#path))) return this.#idleEmpty.pop() ?? emptyDatabase();
    try {
      const reader = await untilFree(() => openReader(this.#path), this.#waitMs);
      if (!isOlder(reader)) return readable(reader);
      reader.database.close();
      await this.#upgrade().catch(() => {});
      return readable(await untilFree(() => openReader(this.#path), this.#waitMs));
    } catch (thrown) {
      throw describeFailure(thrown);
    }
  }

  #giveBack(database: Database, healthy: boolean): void {
    const idle = emptyDatabases.has(database) ? this.#idleEmpty : this.#idle;
    const reusable = healthy && !this.#closed && idle.length < PLACES;
    if (reusable) idle.push(database);
    else database.close();
  }
}

interface Reader {
  readonly database: Database;
  readonly version: number;
}

function openReader(path: string): Reader {
  const database = new Database(path, { readOnly: true });
  try {
    return { database, version: versionOf(database) };
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

function isOlder({ version }: Reader): boolean {
  return version > 0 && version < schemaVersion;
}

function readable({ database, version }: Reader): Database {
  if (version === schemaVersion) return database;
  database.close();
  if (version !== 0) throw wrongSchema(version);
  return emptyDatabase();
}

function wrongSchema(version: number): CairnError {
  return new CairnError(
    'store_unavailable',
    `The store has schema ${version}, this Cairn reads ${schemaVersion}`,
    version < schemaVersion
      ? { suggestion: 'The first write brings it up to date.' }
      : { suggestion: 'Update Cairn, or point CAIRN_HOME at another home.' },
  );
}

/** The first query fixes what the whole read sees; SQLite can be busy here while it recovers from another's crash. */
function beginSnapshot(database: Database): void {
  if (!database.inTransaction) database.exec('BEGIN');
  generationIn(database);
}

/** What a read sees where no store exists yet: all tables, no rows, nothing on disk. */
function emptyDatabase(): Database {
  const database = new Database(':memory:');
  migrate(database);
  emptyDatabases.add(database);
  return database;
}
const emptyDatabases = new WeakSet<Database>();
