/**
 * Connections to one PostgreSQL server, for one catalog. Nothing is connected before the first question; a server that is away
 * is asked again by the next one.
 *
 * Writers of a catalog stand in line at one row, so that each sees what the one before it left, as with the embedded store;
 * writers of different catalogs never meet. A commit whose answer got lost is looked up, so that nobody is told a guess.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { CairnError } from '../../errors.ts';
import type { Rows } from '../rows.ts';
import type { StoreAddress } from './address.ts';
import { type Asker, all, openClient, openPool, type Pool, run } from './client.ts';
import { describeFailure, isAway, isMet } from './failure.ts';
import { prepareCatalog } from './migrations.ts';

export interface DatabaseOptions {
  readonly address: StoreAddress;
  /** A server that follows the first one, for reading. */
  readonly replica?: StoreAddress;
  readonly connections: number;
  readonly statementMs: number;
  /** How long a write waits for the writers before it. */
  readonly lockWaitMs: number;
}

interface Opened {
  readonly pool: Pool;
  readonly catalog: number;
}

const ATTEMPTS = 5;
const HELD_MS = 60_000;
const BEHIND_MS = 5000;

export class SharedDatabase {
  readonly #options: DatabaseOptions;
  #opening: Promise<Opened> | undefined;
  #reading: Pool | undefined;
  #wroteAt = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(options: DatabaseOptions) {
    this.#options = options;
  }

  get shown(): string {
    return this.#options.address.shown;
  }

  /** Each statement by itself. */
  readonly rows: Rows = {
    run: (sql, ...values) =>
      this.#again(async () => {
        const { pool } = await this.#open();
        this.#wroteAt = performance.now();
        return run(pool, sql, values);
      }),
    get: (sql, ...values) => this.#again(async () => (await all(await this.#reader(), sql, values))[0]),
    all: (sql, ...values) => this.#again(async () => all(await this.#reader(), sql, values)),
  };

  /** One snapshot. */
  look<T>(work: (rows: Rows) => Promise<T>): Promise<T> {
    return this.#again(async () => {
      const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
      return within(await this.#reader(), begin, (asker) => leased(asker, work));
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

  /** A connection that hears what is told on a channel. `lost` is called when it ends, whoever ended it. */
  async listen(channel: string, hear: (payload: string) => void, lost: () => void): Promise<() => Promise<void>> {
    const client = await openClient(this.#options.address.url, {}, lost);
    client.on('notification', ({ payload }) => hear(payload ?? ''));
    await client.query(`LISTEN ${channel}`);
    return () => client.end();
  }

  /** The number of the catalog; a name of its own for what is heard. */
  async catalog(): Promise<number> {
    return (await this.#open()).catalog;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const opened = await this.#opening?.catch(() => undefined);
    await this.#reading?.end();
    await opened?.pool.end();
  }

  async #transact<T>(line: string | undefined, durable: boolean, work: (rows: Rows) => Promise<T>): Promise<T> {
    return this.#again(async () => {
      const { pool } = await this.#open();
      this.#wroteAt = performance.now();
      // Known once the work is done and only the commit is left.
      let done: { id: string; result: T } | undefined;
      try {
        await within(pool, durable ? 'BEGIN' : 'BEGIN; SET LOCAL synchronous_commit = off', async (asker) => {
          if (line !== undefined) await stepInto(asker, line);
          const result = await leased(asker, work);
          const [row] = await all(asker, 'SELECT pg_current_xact_id()::text AS id');
          done = { id: String(row?.id), result };
        });
      } catch (thrown) {
        if (done === undefined || !isAway(thrown) || !(await this.#wasCommitted(done.id, thrown))) throw thrown;
      }
      if (done === undefined) throw new CairnError('internal_error', 'A transaction ended without a result');
      return done.result;
    });
  }

  /** The answer to a commit was lost with the connection: the server knows how it ended. */
  async #wasCommitted(id: string, lost: unknown): Promise<boolean> {
    for (let attempt = 0; attempt < 2 * ATTEMPTS; attempt++) {
      await delay(100 * 2 ** Math.min(attempt, 5));
      try {
        const [row] = await all((await this.#open()).pool, 'SELECT pg_xact_status(?::xid8) AS status', [id]);
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

  async #reader(): Promise<Pool> {
    const { pool, catalog } = await this.#open();
    // Whoever wrote sees what they wrote: a replica may be a moment behind.
    if (this.#options.replica === undefined || performance.now() - this.#wroteAt < BEHIND_MS) return pool;
    this.#reading ??= this.#connect(this.#options.replica, catalog);
    return this.#reading;
  }

  async #open(): Promise<Opened> {
    if (this.#closed) throw new CairnError('store_unavailable', 'The store is closed');
    this.#opening ??= this.#prepare().catch((thrown) => {
      this.#opening = undefined;
      throw thrown;
    });
    return this.#opening;
  }

  async #prepare(): Promise<Opened> {
    const { address } = this.#options;
    const client = await openClient(address.url, { search_path: SCHEMAS });
    try {
      const catalog = await prepareCatalog(client, address.catalog);
      return { pool: this.#connect(address, catalog), catalog };
    } finally {
      await client.end().catch(() => {});
    }
  }

  #connect(address: StoreAddress, catalog: number): Pool {
    const { connections, statementMs, lockWaitMs } = this.#options;
    return openPool(address.url, connections, {
      search_path: SCHEMAS,
      // Every view asks for it: a connection that lost it sees nothing, rather than everything.
      'cairn.catalog': catalog,
      statement_timeout: statementMs,
      lock_timeout: lockWaitMs,
      // A process that stopped in the middle must not hold up the others.
      idle_in_transaction_session_timeout: HELD_MS,
      // To compile a plan takes longer than any of ours runs.
      jit: 'off',
    });
  }
}

/** Some servers keep their extensions in a schema of that name. */
const SCHEMAS = 'cairn,public,extensions';

async function within<T>(pool: Pool, begin: string, work: (asker: Asker) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let failure: unknown;
  try {
    await client.query(begin);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (thrown) {
    failure = thrown;
    // What is gone needs no end; what cannot be ended must not be used again.
    if (!isAway(thrown))
      failure = await client.query('ROLLBACK').then(
        () => undefined,
        () => thrown,
      );
    throw thrown;
  } finally {
    client.release(failure !== undefined);
  }
}

async function stepInto(asker: Asker, line: string): Promise<void> {
  await all(asker, 'SELECT value FROM counter WHERE name = ? FOR UPDATE', [line]);
}

/**
 * The statements of one transaction, one after the other. Work that goes on after it has ended is refused instead of slipping into
 * the next one.
 */
async function leased<T>(asker: Asker, work: (rows: Rows) => Promise<T>): Promise<T> {
  let over = false;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <R>(statement: () => Promise<R>): Promise<R> => {
    const turn = last.then(() => {
      if (!over) return statement();
      throw new CairnError('internal_error', 'The transaction is over: its work went on after it had ended');
    });
    last = turn.catch(() => undefined);
    return turn;
  };
  try {
    return await work({
      run: (sql, ...values) => inTurn(() => run(asker, sql, values)),
      get: (sql, ...values) => inTurn(async () => (await all(asker, sql, values))[0]),
      all: (sql, ...values) => inTurn(() => all(asker, sql, values)),
    });
  } finally {
    over = true;
    // One may be under way that nobody waits for.
    await last;
  }
}
