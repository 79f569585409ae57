/** Snapshots of state.db for reading: a few connections kept for the next, and none where there is no store yet. */
import { CairnError } from '../../errors.ts';
import { exists } from '../file.ts';
import { Database, Lease, type Queries } from './database.ts';
import { describeFailure } from './failure.ts';
import { untilFree } from './lock.ts';
import { generationIn, migrate, schemaVersion, versionOf } from './schema.ts';

const KEPT = 4;

export class Readers {
  readonly #path: string;
  readonly #waitMs: number | undefined;
  readonly #idle: Database[] = [];
  /** For reads before there is a store: making one takes longer than most of them. */
  readonly #idleEmpty: Database[] = [];
  #closed = false;

  readonly #upgrade: () => Promise<void>;

  /** `upgrade` brings a store of an older Cairn up to date; where that cannot be done, reading says so. */
  constructor(path: string, waitMs: number | undefined, upgrade: () => Promise<void>) {
    this.#upgrade = upgrade;
    this.#path = path;
    this.#waitMs = waitMs;
  }

  async look<T>(work: (database: Queries) => Promise<T>): Promise<T> {
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
      if (await untilFree(() => isOlder(this.#path), this.#waitMs)) await this.#upgrade().catch(() => {});
      return await untilFree(() => openReader(this.#path), this.#waitMs);
    } catch (thrown) {
      throw describeFailure(thrown);
    }
  }

  #giveBack(database: Database, healthy: boolean): void {
    const idle = emptyDatabases.has(database) ? this.#idleEmpty : this.#idle;
    const reusable = healthy && !this.#closed && idle.length < KEPT;
    if (reusable) idle.push(database);
    else database.close();
  }
}

function isOlder(path: string): boolean {
  const database = new Database(path, { readOnly: true });
  try {
    const version = versionOf(database);
    return version > 0 && version < schemaVersion;
  } finally {
    database.close();
  }
}

function openReader(path: string): Database {
  const database = new Database(path, { readOnly: true });
  try {
    const version = versionOf(database);
    if (version === schemaVersion) return database;
    if (version !== 0) throw wrongSchema(version);
  } catch (thrown) {
    database.close();
    throw thrown;
  }
  database.close();
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
