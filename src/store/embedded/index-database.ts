/**
 * index.db: what is derived from the files that people edit. Deleting it loses nothing: it is built again from them. So its
 * commits need no fsync, and a schema that does not fit is dropped rather than migrated. Each kind of file has its own
 * tables; they share the connections and the file.
 */
import { access, constants, lstat, rm } from 'node:fs/promises';
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
  /** Somebody met damage in the file: it goes before it is used again. */
  #damaged = false;
  /** The file that is open, whatever lies at its path by now. */
  #opened: number | undefined;

  constructor(home: string, waitMs: number | undefined) {
    this.home = home;
    this.#path = join(home, 'index.db');
    this.#waitMs = waitMs;
  }

  /** `undefined` where nothing is indexed yet. */
  async reader(): Promise<Database | undefined> {
    // A connection that writes has the pages it wrote; another one would read them all again after every commit.
    if (this.#damaged) await this.#inTurn(() => this.#discard());
    if (this.#writer !== undefined) return this.#writer;
    if (this.#reader !== undefined) return this.#reader;
    if (!(await isPlainFile(this.#path))) return undefined;
    const database = this.#open({ readOnly: true });
    try {
      if ((await untilFree(() => schemaOf(database), this.#waitMs)) === SCHEMA) {
        this.#opened = await inodeOf(this.#path);
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
    return this.#inTurn(() => this.#transact(work));
  }

  scrub(): Promise<void> {
    return this.#inTurn(async () => {
      const database = await this.#openWriter();
      // A full-text index only marks what was deleted; its words go when it is written anew.
      await untilFree(
        () => database.exec("INSERT INTO decision_words (decision_words) VALUES ('optimize')"),
        this.#waitMs,
      );
      await untilFree(() => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'), this.#waitMs);
    });
  }

  async close(): Promise<void> {
    await this.#queue;
    this.#letGo();
  }

  #letGo(): void {
    for (const database of new Set([this.#reader, this.#writer])) database?.close();
    this.#reader = undefined;
    this.#writer = undefined;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(work);
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  #open(options: { readOnly?: boolean } = {}): Database {
    return new Database(this.#path, { ...options, onDamage: (thrown) => this.#meetDamage(thrown) });
  }

  #meetDamage(thrown: unknown): CairnError {
    this.#damaged = true;
    return new CairnError(
      'store_unavailable',
      'index.db is damaged',
      { suggestion: 'Nothing is lost: it is built again from the files. Send the call again.' },
      { cause: thrown },
    );
  }

  /** Unless another process was faster, and what lies there now is a new one. */
  async #discard(): Promise<void> {
    if (!this.#damaged) return;
    this.#damaged = false;
    const ours = this.#opened;
    this.#letGo();
    const there = await inodeOf(this.#path);
    if (there !== undefined && (ours === undefined || there === ours)) await this.#remove();
  }

  async #remove(): Promise<void> {
    for (const suffix of ['', '-wal', '-shm']) await rm(`${this.#path}${suffix}`, { force: true });
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
    if (this.#damaged) await this.#discard();
    if (this.#writer !== undefined) return this.#writer;
    try {
      // A home is made by the first write of something; an index alone is not worth one.
      if (await exists(this.home)) this.#writer = await this.#prepareFile();
    } catch (thrown) {
      // In memory only where nothing may be written: other processes answer from the file, and must not miss what came after it.
      if (thrown instanceof CairnError || (await this.#mayWrite())) throw thrown;
    }
    if (this.#writer === undefined) {
      this.#writer = new Database(':memory:');
      makeTables(this.#writer);
      this.#reader = this.#writer;
    }
    return this.#writer;
  }

  async #mayWrite(): Promise<boolean> {
    try {
      await access(this.home, constants.W_OK);
      if (!(await exists(this.#path))) return true;
      await access(this.#path, constants.R_OK | constants.W_OK);
      return (await lstat(this.#path)).isFile();
    } catch {
      return false;
    }
  }

  async #prepareFile(): Promise<Database> {
    let database = this.#open();
    try {
      const schema = await untilFree(() => schemaOf(database), this.#waitMs);
      if (schema !== SCHEMA && schema !== 0) throw new Error(`index.db has schema ${schema}`);
    } catch (thrown) {
      database.close();
      if (thrown instanceof CairnError && !this.#damaged) throw thrown;
      this.#damaged = false;
      // Derived data that cannot be read is not worth mending.
      await this.#remove();
      database = this.#open();
    }
    try {
      await untilFree(
        () => database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA secure_delete = ON'),
        this.#waitMs,
      );
      await untilFree(() => database.exec('BEGIN IMMEDIATE'), this.#waitMs);
      if (schemaOf(database) === 0) makeTables(database);
      database.exec('COMMIT');
      this.#opened = await inodeOf(this.#path);
      return database;
    } catch (thrown) {
      database.close();
      throw thrown;
    }
  }
}

/** A folder or a device of that name is nothing to open, and nothing to remove. */
async function isPlainFile(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isFile() ?? false;
}

async function inodeOf(path: string): Promise<number | undefined> {
  return (await lstat(path).catch(() => undefined))?.ino;
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
