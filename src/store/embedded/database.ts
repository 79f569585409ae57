/**
 * The one place that knows which SQLite is linked in. Wraps a connection with prepared-statement reuse and the
 * pragmas every connection needs; nothing above this folder sees SQL.
 */
import { createRequire } from 'node:module';
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';

export type Value = string | number | bigint | null | Uint8Array;
export type Row = Record<string, Value>;

export interface DatabaseOptions {
  readonly readOnly?: boolean;
}

export class Database {
  readonly #connection: DatabaseSyncInstance;
  readonly #statements = new Map<string, StatementSyncInstance>();

  constructor(path: string, options: DatabaseOptions = {}) {
    // Loaded here, not at the top: the native binding costs milliseconds that a first `tools/list` must not pay.
    const { DatabaseSync } = createRequire(import.meta.url)(
      '@photostructure/sqlite',
    ) as typeof import('@photostructure/sqlite');
    this.#connection = new DatabaseSync(path, { readOnly: options.readOnly ?? false });
    // Waiting for a lock happens in our own asynchronous retry, never inside SQLite, where it would block the loop.
    this.#connection.exec('PRAGMA busy_timeout = 0');
  }

  exec(sql: string): void {
    this.#connection.exec(sql);
  }

  run(sql: string, ...values: Value[]): number {
    return Number(this.#prepare(sql).run(...values).changes);
  }

  get(sql: string, ...values: Value[]): Row | undefined {
    return this.#prepare(sql).get(...values) as Row | undefined;
  }

  all(sql: string, ...values: Value[]): Row[] {
    return this.#prepare(sql).all(...values) as Row[];
  }

  get inTransaction(): boolean {
    return this.#connection.isTransaction;
  }

  close(): void {
    this.#statements.clear();
    this.#connection.close();
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

const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;

/** Another connection holds the lock: wait and try again. Extended result codes keep the plain one in the low byte. */
export function isBusy(thrown: unknown): boolean {
  const plain = Number((thrown as { errcode?: unknown } | undefined)?.errcode ?? 0) & 0xff;
  return plain === SQLITE_BUSY || plain === SQLITE_LOCKED;
}
