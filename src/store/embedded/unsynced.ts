/**
 * Small files that are written without waiting for the disk. Their new bytes commit with the transaction that decides on them,
 * so that one fsync, the database's, makes the whole write durable; then they are renamed into place. Behind the answers many
 * are fsynced together (sync-queue.ts), and only then the bytes are forgotten here.
 *
 * Whoever next takes the write lock looks at the rows it does not know. While the machine runs, files are as they were left: a
 * rename that is missing is made up for, and anything else that differs is somebody's edit. After a loss of power a file may
 * also be missing, old, empty or torn; then it is written again from its row. A person's edit is none of these, and stays.
 */
import { existsSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import {
  exists,
  readIfPresent,
  readStart,
  removeIfPresent,
  renameIfPresent,
  syncFileBehind,
  syncFolder,
  writeFileAtomically,
} from '../file.ts';
import { sha256 } from '../hash.ts';
import { bootMark } from './boot.ts';
import { Database, type Queries, type Row } from './database.ts';
import { type FileChange, isOurs } from './journal.ts';

export const unsyncedTables = `
  CREATE TABLE unsynced_file (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL, staged TEXT NOT NULL UNIQUE, before TEXT, after TEXT NOT NULL,
    boot TEXT NOT NULL, bytes BLOB NOT NULL);`;

/** A file that is in place, by the name it was staged under, which no two writes share. */
export interface Placed {
  readonly staged: string;
  readonly path: string;
}

/** Inside the transaction, together with everything else that it decides. */
export function recordUnsynced(database: Queries, home: string, changes: readonly FileChange[]): void {
  for (const { path, staged, before, after, bytes } of changes) {
    if (staged === undefined || after === undefined || bytes === undefined) continue;
    database.run(
      'INSERT INTO unsynced_file (path, staged, before, after, boot, bytes) VALUES (?, ?, ?, ?, ?, ?)',
      relative(home, path),
      relative(home, staged),
      before ?? null,
      after,
      bootMark(),
      bytes,
    );
  }
}

/** What of these is in place now that they were renamed. */
export function placedBy(changes: readonly FileChange[], home: string): Placed[] {
  return changes.flatMap(({ path, staged, bytes }) =>
    staged === undefined || bytes === undefined ? [] : [{ staged: relative(home, staged), path }],
  );
}

/** Before a file goes the other way (journal.ts), which counts on what is there: the disk must have it. */
export async function syncBefore(database: Queries, home: string, changes: readonly FileChange[]): Promise<void> {
  if (changes.length === 0) return;
  const unsynced = new Set(database.all('SELECT path FROM unsynced_file').map(({ path }) => String(path)));
  for (const { path } of changes) {
    const name = relative(home, path);
    if (!unsynced.has(name)) continue;
    await syncFileBehind(path);
    await syncFolder(dirname(path));
    database.run('DELETE FROM unsynced_file WHERE path = ?', name);
  }
}

export function forgetSynced(database: Queries, staged: Iterable<string>): void {
  for (const name of staged) database.run('DELETE FROM unsynced_file WHERE staged = ?', name);
}

/** Whether the machine stopped while files of this store were on their way to the disk. Changes nothing. */
export function isCutOff(path: string): boolean {
  if (!existsSync(path)) return false;
  let database: Database | undefined;
  try {
    database = new Database(path, { readOnly: true });
    const sql = 'SELECT 1 FROM unsynced_file WHERE boot <> ?';
    return isKept(database) && database.get(sql, bootMark()) !== undefined;
  } catch {
    // Whatever is wrong with it, the first read or write says so.
    return false;
  } finally {
    database?.close();
  }
}

/** Decided, but not in place yet. */
export async function countUnplaced(database: Queries, home: string): Promise<number> {
  if (!isKept(database)) return 0;
  let found = 0;
  for (const { staged } of database.all('SELECT staged FROM unsynced_file')) {
    if (await exists(resolve(home, String(staged)))) found++;
  }
  return found;
}

/** Not in the store of an older Cairn. */
function isKept(database: Queries): boolean {
  return database.get("SELECT 1 FROM sqlite_master WHERE name = 'unsynced_file'") !== undefined;
}

export interface Settled {
  readonly placed: readonly Placed[];
  /** Where text was kept because a person changed the file meanwhile. */
  readonly aside: readonly string[];
}

/** Under the write lock: puts in place what others left, unless `isKnown` says that it is. */
export async function settleUnsynced(
  database: Queries,
  home: string,
  shelves: Readonly<Record<string, string>>,
  isKnown: (staged: string) => boolean,
): Promise<Settled> {
  const names = database.all('SELECT staged FROM unsynced_file').map(({ staged }) => String(staged));
  if (names.every(isKnown)) return { placed: [], aside: [] };
  const placed: Placed[] = [];
  const aside: string[] = [];
  for (const writes of writesByFile(database, home, shelves)) {
    if (writes.every(({ name }) => isKnown(name))) continue;
    const kept = await settle(writes);
    if (kept !== undefined) aside.push(kept);
    placed.push(...writes.map(({ name, path }) => ({ staged: name, path })));
  }
  return { placed, aside };
}

interface Write {
  /** Of the staged file, as the row has it. */
  readonly name: string;
  readonly path: string;
  readonly staged: string;
  readonly before: string | undefined;
  readonly after: string;
  readonly boot: string;
  readonly bytes: Uint8Array;
}

/** Oldest first. Rows that no Cairn wrote are dropped. */
function writesByFile(database: Queries, home: string, shelves: Readonly<Record<string, string>>): Write[][] {
  const folders = new Set(Object.values(shelves));
  const files = new Map<string, Write[]>();
  for (const row of database.all('SELECT * FROM unsynced_file ORDER BY id')) {
    const write = toWrite(row, home);
    // Threat: a database from elsewhere. Its bytes may become files of its own home, as they could anyway, and no others.
    if (!isOurs(write, folders) || !write.path.startsWith(home + sep)) forgetSynced(database, [write.name]);
    else files.set(write.path, [...(files.get(write.path) ?? []), write]);
  }
  return [...files.values()];
}

/** Several writes of one file: any of them may be what the disk has, the last one is what it shall have. */
async function settle(writes: readonly Write[]): Promise<string | undefined> {
  const last = writes.at(-1);
  if (last === undefined) return undefined;
  const { path, staged, after } = last;
  const found = await hashOf(path);
  if (found === after) {
    await removeIfPresent(staged);
    return undefined;
  }
  const cutOff = last.boot !== bootMark();
  const whole = (await hashOf(staged)) === after;
  const untouched = writes.some((write) => found === write.before || found === write.after);
  if (untouched || (cutOff && isTorn(readStart(path, last.bytes.length + 1), writes))) {
    if (whole) await renameIfPresent(staged, path);
    // Where nothing was cut off it has been in place, and somebody took it back.
    else if (cutOff) await writeFileAtomically(path, last.bytes);
    return undefined;
  }
  const aside = `${path}.interrupted-${Date.now().toString(36)}`;
  if (whole) return (await renameIfPresent(staged, aside)) ? aside : undefined;
  if (!cutOff || found !== undefined) return undefined;
  await writeFileAtomically(aside, last.bytes);
  return aside;
}

async function hashOf(path: string): Promise<string | undefined> {
  const text = await readIfPresent(path);
  return text === undefined ? undefined : sha256(text);
}

/** What a file system leaves of bytes that never arrived: nothing, a beginning, or zeros in their place. */
function isTorn(found: Uint8Array | undefined, writes: readonly Write[]): boolean {
  if (found === undefined) return false;
  return writes.some(
    ({ bytes }) => found.length <= bytes.length && found.every((byte, at) => byte === 0 || byte === bytes[at]),
  );
}

function toWrite(row: Row, home: string): Write {
  return {
    name: String(row.staged),
    path: resolve(home, String(row.path)),
    staged: resolve(home, String(row.staged)),
    before: row.before === null ? undefined : String(row.before),
    after: String(row.after),
    boot: String(row.boot),
    bytes: row.bytes instanceof Uint8Array ? row.bytes : new Uint8Array(),
  };
}
