/**
 * The embedded engine: state.db in WAL mode and plain files, shared by any number of processes. Nothing is opened
 * before the first read or write, and only a write creates the home. Writers of one process queue here; writers of
 * different processes meet at SQLite's write lock and wait for it without blocking the event loop.
 */
import { access, constants, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CairnError } from '../../errors.ts';
import { exists, makeFolder, writeFileAtomically } from '../file.ts';
import type { Change, Store, StoreReport, View } from '../store.ts';
import { auditIn } from './audit.ts';
import { Database, isBusy } from './database.ts';
import { feedbackIn } from './feedback.ts';
import { PlannedFiles, type ShelfFolders, shelfIn } from './files.ts';
import { carryOut, clearIntents, finishInterrupted, pending, recordIntents } from './journal.ts';
import { keysIn } from './keys.ts';
import { migrate, schemaVersion, versionOf } from './schema.ts';

export interface EmbeddedOptions {
  readonly home: string;
  readonly instructionsFolder?: string;
  /** How long a write waits for other processes before it gives up. */
  readonly lockWaitMs?: number;
  readonly onProblem?: (message: string) => void;
}

const LOCK_WAIT_MS = 15_000;
const READERS_KEPT = 4;
const IGNORED = ['history.git/', '*.db', '*.db-shm', '*.db-wal', 'logs/', '*.tmp', ''].join('\n');

export function openEmbedded(options: EmbeddedOptions): Store {
  return new EmbeddedStore(options);
}

class EmbeddedStore implements Store {
  readonly location: string;
  readonly #options: EmbeddedOptions;
  readonly #path: string;
  readonly #folders: ShelfFolders;
  readonly #idle: Database[] = [];
  #writer: Database | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(options: EmbeddedOptions) {
    this.location = options.home;
    this.#options = options;
    this.#path = join(options.home, 'state.db');
    this.#folders = {
      home: options.home,
      instructions: options.instructionsFolder ?? join(options.home, 'instructions'),
      decisions: join(options.home, 'decisions'),
      prompts: join(options.home, 'prompts'),
    };
  }

  async read<T>(work: (view: View) => Promise<T>): Promise<T> {
    const database = await this.#takeReader();
    let healthy = false;
    try {
      database.exec('BEGIN');
      const result = await work(viewOf(database, this.#folders));
      database.exec('COMMIT');
      healthy = true;
      return result;
    } finally {
      if (database.inTransaction) database.exec('ROLLBACK');
      this.#returnReader(database, healthy);
    }
  }

  write<T>(work: (change: Change) => Promise<T>): Promise<T> {
    const turn = this.#queue.then(() => this.#transact(work));
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  async generation(): Promise<number> {
    const database = await this.#takeReader();
    const row = database.get("SELECT value FROM counter WHERE name = 'generation'");
    this.#returnReader(database, true);
    return Number(row?.value ?? 0);
  }

  async inspect(): Promise<StoreReport> {
    const present = await exists(this.#path);
    const problems: string[] = [];
    const writable = await isWritable(this.location);
    if (!writable) problems.push(`${this.location} cannot be written by this user.`);
    const state = { locked: false, schemaVersion: 0, generation: 0, unfinished: 0 };
    if (present) {
      try {
        Object.assign(state, probe(this.#path, writable));
      } catch (thrown) {
        problems.push(`state.db cannot be read: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
      }
    }
    return {
      engine: 'embedded',
      location: this.location,
      exists: present,
      writable,
      freeBytes: await freeBytesAt(this.location),
      problems,
      ...state,
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#queue;
    for (const database of this.#idle.splice(0)) database.close();
    this.#writer?.close();
    this.#writer = undefined;
  }

  async #transact<T>(work: (change: Change) => Promise<T>): Promise<T> {
    if (this.#closed) throw new CairnError('store_unavailable', 'The store is closed');
    const database = await this.#openWriter();
    await this.#begin(database);
    const files = new PlannedFiles(this.#folders);
    let result: T;
    try {
      await this.#finishOthers(database);
      result = await work({
        audit: auditIn(database),
        keys: keysIn(database),
        feedback: feedbackIn(database),
        files,
      });
      recordIntents(database, files.changes);
      grow(database);
      database.exec('COMMIT');
    } catch (thrown) {
      if (database.inTransaction) database.exec('ROLLBACK');
      await files.abandon();
      throw describeFailure(thrown);
    }
    if (files.changes.length > 0) await this.#putInPlace(database, files);
    return result;
  }

  /** The decision is durable; now make it visible, then say so to the other processes. */
  async #putInPlace(database: Database, files: PlannedFiles): Promise<void> {
    try {
      await carryOut(files.changes);
    } catch (thrown) {
      throw new CairnError(
        'store_unavailable',
        `The change is decided, but a file could not be put in place: ${messageOf(thrown)}`,
        { suggestion: 'Mend what the message names; the next write completes the change.' },
        { cause: thrown },
      );
    }
    // No fsync for this commit: if it is lost, finishing again is harmless.
    database.exec('PRAGMA synchronous = NORMAL');
    try {
      await this.#begin(database);
      clearIntents(database, files.changes);
      grow(database);
      database.exec('COMMIT');
    } catch (thrown) {
      if (database.inTransaction) database.exec('ROLLBACK');
      this.#options.onProblem?.(`File intents stay recorded until the next write: ${messageOf(thrown)}`);
    } finally {
      database.exec('PRAGMA synchronous = FULL');
    }
  }

  async #finishOthers(database: Database): Promise<void> {
    const left = pending(database);
    if (left.length === 0) return;
    for (const aside of await finishInterrupted(database)) {
      this.#options.onProblem?.(`A person changed a file during an interrupted write; the written text is in ${aside}`);
    }
    clearIntents(database, left);
  }

  async #begin(database: Database): Promise<void> {
    await this.#untilFree(() => database.exec('BEGIN IMMEDIATE'));
  }

  async #untilFree<T>(attempt: () => T): Promise<T> {
    const waitMs = this.#options.lockWaitMs ?? LOCK_WAIT_MS;
    const deadline = Date.now() + waitMs;
    for (let pause = 0.5; ; pause = Math.min(pause * 1.6, 20)) {
      try {
        return attempt();
      } catch (thrown) {
        if (!isBusy(thrown)) throw thrown;
        if (Date.now() >= deadline) {
          throw new CairnError('store_unavailable', `Another process has held the store's write lock for ${waitMs} ms`);
        }
        // Jitter keeps processes that collided once from colliding again.
        await delay(pause * (0.5 + Math.random()));
      }
    }
  }

  async #openWriter(): Promise<Database> {
    if (this.#writer !== undefined) return this.#writer;
    try {
      await makeFolder(this.location);
      const ignore = join(this.location, '.gitignore');
      if (!(await exists(ignore))) await writeFileAtomically(ignore, IGNORED);
    } catch (thrown) {
      throw describeFailure(thrown);
    }
    const database = new Database(this.#path);
    try {
      await this.#untilFree(() => database.exec('PRAGMA journal_mode = WAL'));
      database.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
      if (versionOf(database) !== schemaVersion) {
        await this.#begin(database);
        migrate(database);
        database.exec('COMMIT');
      }
    } catch (thrown) {
      database.close();
      throw describeFailure(thrown);
    }
    this.#writer = database;
    return database;
  }

  async #takeReader(): Promise<Database> {
    if (this.#closed) throw new CairnError('store_unavailable', 'The store is closed');
    const kept = this.#idle.pop();
    if (kept !== undefined) return kept;
    if (!(await exists(this.#path))) return emptyDatabase();
    return this.#untilFree(() => {
      const database = new Database(this.#path, { readOnly: true });
      const version = versionOf(database);
      if (version === schemaVersion) return database;
      database.close();
      if (version === 0) return emptyDatabase();
      throw new CairnError(
        'store_unavailable',
        `The store has schema ${version}, this Cairn reads ${schemaVersion}`,
        version < schemaVersion
          ? { suggestion: 'The first write brings it up to date.' }
          : { suggestion: 'Update Cairn, or point CAIRN_HOME at another home.' },
      );
    });
  }

  #returnReader(database: Database, healthy: boolean): void {
    const reusable = healthy && !this.#closed && this.#idle.length < READERS_KEPT && !emptyDatabases.has(database);
    if (reusable) this.#idle.push(database);
    else database.close();
  }
}

/** What a read sees where no store exists yet: all tables, no rows, nothing on disk. */
function emptyDatabase(): Database {
  const database = new Database(':memory:');
  migrate(database);
  emptyDatabases.add(database);
  return database;
}
const emptyDatabases = new WeakSet<Database>();

function viewOf(database: Database, folders: ShelfFolders): View {
  return { audit: auditIn(database), keys: keysIn(database), feedback: feedbackIn(database), files: shelfIn(folders) };
}

function grow(database: Database): void {
  database.run("UPDATE counter SET value = value + 1 WHERE name = 'generation'");
}

function probe(path: string, writable: boolean) {
  const database = new Database(path, { readOnly: !writable });
  try {
    let locked = false;
    if (writable) {
      try {
        database.exec('BEGIN IMMEDIATE');
        database.exec('ROLLBACK');
      } catch (thrown) {
        if (!isBusy(thrown)) throw thrown;
        locked = true;
      }
    }
    const generation = database.get("SELECT value FROM counter WHERE name = 'generation'");
    const unfinished = database.get('SELECT count(*) AS rows FROM file_intent');
    return {
      locked,
      schemaVersion: versionOf(database),
      generation: Number(generation?.value ?? 0),
      unfinished: Number(unfinished?.rows ?? 0),
    };
  } finally {
    database.close();
  }
}

async function isWritable(folder: string): Promise<boolean> {
  for (let path = folder; ; path = dirname(path)) {
    if (!(await exists(path)) && path !== dirname(path)) continue;
    try {
      await access(path, constants.W_OK);
      return true;
    } catch {
      return false;
    }
  }
}

async function freeBytesAt(folder: string): Promise<number> {
  for (let path = folder; ; path = dirname(path)) {
    if (!(await exists(path)) && path !== dirname(path)) continue;
    const { bavail, bsize } = await statfs(path);
    return bavail * bsize;
  }
}

/** Faults of the disk or of SQLite become an error a caller can act on; a bug in the work stays what it is. */
function describeFailure(thrown: unknown): unknown {
  if (thrown instanceof CairnError) return thrown;
  const code = (thrown as NodeJS.ErrnoException | undefined)?.code ?? '';
  const message = messageOf(thrown);
  if (!/^(E[A-Z0-9]+|ERR_SQLITE\w*)$/.test(code)) return thrown;
  const full = code === 'ENOSPC' || /disk is full|SQLITE_FULL/i.test(message);
  return new CairnError(
    'store_unavailable',
    full ? 'The disk is full; nothing was written' : `The store could not be written: ${message}`,
    {},
    { cause: thrown },
  );
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
