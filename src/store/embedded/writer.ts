/**
 * The one connection that writes. Writers of one process queue here; those of different processes meet at SQLite's write lock
 * and wait for it without blocking the event loop. A write is one transaction over records and files (unsynced.ts, journal.ts),
 * whose versions go along (history-log.ts).
 */
import { join } from 'node:path';
import { CairnError } from '../../errors.ts';
import { exists, makeFolder, writeFileAtomically } from '../file.ts';
import { HOME_IGNORE } from '../home-ignore.ts';
import { recordsIn } from '../records/records.ts';
import type { AuditRecord, Change } from '../store.ts';
import { Database, Lease } from './database.ts';
import { matchingEvents } from './event-words.ts';
import { describeFailure, isFileFault, messageOf } from './failure.ts';
import { PlannedFiles, type ShelfFolders } from './files.ts';
import { recordVersions } from './history-log.ts';
import { type FileChange, finishPending, forgetPlaced, placeStaged, recordIntents, removeOrphans } from './journal.ts';
import { untilFree } from './lock.ts';
import { migrate, refuseNewer, schemaVersion, versionOf } from './schema.ts';
import { SyncQueue } from './sync-queue.ts';
import { forgetSynced, placedBy, recordUnsynced, settleUnsynced, syncBefore } from './unsynced.ts';

export interface WriterOptions {
  readonly home: string;
  readonly path: string;
  readonly folders: ShelfFolders;
  readonly waitMs: number | undefined;
  /** Whether versions of the files are kept. */
  readonly versions: boolean;
  readonly onProblem: (message: string) => void;
  /** After a transaction that left versions behind. */
  readonly onVersions: () => void;
}

export class Writer {
  readonly #options: WriterOptions;
  readonly #unsynced: SyncQueue;
  #database: Database | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  /** SQLite's mark of what other connections committed, as it was when everything of theirs had been looked at. */
  #seen: number | undefined;
  #tidied = false;
  #closed = false;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#unsynced = new SyncQueue((staged) => this.#forgetSynced(staged), options.onProblem);
  }

  write<T>(work: (change: Change) => Promise<T>): Promise<T> {
    return this.#inTurn(() => this.#transact(work));
  }

  /** Housekeeping of the engine's own: no fsync, for what is lost is done again, and no news for the other processes. */
  maintain<T>(work: (database: Database) => T | Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      if (this.#database === undefined && !(await exists(this.#options.path))) {
        throw new CairnError('store_unavailable', 'There is no store yet');
      }
      const database = await this.#open();
      database.exec('PRAGMA synchronous = NORMAL');
      try {
        await this.#begin(database);
        const result = await work(database);
        database.exec('COMMIT');
        return result;
      } catch (thrown) {
        if (database.inTransaction) database.exec('ROLLBACK');
        throw describeFailure(thrown);
      } finally {
        database.exec('PRAGMA synchronous = FULL');
      }
    });
  }

  /** Opening does it. */
  async upgrade(): Promise<void> {
    await this.#inTurn(() => this.#open());
  }

  /** Deleted rows are overwritten as they go; what a checkpoint has not reached yet is still in the log. */
  async scrub(): Promise<void> {
    await this.#unsynced.flush();
    await this.#inTurn(async () => {
      const database = await this.#open();
      await this.#untilFree(() => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#queue;
    await this.#unsynced.close();
    await this.#queue;
    this.#database?.close();
    this.#database = undefined;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(work);
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  async #transact<T>(work: (change: Change) => Promise<T>): Promise<T> {
    if (this.#closed) throw new CairnError('store_unavailable', 'The store is closed');
    const database = await this.#open();
    const lease = new Lease(database);
    const files = new PlannedFiles(this.#options.folders);
    const { audit, ...records } = recordsIn(lease, matchingEvents(lease));
    let said: AuditRecord | undefined;
    let result: T;
    let changes: readonly FileChange[];
    try {
      await this.#begin(database);
      await this.#finishOthers(database);
      await this.#tidy();
      result = await work({
        audit: {
          ...audit,
          append(record) {
            said = record;
            return audit.append(record);
          },
        },
        ...records,
        files,
      });
      lease.end();
      changes = await files.seal();
      if (this.#options.versions) await recordVersions(database, files.versions(), said);
      await this.#recordFiles(database, changes);
      grow(database);
      database.exec('COMMIT');
    } catch (thrown) {
      this.#seen = undefined;
      lease.end();
      if (database.inTransaction) database.exec('ROLLBACK');
      await files.abandon();
      throw describeFailure(thrown);
    }
    if (changes.length > 0) {
      await this.#putInPlace(database, changes);
      if (this.#options.versions) this.#options.onVersions();
    }
    return result;
  }

  async #recordFiles(database: Database, changes: readonly FileChange[]): Promise<void> {
    const { home } = this.#options;
    recordUnsynced(database, home, changes);
    const others = changes.filter(isJournalled);
    await syncBefore(database, home, others);
    recordIntents(database, home, others);
  }

  /** The decision is durable; now make it visible. */
  async #putInPlace(database: Database, changes: readonly FileChange[]): Promise<void> {
    try {
      await placeStaged(changes);
      this.#unsynced.add(placedBy(changes, this.#options.home), 'own');
      if (changes.some(isJournalled)) await this.#finishJournal(database, changes);
    } catch (thrown) {
      this.#seen = undefined;
      if (isFileFault(thrown)) {
        throw new CairnError(
          'store_unavailable',
          `The change is decided, but a file could not be put in place: ${messageOf(thrown)}`,
          { suggestion: 'Mend what the message names; the next write completes the change.' },
          { cause: thrown },
        );
      }
      this.#options.onProblem(`File intents stay recorded until the next write: ${messageOf(thrown)}`);
    }
  }

  async #finishJournal(database: Database, changes: readonly FileChange[]): Promise<void> {
    // No fsync for this commit: if it is lost, finishing again is harmless.
    database.exec('PRAGMA synchronous = NORMAL');
    try {
      await this.#begin(database);
      forgetPlaced(database, this.#options.home, changes);
      this.#seen = undefined;
      await this.#finishOthers(database);
      grow(database);
      database.exec('COMMIT');
    } finally {
      if (database.inTransaction) database.exec('ROLLBACK');
      database.exec('PRAGMA synchronous = FULL');
    }
  }

  async #finishOthers(database: Database): Promise<void> {
    const { home, folders, onProblem } = this.#options;
    const version = Number(database.get('PRAGMA data_version')?.data_version);
    if (version === this.#seen) return;
    const { placed, aside } = await settleUnsynced(database, home, folders, (staged) => this.#unsynced.knows(staged));
    this.#unsynced.add(placed, 'others');
    for (const path of [...aside, ...(await finishPending(database, home, folders))]) {
      onProblem(`A person changed a file during an interrupted write; the written text is in ${path}`);
    }
    this.#seen = version;
  }

  #forgetSynced(staged: readonly string[]): Promise<void> {
    return this.#inTurn(async () => {
      const database = await this.#open();
      await this.#begin(database);
      try {
        forgetSynced(database, staged);
        // With an fsync: a row that came back could take back what a person did since.
        database.exec('COMMIT');
      } finally {
        if (database.inTransaction) database.exec('ROLLBACK');
      }
    });
  }

  /** Once for every opened store: old leftovers in the shelves are no reason to refuse a write. */
  async #tidy(): Promise<void> {
    if (this.#tidied) return;
    this.#tidied = true;
    try {
      await removeOrphans(Object.values(this.#options.folders));
    } catch (thrown) {
      this.#options.onProblem(`Old temporary files could not be removed: ${messageOf(thrown)}`);
    }
  }

  async #begin(database: Database): Promise<void> {
    await this.#untilFree(() => database.exec('BEGIN IMMEDIATE'));
  }

  #untilFree<T>(attempt: () => T): Promise<T> {
    return untilFree(attempt, this.#options.waitMs);
  }

  async #open(): Promise<Database> {
    if (this.#database !== undefined) return this.#database;
    let database: Database | undefined;
    try {
      await makeFolder(this.#options.home);
      database = new Database(this.#options.path);
      await this.#prepare(database);
      const ignore = join(this.#options.home, '.gitignore');
      if (!(await exists(ignore))) await writeFileAtomically(ignore, HOME_IGNORE);
    } catch (thrown) {
      database?.close();
      throw describeFailure(thrown);
    }
    this.#database = database;
    return database;
  }

  async #prepare(database: Database): Promise<void> {
    // Before anything else: even the journal mode is a change to the file of a newer Cairn.
    await this.#untilFree(() => refuseNewer(database));
    await this.#untilFree(() =>
      database.exec(
        'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON',
      ),
    );
    if ((await this.#untilFree(() => versionOf(database))) === schemaVersion) return;
    await this.#begin(database);
    migrate(database);
    database.exec('COMMIT');
  }
}

function isJournalled({ bytes }: FileChange): boolean {
  return bytes === undefined;
}

function grow(database: Database): void {
  database.run("UPDATE counter SET value = value + 1 WHERE name = 'generation'");
}
