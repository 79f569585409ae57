/** What `doctor` and the health operations ask: looks at a home from outside, on a connection of its own, and changes nothing. */
import { access, constants, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { exists } from '../file.ts';
import type { StoreReport } from '../store.ts';
import { Database, isBusy } from './database.ts';
import { messageOf } from './failure.ts';
import { generationIn, schemaVersion, versionOf } from './schema.ts';
import { countUnplaced } from './unsynced.ts';

export async function inspectHome(location: string, databasePath: string): Promise<StoreReport> {
  const present = await exists(databasePath);
  const problems: string[] = [];
  const nearest = await nearestFolder(location);
  const writable = await isWritable(nearest);
  if (!writable) problems.push(`${location} cannot be written by this user.`);
  const state = { locked: false, schemaVersion: 0, generation: 0, unfinished: 0 };
  if (present) {
    try {
      Object.assign(state, await probe(databasePath, location, writable));
    } catch (thrown) {
      problems.push(`state.db cannot be read: ${messageOf(thrown)}`);
    }
  }
  const newer = state.schemaVersion > schemaVersion;
  if (newer)
    problems.push(`state.db was written by a newer Cairn (schema ${state.schemaVersion}, not ${schemaVersion}).`);
  const { bavail, bsize } = await statfs(nearest);
  const freeBytes = bavail * bsize;
  return { engine: 'embedded', location, exists: present, writable, freeBytes, problems, newer, ...state };
}

async function probe(path: string, home: string, writable: boolean) {
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
    const intents = Number(database.get('SELECT count(*) AS rows FROM file_intent')?.rows ?? 0);
    return {
      locked,
      schemaVersion: versionOf(database),
      generation: generationIn(database),
      unfinished: intents + (await countUnplaced(database, home)),
    };
  } finally {
    database.close();
  }
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
