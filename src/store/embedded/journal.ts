/**
 * Joins file changes to a database transaction. SQLite cannot commit a rename, so the transaction records what it is
 * about to do (`file_intent`, with the new bytes already fsynced in a temporary file beside the target), commits, and
 * then renames. That commit is the decision: whoever next takes the write lock, in any process, finishes what a crash
 * interrupted. Finishing twice is harmless. A file that a person changed in between is never overwritten: the staged
 * bytes are kept beside it under a name that says so.
 */
import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isMissing, readIfPresent, removeIfPresent, stageFile, syncFolder } from '../file.ts';
import { sha256 } from '../hash.ts';
import type { Database, Row } from './database.ts';

export interface FileChange {
  readonly path: string;
  /** The temporary file that holds the new bytes; absent when the file is to be removed. */
  readonly staged?: string;
  readonly before?: string;
  readonly after?: string;
}

/** Stages new text for `path` and notes what is there now. */
export async function planPut(path: string, text: string): Promise<FileChange> {
  const present = await readIfPresent(path);
  const staged = await stageFile(path, text);
  return { path, staged, after: sha256(text), ...(present !== undefined && { before: sha256(present) }) };
}

/** `undefined` when there is nothing to remove. */
export async function planRemove(path: string): Promise<FileChange | undefined> {
  const present = await readIfPresent(path);
  return present === undefined ? undefined : { path, before: sha256(present) };
}

/** Inside the transaction: write down what will be done. */
export function recordIntents(database: Database, changes: readonly FileChange[]): void {
  for (const { path, staged, before, after } of changes) {
    database.run(
      'INSERT INTO file_intent (path, staged, before, after) VALUES (?, ?, ?, ?)',
      path,
      staged ?? null,
      before ?? null,
      after ?? null,
    );
  }
}

/** After the commit, by the process that decided: nothing else can have touched the staged files. */
export async function carryOut(changes: readonly FileChange[]): Promise<void> {
  for (const change of changes) await apply(change);
  await syncFolders(changes);
}

/** What an interrupted process left: finish it, leaving alone what people changed since. Returns what was kept aside. */
export async function finishInterrupted(database: Database): Promise<string[]> {
  const changes = pending(database);
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
  return kept;
}

export function pending(database: Database): FileChange[] {
  return database.all('SELECT path, staged, before, after FROM file_intent ORDER BY id').map(toChange);
}

export function clearIntents(database: Database, changes: readonly FileChange[]): void {
  for (const { path, staged } of changes) {
    database.run('DELETE FROM file_intent WHERE path = ? AND staged IS ?', path, staged ?? null);
  }
}

export async function discard(changes: readonly FileChange[]): Promise<void> {
  for (const { staged } of changes) if (staged !== undefined) await removeIfPresent(staged);
}

async function apply({ path, staged }: FileChange): Promise<void> {
  if (staged === undefined) await removeIfPresent(path);
  // Gone means that another process, holding the write lock, finished it for us.
  else await renameIfPresent(staged, path);
}

async function renameIfPresent(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (thrown) {
    if (isMissing(thrown)) return false;
    throw thrown;
  }
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

function toChange(row: Row): FileChange {
  return {
    path: String(row.path),
    ...(row.staged !== null && { staged: String(row.staged) }),
    ...(row.before !== null && { before: String(row.before) }),
    ...(row.after !== null && { after: String(row.after) }),
  };
}
