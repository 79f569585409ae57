/**
 * Joins file changes to a database transaction. SQLite cannot commit a rename, so the transaction records what it is
 * about to do (`file_intent`, with the new bytes already fsynced in a temporary file beside the target), commits, and
 * then renames. That commit is the decision: whoever next takes the write lock, in any process, finishes what a crash
 * interrupted. Finishing twice is harmless. A file that a person changed in between is never overwritten: the staged
 * bytes are kept beside it under a name that says so. Paths are recorded as seen from the home, so that a home that was
 * moved, or that another process reaches by another path, is finished where it is.
 *
 * This is how files are removed, and how large ones are written. The small ones, which are nearly all, go by unsynced.ts.
 */
import { lstat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import {
  isMissing,
  namesIn,
  readIfPresent,
  removeIfPresent,
  renameIfPresent,
  stagedName,
  stageFile,
  syncFolder,
} from '../file.ts';
import { sha256 } from '../hash.ts';
import { isShelfName } from '../name.ts';
import type { Database, Row } from './database.ts';

export interface FileChange {
  readonly path: string;
  /** The temporary file that holds the new bytes; absent when the file is to be removed. */
  readonly staged?: string;
  readonly before?: string;
  readonly after?: string;
  /** The new bytes, where the transaction keeps them (unsynced.ts) instead of waiting for the disk. */
  readonly bytes?: Uint8Array;
}

/** More than that is not written twice. */
const KEPT_BYTES = 256 * 1024;

/** Stages new text for `path` and notes what is there now. */
export async function planPut(path: string, text: string, home: string): Promise<FileChange> {
  const present = await readIfPresent(path);
  const bytes = Buffer.from(text);
  const kept = bytes.length <= KEPT_BYTES && path.startsWith(home + sep);
  const staged = await stageFile(path, bytes, { sync: !kept });
  return {
    path,
    staged,
    after: sha256(bytes),
    ...(present !== undefined && { before: sha256(present) }),
    ...(kept && { bytes }),
  };
}

/** `undefined` when there is nothing to remove. */
export async function planRemove(path: string): Promise<FileChange | undefined> {
  const present = await readIfPresent(path);
  return present === undefined ? undefined : { path, before: sha256(present) };
}

/** Inside the transaction: write down what will be done. */
export function recordIntents(database: Database, home: string, changes: readonly FileChange[]): void {
  for (const { path, staged, before, after } of changes) {
    database.run(
      'INSERT INTO file_intent (path, staged, before, after) VALUES (?, ?, ?, ?)',
      relative(home, path),
      staged === undefined ? null : relative(home, staged),
      before ?? null,
      after ?? null,
    );
  }
}

/**
 * After the commit, by the process that decided, without the lock: renaming a staged file is safe, for nobody can write
 * its target again without having renamed it first. A removal is not: by now another process may have finished it and
 * put a new file there. Removals wait for `finishPending`.
 */
export async function placeStaged(changes: readonly FileChange[]): Promise<void> {
  const puts = changes.filter(({ staged }) => staged !== undefined);
  for (const put of puts) await apply(put);
  await syncFolders(puts.filter(({ bytes }) => bytes === undefined));
}

/** Forgets puts that are in place. Staged names are unique, so nobody else's intent goes with them. */
export function forgetPlaced(database: Database, home: string, changes: readonly FileChange[]): void {
  for (const { staged } of changes) {
    if (staged !== undefined) database.run('DELETE FROM file_intent WHERE staged = ?', relative(home, staged));
  }
}

/**
 * Under the write lock: finishes and forgets every recorded change, whoever decided it, but leaves alone what people
 * changed since. Returns what was kept aside.
 */
export async function finishPending(
  database: Database,
  home: string,
  shelves: Readonly<Record<string, string>>,
): Promise<string[]> {
  const recorded = pending(database, home);
  if (recorded.length === 0) return [];
  const folders = new Set(Object.values(shelves));
  const changes = recorded.filter((change) => isOurs(change, folders));
  const kept: string[] = [];
  for (const change of changes) {
    const present = await readIfPresent(change.path);
    const hash = present === undefined ? undefined : sha256(present);
    if (hash === change.before || hash === change.after) await apply(change);
    else if (change.staged !== undefined) {
      const aside = `${change.path}.interrupted-${Date.now().toString(36)}`;
      if (await renameIfPresent(change.staged, aside)) kept.push(aside);
    }
  }
  await syncFolders(changes);
  database.run('DELETE FROM file_intent');
  return kept;
}

/**
 * Threat: a database that came with somebody else's project may hold intents that name files anywhere. Only what this
 * engine itself records is carried out: a plain file of a shelf, staged beside it under our own kind of name.
 */
export function isOurs({ path, staged }: Pick<FileChange, 'path' | 'staged'>, folders: ReadonlySet<string>): boolean {
  const beside = staged === undefined || (dirname(staged) === dirname(path) && stagedName.test(basename(staged)));
  return folders.has(dirname(path)) && beside && isShelfName(basename(path));
}

const ORPHAN_AGE_MS = 3_600_000;

/**
 * Under the write lock, with nothing pending: removes what processes staged that died before they decided. Whoever
 * stages for a transaction holds the lock; the age spares files that are just being written without one.
 */
export async function removeOrphans(folders: readonly string[]): Promise<void> {
  for (const folder of new Set(folders)) {
    for (const name of await namesIn(folder)) {
      const path = join(folder, name);
      if (stagedName.test(name) && (await isOld(path))) await removeIfPresent(path);
    }
  }
}

async function isOld(path: string): Promise<boolean> {
  try {
    return Date.now() - (await lstat(path)).mtimeMs > ORPHAN_AGE_MS;
  } catch (thrown) {
    if (isMissing(thrown)) return false;
    throw thrown;
  }
}

function pending(database: Database, home: string): FileChange[] {
  const rows = database.all('SELECT path, staged, before, after FROM file_intent ORDER BY id');
  return rows.map((row) => toChange(row, home));
}

export async function discard(changes: readonly FileChange[]): Promise<void> {
  for (const { staged } of changes) if (staged !== undefined) await removeIfPresent(staged);
}

async function apply({ path, staged }: FileChange): Promise<void> {
  if (staged === undefined) await removeIfPresent(path);
  // Gone means that another process, holding the write lock, finished it for us.
  else await renameIfPresent(staged, path);
}

async function syncFolders(changes: readonly FileChange[]): Promise<void> {
  for (const folder of new Set(changes.map(({ path }) => dirname(path)))) {
    try {
      await syncFolder(folder);
    } catch (thrown) {
      if (!isMissing(thrown)) throw thrown;
    }
  }
}

function toChange(row: Row, home: string): FileChange {
  return {
    path: resolve(home, String(row.path)),
    ...(row.staged !== null && { staged: resolve(home, String(row.staged)) }),
    ...(row.before !== null && { before: String(row.before) }),
    ...(row.after !== null && { after: String(row.after) }),
  };
}
