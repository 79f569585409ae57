/**
 * Rows of a database as the records ask for them: the same SQL for both engines, with `?` for the values. SQLite answers at
 * once, PostgreSQL later; whoever asks awaits both.
 */

export type Value = string | number | bigint | null | Uint8Array;
export type Row = Record<string, Value>;

type Soon<T> = T | Promise<T>;

export interface Rows {
  /** How many rows it changed. */
  run(sql: string, ...values: Value[]): Soon<number>;
  get(sql: string, ...values: Value[]): Soon<Row | undefined>;
  all(sql: string, ...values: Value[]): Soon<Row[]>;
}

/** A transaction of the engine's own housekeeping: whatever a loss of power undoes is done again. */
export type Maintain = <T>(work: (rows: Rows) => Promise<T>) => Promise<T>;
