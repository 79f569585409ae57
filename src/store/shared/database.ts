/**
 * Connections to one PostgreSQL server, for one catalog. Nothing is connected before the first question; a server that is away
 * is asked again by the next one.
 *
 * Writers of a catalog stand in line at one row, so that each sees what the one before it left, as with the embedded store;
 * writers of different catalogs never meet. A commit whose answer got lost is looked up, so that nobody is told a guess.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { CairnError } from '../../errors.ts';
import type { Row, Rows, Value } from '../rows.ts';
import { storable } from '../text.ts';
import type { StoreAddress } from './address.ts';
import { type Asker, connect, type Sql } from './client.ts';
import { describeFailure, isAway, isMet } from './failure.ts';
import { prepareCatalog } from './migrations.ts';
import { translated } from './sql.ts';

export interface DatabaseOptions {
  readonly address: StoreAddress;
  /** Other servers that hold the same, for reading. */
  readonly replica?: StoreAddress;
  readonly connections: number;
  readonly statementMs: number;
  /** How long a write waits for the writers before it. */
  readonly lockWaitMs: number;
}

const ATTEMPTS = 5;
const HELD_MS = 60_000;

export class SharedDatabase {
  readonly #options: DatabaseOptions;
  #opening: Promise<{ sql: Sql; catalog: number }> | undefined;
  #reading: Sql | undefined;
  #closed = false;

  constructor(options: DatabaseOptions) {
    this.#options = options;
  }

  get shown(): string {
    return this.#options.address.shown;
  }

  /** Each statement by itself. */
  readonly rows: Rows = {
    run: (sql, ...values) => this.#once((asker) => runIn(asker, sql, values)),
    get: (sql, ...values) => this.#once(async (asker) => (await allIn(asker, sql, values))[0]),
    all: (sql, ...values) => this.#once((asker) => allIn(asker, sql, values)),
  };

  /** One snapshot. */
  look<T>(work: (rows: Rows) => Promise<T>): Promise<T> {
    return this.#again(async () => {
      const sql = await this.#reader();
      return (await sql.begin('ISOLATION LEVEL REPEATABLE READ READ ONLY', (asker) => leased(asker, work))) as T;
    });
  }

  /** A change of what is true: one writer of the catalog at a time, durable when it resolves. */
  write<T>(work: (rows: Rows) => Promise<T>): Promise<T> {
    return this.#transact('generation', true, async (rows) => {
      const result = await work(rows);
      await rows.run("UPDATE counter SET value = value + 1 WHERE name = 'generation'");
      return result;
    });
  }

  /** A change of what is derived: in line as well, and not worth waiting for the disk. */
  derive<T>(work: (rows: Rows) => Promise<T>): Promise<T> {
    return this.#transact('derived', false, work);
  }

  /** Housekeeping that needs no line: each of its statements is whole by itself. */
  maintain<T>(work: (rows: Rows) => Promise<T>): Promise<T> {
    return this.#transact(undefined, true, work);
  }

  async listen(channel: string, hear: (payload: string) => void): Promise<void> {
    const { sql } = await this.#open();
    await sql.listen(channel, hear);
  }

  /** The number of the catalog; a name of its own for what is heard. */
  async catalog(): Promise<number> {
    return (await this.#open()).catalog;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const opened = await this.#opening?.catch(() => undefined);
    await this.#reading?.end({ timeout: 5 });
    await opened?.sql.end({ timeout: 5 });
  }

  async #transact<T>(line: string | undefined, durable: boolean, work: (rows: Rows) => Promise<T>): Promise<T> {
    return this.#again(async () => {
      const { sql } = await this.#open();
      // Known once the work is done and only the commit is left.
      let transaction: { id: string; result: T } | undefined;
      try {
        await sql.begin(async (asker) => {
          if (!durable) await asker.unsafe('SET LOCAL synchronous_commit = off');
          if (line !== undefined) await stepInto(asker, line);
          const result = await leased(asker, work);
          const [row] = await allIn(asker, 'SELECT pg_current_xact_id()::text AS id', []);
          transaction = { id: String(row?.id), result };
        });
      } catch (thrown) {
        if (transaction === undefined || !isAway(thrown)) throw thrown;
        if (!(await this.#wasCommitted(transaction.id, thrown))) throw thrown;
      }
      if (transaction === undefined) throw new CairnError('internal_error', 'A transaction ended without a result');
      return transaction.result;
    });
  }

  /** The answer to a commit was lost with the connection: the server knows how it ended. */
  async #wasCommitted(id: string, lost: unknown): Promise<boolean> {
    for (let attempt = 0; attempt < 2 * ATTEMPTS; attempt++) {
      await delay(100 * 2 ** Math.min(attempt, 5));
      try {
        const { sql } = await this.#open();
        const [row] = await allIn(sql, 'SELECT pg_xact_status(?::xid8) AS status', [id]);
        if (row?.status === 'committed') return true;
        if (row?.status === 'aborted') return false;
      } catch (thrown) {
        if (!isAway(thrown)) throw thrown;
      }
    }
    throw new CairnError(
      'store_unavailable',
      'The database went away during the commit: it is not known whether the change was made',
      { suggestion: 'Look at the record once the database is back, before you do it again.' },
      { cause: lost },
    );
  }

  #once<T>(work: (asker: Asker) => Promise<T>): Promise<T> {
    return this.#again(async () => work((await this.#open()).sql));
  }

  /**
   * What met another transaction is done again, and so is what found a connection closed: nothing of it is there. Work is
   * written so that it may be done again; what cannot be undone happens after it.
   */
  async #again<T>(attempt: () => Promise<T>): Promise<T> {
    for (let count = 1; ; count++) {
      try {
        return await attempt();
      } catch (thrown) {
        const again = isMet(thrown) ? count < ATTEMPTS : isAway(thrown) && count < 2;
        if (!again || this.#closed) throw describeFailure(thrown);
        await delay(20 * 2 ** count * Math.random());
      }
    }
  }

  async #reader(): Promise<Sql> {
    const { sql, catalog } = await this.#open();
    if (this.#options.replica === undefined) return sql;
    this.#reading ??= this.#connect(this.#options.replica, catalog);
    return this.#reading;
  }

  #open(): Promise<{ sql: Sql; catalog: number }> {
    if (this.#closed) throw new CairnError('store_unavailable', 'The store is closed');
    this.#opening ??= this.#prepare().catch((thrown) => {
      this.#opening = undefined;
      throw thrown;
    });
    return this.#opening;
  }

  async #prepare(): Promise<{ sql: Sql; catalog: number }> {
    const { address } = this.#options;
    const first = connect(address.url, 1);
    try {
      const catalog = await prepareCatalog(first, address.catalog);
      return { sql: this.#connect(address, catalog), catalog };
    } finally {
      await first.end({ timeout: 5 });
    }
  }

  #connect(address: StoreAddress, catalog: number): Sql {
    const { connections, statementMs, lockWaitMs } = this.#options;
    return connect(address.url, connections, {
      application_name: 'cairn',
      search_path: 'cairn, public',
      // Every view asks for it: a connection that lost it sees nothing, rather than everything.
      'cairn.catalog': String(catalog),
      statement_timeout: statementMs,
      lock_timeout: lockWaitMs,
      // A process that stopped in the middle must not hold up the others.
      idle_in_transaction_session_timeout: HELD_MS,
    });
  }
}

async function stepInto(asker: Asker, line: string): Promise<void> {
  await allIn(asker, 'SELECT value FROM counter WHERE name = ? FOR UPDATE', [line]);
}

/** Work that goes on after the transaction has ended is refused instead of slipping into the next one. */
async function leased<T>(asker: Asker, work: (rows: Rows) => Promise<T>): Promise<T> {
  let over = false;
  const held = () => {
    if (over) {
      throw new CairnError('internal_error', 'The transaction is over: its work went on after it had ended');
    }
    return asker;
  };
  try {
    return await work({
      run: async (sql, ...values) => runIn(held(), sql, values),
      get: async (sql, ...values) => (await allIn(held(), sql, values))[0],
      all: async (sql, ...values) => allIn(held(), sql, values),
    });
  } finally {
    over = true;
  }
}

async function runIn(asker: Asker, sql: string, values: readonly Value[]): Promise<number> {
  return (await ask(asker, sql, values)).count;
}

async function allIn(asker: Asker, sql: string, values: readonly Value[]): Promise<Row[]> {
  return [...(await ask(asker, sql, values))];
}

function ask(asker: Asker, sql: string, values: readonly Value[]) {
  const given = values.map((value) => (typeof value === 'string' ? storable(value) : value));
  return asker.unsafe<Row[]>(translated(sql), given as never[], { prepare: true });
}
