/** Hands waiting versions to git, a moment after the writes, and answers questions about old versions from both. */
import { setTimeout as delay } from 'node:timers/promises';
import { CairnError, toCairnError } from '../../errors.ts';
import { GitHistory, type HistoryEntry } from '../history.ts';
import type { FileVersion, History, HistoryState, Shelf } from '../store.ts';
import type { Database, Queries } from './database.ts';
import { historyPath } from './files.ts';
import {
  countWaiting,
  dropBeyond,
  dropPath,
  dropUpTo,
  renumberAbove,
  returnLease,
  takeLease,
  waiting,
  waitingFor,
} from './history-log.ts';

const DELAY_MS = 1000;
const RETRY_MS = 60_000;
const LEASE_MS = 60_000;
const BATCH = 500;
const MOST_WAITING = 20_000;
/** A one-shot command does not wait for git for the sake of a few. */
const WORTH_WAITING = 20;
const CLOSE_MS = 700;

export interface Transactions {
  look<T>(work: (database: Queries) => T): Promise<T>;
  /** Not fsynced: whatever is lost is done again. */
  maintain<T>(work: (database: Database) => T | Promise<T>): Promise<T>;
}

export class HistoryKeeper implements History {
  readonly #transactions: Transactions;
  readonly #git: GitHistory;
  readonly #onProblem: (message: string) => void;
  #timer: NodeJS.Timeout | undefined;
  #settling: Promise<void> | undefined;
  #problem: string | undefined;
  #closed = false;

  constructor(folder: string, transactions: Transactions, onProblem: (message: string) => void) {
    this.#git = new GitHistory(folder);
    this.#transactions = transactions;
    this.#onProblem = onProblem;
  }

  /** After a write that left versions to hand over. */
  schedule(delay = this.#problem === undefined ? DELAY_MS : RETRY_MS): void {
    if (this.#closed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.settle();
    }, delay).unref();
  }

  /** Hands over what waits, unless another process is at it. Never fails: what cannot be done is said by `state`. */
  settle(): Promise<void> {
    this.#settling ??= this.#settle()
      .then(
        () => this.#well(),
        (thrown) => this.#unwell(toCairnError(thrown)),
      )
      .finally(() => {
        this.#settling = undefined;
      });
    return this.#settling;
  }

  async versions(shelf: Shelf, name: string, limit: number): Promise<FileVersion[]> {
    const path = historyPath(shelf, name);
    const own = await this.#transactions.look((database) => waitingFor(database, path));
    const committed = await this.#git.versions(path, limit).catch((thrown) => {
      if (own.length > 0) return [];
      throw thrown;
    });
    return [...own.map(toVersion), ...committed].slice(0, limit);
  }

  async text(shelf: Shelf, name: string, version: string): Promise<string | undefined> {
    const path = historyPath(shelf, name);
    const seq = /^waiting-(\d+)$/.exec(version)?.[1];
    if (seq === undefined) return this.#git.text(path, version);
    const own = await this.#transactions.look((database) => waitingFor(database, path));
    return own.find((entry) => entry.seq === Number(seq))?.files[0]?.text ?? undefined;
  }

  async forget(shelf: Shelf, names: readonly string[]): Promise<void> {
    const paths = names.map((name) => historyPath(shelf, name));
    await this.settle();
    await this.#alone(async () => {
      await this.#transactions.maintain((database) => {
        for (const path of paths) dropPath(database, path);
      });
      await this.#git.forget(paths);
    });
  }

  async state(): Promise<HistoryState> {
    const pending = await this.#transactions.look(countWaiting);
    const { git, healthy, problem, commits } = await this.#git.status();
    const told = this.#problem ?? problem;
    return {
      keeper: 'git',
      ...(git !== undefined && { git }),
      healthy: healthy && this.#problem === undefined,
      waiting: pending,
      ...(commits !== undefined && { commits }),
      ...(told !== undefined && { problem: told }),
    };
  }

  /** Before the store closes: a server hands over what it has, within a moment. */
  async close(): Promise<void> {
    const due = this.#timer !== undefined || this.#settling !== undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#closed = true;
    if (!due) return;
    const worth = await this.#transactions.look(countWaiting).catch(() => 0);
    if (worth < WORTH_WAITING && process.uptime() < 5) return;
    const deadline = new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref());
    await Promise.race([this.settle(), deadline]);
  }

  async #settle(): Promise<void> {
    while ((await this.#transactions.look(countWaiting)) > 0) {
      const now = Date.now();
      if (!(await this.#transactions.maintain((database) => takeLease(database, now, now + LEASE_MS)))) return;
      try {
        await this.#handOver();
      } finally {
        await this.#transactions.maintain(returnLease);
      }
    }
    await this.#git.tidy();
  }

  /** While nobody hands anything over: a batch under way could bring back what is being removed. */
  async #alone(work: () => Promise<void>): Promise<void> {
    for (const deadline = performance.now() + LEASE_MS; ; await delay(100)) {
      const now = Date.now();
      if (await this.#transactions.maintain((database) => takeLease(database, now, now + LEASE_MS))) break;
      if (performance.now() > deadline)
        throw new CairnError('store_unavailable', 'Another process is writing the history');
    }
    try {
      await work();
    } finally {
      await this.#transactions.maintain(returnLease);
    }
  }

  async #handOver(): Promise<void> {
    const entries = await this.#transactions.look((database) => waiting(database, BATCH));
    const last = entries.at(-1);
    if (last === undefined) return;
    const reached = await this.#git.commit(entries);
    await this.#transactions.maintain((database) => {
      if (reached > last.seq) renumberAbove(database, reached);
      else dropUpTo(database, reached);
    });
  }

  #well(): void {
    this.#problem = undefined;
  }

  async #unwell(failure: CairnError): Promise<void> {
    if (this.#problem !== failure.message) this.#onProblem(`Not committed to the history yet: ${failure.message}`);
    this.#problem = failure.message;
    const dropped = await this.#transactions.maintain((database) => dropBeyond(database, MOST_WAITING)).catch(() => 0);
    if (dropped > 0) this.#onProblem(`${dropped} old versions were let go: the history could not take them`);
    this.schedule();
  }
}

function toVersion({ seq, time, author, message, files }: HistoryEntry): FileVersion {
  return { commit: `waiting-${seq}`, time, author, message, removed: files[0]?.text === null };
}
