/** objects.db: its connections and its tables. Readers never create it; writers queue. */

import { join } from 'node:path';
import { CairnError } from '../../../errors.ts';
import { exists, makeFolder } from '../../file.ts';
import { Database, type Queries } from '../database.ts';
import { describeFailure } from '../failure.ts';
import { untilFree } from '../lock.ts';

const SCHEMA = 1;

/**
 * The bytes of a chunk stand apart from what is said of it: to touch a chunk is then to write a small row, and the bodies
 * of one content lie one after the other. The seal of a content is the hash of its hash and manifest.
 */
const TABLES = `
  CREATE TABLE chunk (
    hash BLOB PRIMARY KEY, body INTEGER NOT NULL, codec INTEGER NOT NULL, size INTEGER NOT NULL, stored INTEGER NOT NULL,
    created INTEGER NOT NULL, damaged INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
  CREATE TABLE body (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
  CREATE TABLE content (
    hash BLOB PRIMARY KEY, size INTEGER NOT NULL, created INTEGER NOT NULL, seal TEXT NOT NULL, manifest BLOB NOT NULL);
  CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
  INSERT INTO counter VALUES ('collections', 0);
  PRAGMA user_version = ${SCHEMA}`;

/** The connections: one that reads until something is written, then one for both. */
export class ObjectFile {
  readonly #home: string;
  readonly #path: string;
  readonly #waitMs: number | undefined;
  #writer: Database | undefined;
  #reader: Database | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #closed = false;
  /** As the connection that writes is set now. */
  #durability: 'durably' | 'soon' | undefined;

  constructor(home: string, waitMs: number | undefined) {
    this.#home = home;
    this.#path = join(home, 'objects.db');
    this.#waitMs = waitMs;
  }

  /** `absent` where nothing is stored yet. */
  async look<T>(work: (database: Queries) => T, absent: T): Promise<T> {
    try {
      const database = await this.#connection();
      return database === undefined ? absent : await untilFree(() => work(database), this.#waitMs);
    } catch (thrown) {
      throw describeFailure(thrown);
    }
  }

  /**
   * One transaction; those of this process come one after the other. Without an fsync a commit is still whole, and the next
   * one that is durable makes it so too.
   */
  write<T>(durability: 'durably' | 'soon', work: (database: Queries) => T): Promise<T> {
    const turn = this.#queue.then(() => this.#transact(durability, work));
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#queue;
    for (const database of [this.#reader, this.#writer]) database?.close();
    this.#reader = undefined;
    this.#writer = undefined;
  }

  async #transact<T>(durability: 'durably' | 'soon', work: (database: Queries) => T): Promise<T> {
    try {
      const database = await this.#openWriter();
      if (durability !== this.#durability) {
        database.exec(`PRAGMA synchronous = ${durability === 'durably' ? 'FULL' : 'NORMAL'}`);
        this.#durability = durability;
      }
      return await untilFree(() => transact(database, () => work(database)), this.#waitMs);
    } catch (thrown) {
      throw describeFailure(thrown);
    }
  }

  async #connection(): Promise<Database | undefined> {
    if (this.#closed) throw closedStore();
    if (this.#writer === undefined && this.#reader === undefined && (await exists(this.#path)))
      await this.#openReader();
    return this.#writer ?? this.#reader;
  }

  async #openReader(): Promise<void> {
    const database = new Database(this.#path, { readOnly: true });
    try {
      const schema = await untilFree(() => knownSchema(database), this.#waitMs);
      // What another process is just making has no tables yet; and another call may have opened one while we waited.
      if (schema === 0 || this.#closed || this.#reader !== undefined) database.close();
      else this.#reader = database;
    } catch (thrown) {
      database.close();
      throw thrown;
    }
  }

  async #openWriter(): Promise<Database> {
    if (this.#writer !== undefined) return this.#writer;
    if (this.#closed) throw closedStore();
    await makeFolder(this.#home);
    const database = new Database(this.#path);
    try {
      // Before anything else: even the journal mode is a change to the file of a newer Cairn.
      const schema = await untilFree(() => knownSchema(database), this.#waitMs);
      await untilFree(() => database.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL'), this.#waitMs);
      if (schema === 0) await untilFree(() => transact(database, () => makeTables(database)), this.#waitMs);
      // To know of damage without a look at every chunk.
      const marked = 'CREATE INDEX IF NOT EXISTS chunk_damaged ON chunk (damaged) WHERE damaged = 1';
      await untilFree(() => database.exec(marked), this.#waitMs);
    } catch (thrown) {
      database.close();
      throw thrown;
    }
    this.#writer = database;
    return database;
  }
}

function transact<T>(database: Database, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (thrown) {
    if (database.inTransaction) database.exec('ROLLBACK');
    throw thrown;
  }
}

function makeTables(database: Database): void {
  // Another process may have made them while we waited for the lock.
  if (knownSchema(database) === 0) database.exec(TABLES);
}

function knownSchema(database: Queries): number {
  const schema = Number(database.get('PRAGMA user_version')?.user_version ?? 0);
  if (schema <= SCHEMA) return schema;
  throw new CairnError(
    'store_unavailable',
    `objects.db was written by a newer Cairn (schema ${schema}, this one knows ${SCHEMA})`,
    { suggestion: 'Update Cairn, or point CAIRN_HOME at another home. Nothing was changed.' },
  );
}

function closedStore(): CairnError {
  return new CairnError('store_unavailable', 'The store is closed');
}
