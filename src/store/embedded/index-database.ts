/**
 * index.db: what is derived from the files that people edit. Deleting it loses nothing: it is built again from them. So its
 * commits need no fsync, and a schema that does not fit is dropped rather than migrated. Each kind of file has its own
 * tables; they share the connections and the file.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CairnError } from '../../errors.ts';
import { exists } from '../file.ts';
import { Database } from './database.ts';
import { decisionTables } from './decision-index.ts';
import { documentIndexTables } from './document-index.ts';
import { describeFailure } from './failure.ts';
import { graphTables } from './graph-tables.ts';
import { instructionTables } from './instruction-index.ts';
import { untilFree } from './lock.ts';
import { mentionTables } from './mentions.ts';
import { vectorTables } from './vectors.ts';

const SCHEMA = 14;

export class IndexDatabase {
  readonly home: string;
  readonly #path: string;
  readonly #waitMs: number | undefined;
  #writer: Database | undefined;
  #reader: Database | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(home: string, waitMs: number | undefined) {
    this.home = home;
    this.#path = join(home, 'index.db');
    this.#waitMs = waitMs;
  }

  /** `undefined` where nothing is indexed yet. */
  async reader(): Promise<Database | undefined> {
    // A connection that writes has the pages it wrote; another one would read them all again after every commit.
    if (this.#writer !== undefined) return this.#writer;
    if (this.#reader !== undefined) return this.#reader;
    if (!(await exists(this.#path))) return undefined;
    const database = new Database(this.#path, { readOnly: true });
    try {
      if ((await untilFree(() => schemaOf(database), this.#waitMs)) === SCHEMA) {
        this.#reader = database;
        return database;
      }
    } catch {
      // Damaged or half made: the next update makes it anew.
    }
    database.close();
    return undefined;
  }

  /** One transaction at a time. */
  write<T>(work: (database: Database) => T): Promise<T> {
    const turn = this.#queue.then(() => this.#transact(work));
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  scrub(): Promise<void> {
    const turn = this.#queue.then(async () => {
      const database = await this.#openWriter();
      // A full-text index only marks what was deleted; its words go when it is written anew.
      await untilFree(
        () => database.exec("INSERT INTO decision_words (decision_words) VALUES ('optimize')"),
        this.#waitMs,
      );
      await untilFree(() => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'), this.#waitMs);
    });
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  async close(): Promise<void> {
    await this.#queue;
    for (const database of new Set([this.#reader, this.#writer])) database?.close();
    this.#reader = undefined;
    this.#writer = undefined;
  }

  async #transact<T>(work: (database: Database) => T): Promise<T> {
    try {
      const database = await this.#openWriter();
      await untilFree(() => database.exec('BEGIN IMMEDIATE'), this.#waitMs);
      try {
        const result = work(database);
        database.exec('COMMIT');
        return result;
      } catch (thrown) {
        if (database.inTransaction) database.exec('ROLLBACK');
        throw thrown;
      }
    } catch (thrown) {
      throw describeFailure(thrown);
    }
  }

  async #openWriter(): Promise<Database> {
    if (this.#writer !== undefined) return this.#writer;
    try {
      // A home is made by the first write of something; an index alone is not worth one.
      if (await exists(this.home)) this.#writer = await this.#prepareFile();
    } catch (thrown) {
      if (thrown instanceof CairnError) throw thrown;
    }
    if (this.#writer === undefined) {
      this.#writer = new Database(':memory:');
      makeTables(this.#writer);
      this.#reader = this.#writer;
    }
    return this.#writer;
  }

  async #prepareFile(): Promise<Database> {
    let database = new Database(this.#path);
    try {
      const schema = await untilFree(() => schemaOf(database), this.#waitMs);
      if (schema !== SCHEMA && schema !== 0) throw new Error(`index.db has schema ${schema}`);
    } catch (thrown) {
      database.close();
      if (thrown instanceof CairnError) throw thrown;
      // Derived data that cannot be read is not worth mending.
      for (const suffix of ['', '-wal', '-shm']) await rm(`${this.#path}${suffix}`, { force: true });
      database = new Database(this.#path);
    }
    await untilFree(
      () => database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA secure_delete = ON'),
      this.#waitMs,
    );
    await untilFree(() => database.exec('BEGIN IMMEDIATE'), this.#waitMs);
    if (schemaOf(database) === 0) makeTables(database);
    database.exec('COMMIT');
    return database;
  }
}

function makeTables(database: Database): void {
  database.exec(instructionTables);
  database.exec(decisionTables);
  database.exec(vectorTables);
  database.exec(documentIndexTables);
  database.exec(graphTables);
  database.exec(mentionTables);
  database.exec(`PRAGMA user_version = ${SCHEMA}`);
}

function schemaOf(database: Database): number {
  return Number(database.get('PRAGMA user_version')?.user_version ?? 0);
}
