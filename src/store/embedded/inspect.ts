/** What `doctor` and the health operations ask: looks at a home from outside, on a connection of its own, and changes nothing. */
import { access, constants, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { exists } from '../file.ts';
import type { StoreReport } from '../store.ts';
import { type Database, isBusy } from './database.ts';
import { messageOf } from './failure.ts';
import type { KeptConnection } from './kept-connection.ts';
import { generationIn, schemaVersion, versionOf } from './schema.ts';
import { countUnplaced } from './unsynced.ts';

export async function inspectHome(
  location: string,
  databasePath: string,
  connection: KeptConnection,
  folders: readonly string[] = [],
): Promise<StoreReport> {
  const present = await exists(databasePath);
  const problems: string[] = [];
  const nearest = await nearestFolder(location);
  const writable = await isWritable(nearest);
  if (!writable) problems.push(`${location} cannot be written by this user.`);
  const state = { locked: false, schemaVersion: 0, generation: 0, unfinished: 0 };
  if (present && (await stat(databasePath)).size > 0) {
    try {
      Object.assign(state, await probe(await connection.open(writable), location, writable));
    } catch (thrown) {
      problems.push(`state.db cannot be read: ${messageOf(thrown)}`);
    }
  }
  problems.push(...(await lost(location, databasePath)), ...(await unfolded(folders)));
  const newer = state.schemaVersion > schemaVersion;
  if (newer)
    problems.push(`state.db was written by a newer Cairn (schema ${state.schemaVersion}, not ${schemaVersion}).`);
  const { bavail, bsize } = await statfs(nearest);
  const freeBytes = bavail * bsize;
  return { engine: 'embedded', location, exists: present, writable, freeBytes, problems, newer, ...state };
}

/** A home of documents, and nothing that says what they are: somebody deleted it, or a backup left it out. */
async function lost(home: string, databasePath: string): Promise<string[]> {
  const bytes = async (path: string) => (await stat(path).catch(() => undefined))?.size ?? 0;
  if ((await bytes(databasePath)) > 0 || (await bytes(join(home, 'objects.db'))) === 0) return [];
  return [
    'state.db is gone or empty, but objects.db is there: documents, events and feedback that were kept here are lost.',
  ];
}

/** Where a folder of files should be, anything else reads as an empty one. */
async function unfolded(folders: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const folder of folders) {
    const stats = await stat(folder).catch(() => undefined);
    if (stats !== undefined && !stats.isDirectory())
      found.push(`${folder} is a file and should be a folder: nothing is read from it.`);
  }
  return found;
}

async function probe(database: Database, home: string, writable: boolean) {
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
  const intents = Number(database.get('SELECT count(*) AS rows FROM file_intent')?.rows ?? 0);
  return {
    locked,
    schemaVersion: versionOf(database),
    generation: generationIn(database),
    unfinished: intents + (await countUnplaced(database, home)),
  };
}

/** The home itself or, before it exists, the folder in which it would be made. */
async function nearestFolder(folder: string): Promise<string> {
  let path = folder;
  while (!(await exists(path)) && path !== dirname(path)) path = dirname(path);
  return path;
}

async function isWritable(folder: string): Promise<boolean> {
  try {
    await access(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
