/**
 * The one place that knows which SQLite is linked in. Wraps a connection with prepared-statement reuse and the
 * pragmas every connection needs; nothing above this folder sees SQL.
 */
import { createRequire } from 'node:module';
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { CairnError } from '../../errors.ts';
import type { Row, Value } from '../rows.ts';
import { storable } from '../text.ts';

export type { Row, Value };

export interface DatabaseOptions {
  readonly readOnly?: boolean;
  /** Told of damage that a statement meets. What it gives back is thrown instead. */
  readonly onDamage?: (thrown: unknown) => unknown;
}

export interface Queries {
  run(sql: string, ...values: Value[]): number;
  get(sql: string, ...values: Value[]): Row | undefined;
  all(sql: string, ...values: Value[]): Row[];
}

/** The function of SQL that `fitPaths` defines. */
export const PATH_FITS = 'path_fits';

export class Database implements Queries {
  readonly #connection: DatabaseSyncInstance;
  readonly #statements = new Map<string, StatementSyncInstance>();
  readonly #onDamage: ((thrown: unknown) => unknown) | undefined;
  #fits: ((path: string) => boolean) | undefined;

  constructor(path: string, options: DatabaseOptions = {}) {
    this.#onDamage = options.onDamage;
    // Loaded here, not at the top: the native binding costs milliseconds that a first `tools/list` must not pay.
    const { DatabaseSync } = createRequire(import.meta.url)(
      '@photostructure/sqlite',
    ) as typeof import('@photostructure/sqlite');
    this.#connection = new DatabaseSync(path, { readOnly: options.readOnly ?? false });
    // Waiting for a lock happens in our own asynchronous retry, never inside SQLite, where it would block the loop.
    this.#connection.exec('PRAGMA busy_timeout = 0');
  }

  exec(sql: string): void {
    this.#watched(() => this.#connection.exec(sql));
  }

  run(sql: string, ...values: Value[]): number {
    return this.#watched(() => Number(this.#prepare(sql).run(...values.map(bindable)).changes));
  }

  get(sql: string, ...values: Value[]): Row | undefined {
    return this.#watched(() => this.#prepare(sql).get(...values.map(bindable)) as Row | undefined);
  }

  all(sql: string, ...values: Value[]): Row[] {
    return this.#watched(() => this.#prepare(sql).all(...values.map(bindable)) as Row[]);
  }

  /** What `path_fits` says of a path in the statements that follow. */
  fitPaths(fits: ((path: string) => boolean) | undefined): void {
    if (fits === undefined) return;
    if (this.#fits === undefined)
      this.#connection.function(PATH_FITS, (path: unknown) => (this.#fits?.(String(path)) ? 1 : 0));
    this.#fits = fits;
  }

  get inTransaction(): boolean {
    return this.#connection.isTransaction;
  }

  close(): void {
    // A connection lives on until its statements are collected: a transaction that it was in would keep its lock so long.
    if (this.inTransaction) this.#rollBack();
    this.#statements.clear();
    this.#connection.close();
  }

  #rollBack(): void {
    try {
      this.#connection.exec('ROLLBACK');
    } catch {
      // What cannot even be undone is for whoever closes it because of that.
    }
  }

  #watched<T>(work: () => T): T {
    try {
      return work();
    } catch (thrown) {
      throw this.#onDamage !== undefined && isDamage(thrown) ? this.#onDamage(thrown) : thrown;
    }
  }

  #prepare(sql: string): StatementSyncInstance {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

function bindable(value: Value): Value {
  return typeof value === 'string' ? storable(value) : value;
}

/**
 * A connection for the length of one transaction. Work that goes on after its end, as the rest of a `Promise.all` does
 * when one of them fails, is refused instead of slipping into whatever transaction comes next.
 */
export class Lease implements Queries {
  #database: Database | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  run(sql: string, ...values: Value[]): number {
    return this.#held().run(sql, ...values);
  }

  get(sql: string, ...values: Value[]): Row | undefined {
    return this.#held().get(sql, ...values);
  }

  all(sql: string, ...values: Value[]): Row[] {
    return this.#held().all(sql, ...values);
  }

  end(): void {
    this.#database = undefined;
  }

  #held(): Database {
    if (this.#database === undefined) throw transactionOver();
    return this.#database;
  }
}

export function transactionOver(): CairnError {
  return new CairnError('internal_error', 'The transaction is over: its work went on after it had ended');
}

const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

/** The bytes of the file are not those of a sound database. */
export function isDamage(thrown: unknown): boolean {
  // Not every error of the binding carries its code.
  const said =
    thrown instanceof Error && /database disk image is malformed|file is not a database/.test(thrown.message);
  return said || [SQLITE_CORRUPT, SQLITE_NOTADB].includes(plainCode(thrown));
}

const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;

/** Another connection holds the lock: wait and try again. */
export function isBusy(thrown: unknown): boolean {
  return [SQLITE_BUSY, SQLITE_LOCKED].includes(plainCode(thrown));
}

/** Extended result codes keep the plain one in the low byte. */
function plainCode(thrown: unknown): number {
  return Number((thrown as { errcode?: unknown } | undefined)?.errcode ?? 0) & 0xff;
}
