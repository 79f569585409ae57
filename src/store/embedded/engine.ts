/**
 * The embedded engine: state.db in WAL mode and plain files, shared by any number of processes. Nothing is opened
 * before the first read or write, and only a write creates the home. Writers of one process queue here; writers of
 * different processes meet at SQLite's write lock and wait for it without blocking the event loop.
 */
import { join, resolve } from 'node:path';
import { CairnError } from '../../errors.ts';
import { exists, makeFolder, writeFileAtomically } from '../file.ts';
import type { AuditRecord, Change, FileShelf, Shelf, Store, StoreReport, View } from '../store.ts';
import { auditIn } from './audit.ts';
import { Database, Lease, type Queries } from './database.ts';
import { EmbeddedDecisionIndex } from './decision-index.ts';
import { eventsIn } from './events.ts';
import { describeFailure, isFileFault, messageOf } from './failure.ts';
import { feedbackIn } from './feedback.ts';
import { PlannedFiles, type ShelfFolders, shelfIn } from './files.ts';
import { HistoryKeeper } from './history-keeper.ts';
import { recordVersions } from './history-log.ts';
import { IndexDatabase } from './index-database.ts';
import { inspectHome } from './inspect.ts';
import { EmbeddedInstructionIndex } from './instruction-index.ts';
import { type FileChange, finishPending, forgetPlaced, placeStaged, recordIntents, removeOrphans } from './journal.ts';
import { keysIn } from './keys.ts';
import { untilFree } from './lock.ts';
import { generationIn, migrate, refuseNewer, schemaVersion, versionOf } from './schema.ts';
import { truthsIn } from './truths.ts';
import { usageIn } from './usage.ts';
import { watchFolder } from './watch.ts';

export interface EmbeddedOptions {
  readonly home: string;
  readonly instructionsFolder?: string;
  /** How long a write waits for other processes before it gives up. */
  readonly lockWaitMs?: number;
  readonly onProblem?: (message: string) => void;
  /** Whether versions of the files are kept in history.git. */
  readonly history?: boolean;
}

const READERS_KEPT = 4;
const IGNORED = ['history.git/', '*.db', '*.db-shm', '*.db-wal', 'logs/', 'backups/', '*.tmp', ''].join('\n');

export function openEmbedded(options: EmbeddedOptions): Store {
  return new EmbeddedStore(options);
}

class EmbeddedStore implements Store {
  readonly location: string;
  readonly files: FileShelf;
  readonly instructions: EmbeddedInstructionIndex;
  readonly decisions: EmbeddedDecisionIndex;
  readonly history: HistoryKeeper;
  readonly #index: IndexDatabase;
  readonly #options: EmbeddedOptions;
  readonly #path: string;
  readonly #folders: ShelfFolders;
  readonly #idle: Database[] = [];
  #writer: Database | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  readonly #watches: (() => void)[] = [];
  readonly #last: (() => Promise<void>)[] = [];
  #tidied = false;
  #closed = false;

  constructor(options: EmbeddedOptions) {
    this.location = resolve(options.home);
    this.#options = options;
    this.#index = new IndexDatabase(this.location, options.lockWaitMs);
    this.instructions = new EmbeddedInstructionIndex(this.#index);
    this.decisions = new EmbeddedDecisionIndex(this.#index);
    this.#path = join(this.location, 'state.db');
    this.#folders = {
      home: this.location,
      instructions: resolve(options.instructionsFolder ?? join(this.location, 'instructions')),
      decisions: join(this.location, 'decisions'),
      prompts: join(this.location, 'prompts'),
      backups: join(this.location, 'backups'),
    };
    this.files = shelfIn(this.#folders);
    this.history = new HistoryKeeper(
      join(this.location, 'history.git'),
      { look: (work) => this.#look(async (database) => work(database)), maintain: (work) => this.#maintain(work) },
      (message) => options.onProblem?.(message),
    );
  }

  read<T>(work: (view: View) => Promise<T>): Promise<T> {
    return this.#look((database) => work(viewOf(database, this.#folders)));
  }

  write<T>(work: (change: Change) => Promise<T>): Promise<T> {
    const turn = this.#queue.then(() => this.#transact(work));
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  generation(): Promise<number> {
    return this.#look(async (database) => generationIn(database));
  }

  async watch(shelf: Shelf, onChange: (name: string) => void): Promise<boolean> {
    const end = watchFolder(this.#folders[shelf], onChange);
    if (end !== undefined) this.#watches.push(end);
    return end !== undefined;
  }

  inspect(): Promise<StoreReport> {
    return inspectHome(this.location, this.#path);
  }

  beforeClose(work: () => Promise<void>): void {
    this.#last.push(work);
  }

  async close(): Promise<void> {
    for (const work of this.#last.splice(0)) await work();
    await this.history.close();
    this.#closed = true;
    for (const end of this.#watches) end();
    await this.#queue;
    await this.#index.close();
    for (const database of this.#idle.splice(0)) database.close();
    this.#writer?.close();
    this.#writer = undefined;
  }

  async #look<T>(work: (database: Queries) => Promise<T>): Promise<T> {
    const database = await this.#takeReader();
    const lease = new Lease(database);
    let healthy = false;
    try {
      await this.#untilFree(() => beginSnapshot(database));
      const result = await work(lease);
      database.exec('COMMIT');
      healthy = true;
      return result;
    } catch (thrown) {
      throw describeFailure(thrown);
    } finally {
      lease.end();
      if (database.inTransaction) database.exec('ROLLBACK');
      this.#returnReader(database, healthy);
    }
  }

  async #transact<T>(work: (change: Change) => Promise<T>): Promise<T> {
    if (this.#closed) throw new CairnError('store_unavailable', 'The store is closed');
    const database = await this.#openWriter();
    const lease = new Lease(database);
    const files = new PlannedFiles(this.#folders);
    const audit = auditIn(lease);
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
        keys: keysIn(lease),
        feedback: feedbackIn(lease),
        usage: usageIn(lease),
        events: eventsIn(lease),
        truths: truthsIn(lease),
        files,
      });
      lease.end();
      changes = await files.seal();
      if (this.#options.history !== false) await recordVersions(database, files.versions(), said);
      recordIntents(database, this.location, changes);
      grow(database);
      database.exec('COMMIT');
    } catch (thrown) {
      lease.end();
      if (database.inTransaction) database.exec('ROLLBACK');
      await files.abandon();
      throw describeFailure(thrown);
    }
    if (changes.length > 0) {
      await this.#putInPlace(database, changes);
      if (this.#options.history !== false) this.history.schedule();
    }
    return result;
  }

  /** Housekeeping of the engine's own: no fsync, for what is lost is done again, and no news for the other processes. */
  #maintain<T>(work: (database: Database) => T): Promise<T> {
    const turn = this.#queue.then(async () => {
      if (this.#writer === undefined && !(await exists(this.#path))) {
        throw new CairnError('store_unavailable', 'There is no store yet');
      }
      const database = await this.#openWriter();
      database.exec('PRAGMA synchronous = NORMAL');
      try {
        await this.#begin(database);
        const result = work(database);
        database.exec('COMMIT');
        return result;
      } catch (thrown) {
        if (database.inTransaction) database.exec('ROLLBACK');
        throw describeFailure(thrown);
      } finally {
        database.exec('PRAGMA synchronous = FULL');
      }
    });
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  /** The decision is durable; now make it visible, then say so to the other processes. */
  async #putInPlace(database: Database, changes: readonly FileChange[]): Promise<void> {
    try {
      await placeStaged(changes);
      // No fsync for this commit: if it is lost, finishing again is harmless.
      database.exec('PRAGMA synchronous = NORMAL');
      await this.#begin(database);
      forgetPlaced(database, this.location, changes);
      await this.#finishOthers(database);
      grow(database);
      database.exec('COMMIT');
    } catch (thrown) {
      if (database.inTransaction) database.exec('ROLLBACK');
      if (isFileFault(thrown)) {
        throw new CairnError(
          'store_unavailable',
          `The change is decided, but a file could not be put in place: ${messageOf(thrown)}`,
          { suggestion: 'Mend what the message names; the next write completes the change.' },
          { cause: thrown },
        );
      }
      this.#options.onProblem?.(`File intents stay recorded until the next write: ${messageOf(thrown)}`);
    } finally {
      database.exec('PRAGMA synchronous = FULL');
    }
  }

  async #finishOthers(database: Database): Promise<void> {
    for (const aside of await finishPending(database, this.location, this.#folders)) {
      this.#options.onProblem?.(`A person changed a file during an interrupted write; the written text is in ${aside}`);
    }
  }

  /** Once for every opened store: old leftovers in the shelves are no reason to refuse a write. */
  async #tidy(): Promise<void> {
    if (this.#tidied) return;
    this.#tidied = true;
    try {
      await removeOrphans(Object.values(this.#folders));
    } catch (thrown) {
      this.#options.onProblem?.(`Old temporary files could not be removed: ${messageOf(thrown)}`);
    }
  }

  async #begin(database: Database): Promise<void> {
    await this.#untilFree(() => database.exec('BEGIN IMMEDIATE'));
  }

  #untilFree<T>(attempt: () => T): Promise<T> {
    return untilFree(attempt, this.#options.lockWaitMs);
  }

  async #openWriter(): Promise<Database> {
    if (this.#writer !== undefined) return this.#writer;
    let database: Database | undefined;
    try {
      await makeFolder(this.location);
      database = new Database(this.#path);
      await this.#prepare(database);
      const ignore = join(this.location, '.gitignore');
      if (!(await exists(ignore))) await writeFileAtomically(ignore, IGNORED);
    } catch (thrown) {
      database?.close();
      throw describeFailure(thrown);
    }
    this.#writer = database;
    return database;
  }

  async #prepare(database: Database): Promise<void> {
    // Before anything else: even the journal mode is a change to the file of a newer Cairn.
    await this.#untilFree(() => refuseNewer(database));
    await this.#untilFree(() =>
      database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON'),
    );
    if ((await this.#untilFree(() => versionOf(database))) === schemaVersion) return;
    await this.#begin(database);
    migrate(database);
    database.exec('COMMIT');
  }

  async #takeReader(): Promise<Database> {
    if (this.#closed) throw new CairnError('store_unavailable', 'The store is closed');
    const kept = this.#idle.pop();
    if (kept !== undefined) return kept;
    if (!(await exists(this.#path))) return emptyDatabase();
    try {
      return await this.#untilFree(() => openReader(this.#path));
    } catch (thrown) {
      throw describeFailure(thrown);
    }
  }

  #returnReader(database: Database, healthy: boolean): void {
    const reusable = healthy && !this.#closed && this.#idle.length < READERS_KEPT && !emptyDatabases.has(database);
    if (reusable) this.#idle.push(database);
    else database.close();
  }
}

function openReader(path: string): Database {
  const database = new Database(path, { readOnly: true });
  try {
    const version = versionOf(database);
    if (version === schemaVersion) return database;
    if (version !== 0) throw wrongSchema(version);
  } catch (thrown) {
    database.close();
    throw thrown;
  }
  database.close();
  return emptyDatabase();
}

function wrongSchema(version: number): CairnError {
  return new CairnError(
    'store_unavailable',
    `The store has schema ${version}, this Cairn reads ${schemaVersion}`,
    version < schemaVersion
      ? { suggestion: 'The first write brings it up to date.' }
      : { suggestion: 'Update Cairn, or point CAIRN_HOME at another home.' },
  );
}

/** The first query fixes what the whole read sees; SQLite can be busy here while it recovers from another's crash. */
function beginSnapshot(database: Database): void {
  if (!database.inTransaction) database.exec('BEGIN');
  generationIn(database);
}

/** What a read sees where no store exists yet: all tables, no rows, nothing on disk. */
function emptyDatabase(): Database {
  const database = new Database(':memory:');
  migrate(database);
  emptyDatabases.add(database);
  return database;
}
const emptyDatabases = new WeakSet<Database>();

function viewOf(database: Queries, folders: ShelfFolders): View {
  return {
    audit: auditIn(database),
    keys: keysIn(database),
    feedback: feedbackIn(database),
    usage: usageIn(database),
    events: eventsIn(database),
    truths: truthsIn(database),
    files: shelfIn(folders),
  };
}

function grow(database: Database): void {
  database.run("UPDATE counter SET value = value + 1 WHERE name = 'generation'");
}
