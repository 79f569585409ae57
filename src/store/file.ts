/**
 * The one way files are written: into a temporary file beside the target, fsync, rename over it, fsync of the folder.
 * A reader sees the old bytes or the new ones, never a mixture, whatever instant the process dies at.
 *
 * The calls are synchronous inside: the files are small, and a dozen trips through the thread pool took four times as long
 * as the disk. SQLite's own commit waits for the disk in the same way.
 */
import { randomBytes } from 'node:crypto';
import {
  close,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsync,
  fsyncSync,
  mkdirSync,
  open,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

export async function writeFileAtomically(path: string, data: string | Uint8Array, mode?: number): Promise<void> {
  const staged = await stageFile(path, data, { ...(mode !== undefined && { mode }) });
  try {
    renameSync(staged, path);
  } catch (thrown) {
    await removeIfPresent(staged);
    throw thrown;
  }
  await syncFolder(dirname(path));
}

/** What `stageFile` calls its files. */
export const stagedName = /^\..+\.[0-9a-f]{12}\.tmp$/;

export interface Staging {
  readonly mode?: number;
  /** `false` where the bytes are durable elsewhere until somebody fsyncs the file. */
  readonly sync?: boolean;
}

/**
 * Writes and fsyncs the temporary file only; `rename(staged, path)` then puts it in place. It has its mode before it has its
 * bytes: some of them are keys.
 */
export async function stageFile(
  path: string,
  data: string | Uint8Array,
  { mode, sync = true }: Staging = {},
): Promise<string> {
  const staged = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  const file = await openMakingFolder(staged, mode ?? 0o644);
  try {
    // The umask of whoever runs us is for new files; one that is replaced keeps what it had.
    if (mode !== undefined) fchmodSync(file, mode);
    writeFileSync(file, data);
    if (sync) fsyncSync(file);
  } catch (thrown) {
    closeSync(file);
    await removeIfPresent(staged);
    throw thrown;
  }
  closeSync(file);
  return staged;
}

async function openMakingFolder(path: string, mode: number): Promise<number> {
  try {
    return openSync(path, 'wx', mode);
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown;
    await makeFolder(dirname(path));
    return openSync(path, 'wx', mode);
  }
}

/** Creates a folder durably: its entry in the parent is fsynced too. */
export async function makeFolder(path: string): Promise<void> {
  const first = mkdirSync(path, { recursive: true });
  if (first === undefined) return;
  for (let folder = path; folder.length >= first.length; folder = dirname(folder)) await syncFolder(dirname(folder));
}

export async function syncFolder(path: string): Promise<void> {
  // Windows has no fsync of a folder; NTFS journals the rename itself.
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Waits for the disk on another thread. What is not there, or no plain file, needs no fsync. */
export async function syncFileBehind(path: string): Promise<void> {
  // Windows flushes only what may be written.
  await syncBehind(path, process.platform === 'win32' ? 'r+' : READ_PLAIN);
}

export async function syncFolderBehind(path: string): Promise<void> {
  if (process.platform !== 'win32') await syncBehind(path, 'r');
}

const [openBehind, fsyncBehind, closeBehind] = [promisify(open), promisify(fsync), promisify(close)];

async function syncBehind(path: string, flags: string | number): Promise<void> {
  let file: number;
  try {
    file = await openBehind(path, flags);
  } catch (thrown) {
    if (isMissing(thrown)) return;
    throw thrown;
  }
  try {
    await fsyncBehind(file);
  } catch (thrown) {
    // A pipe or a device has nothing to sync.
    if ((thrown as NodeJS.ErrnoException).code !== 'EINVAL') throw thrown;
  } finally {
    await closeBehind(file);
  }
}

export async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return readPlainFile(path);
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw thrown;
  }
}

const READ_PLAIN = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Threat: a project may bring a link to somebody's keys, to a device without an end, or a pipe that never answers, under the
 * name of a file we read. Links are not followed, and what is no plain file is not there.
 */
function readPlainFile(path: string): string | undefined {
  const file = openSync(path, READ_PLAIN);
  try {
    return fstatSync(file).isFile() ? readFileSync(file, 'utf8') : undefined;
  } finally {
    closeSync(file);
  }
}

export async function namesIn(folder: string): Promise<string[]> {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if (isMissing(thrown)) return [];
    throw thrown;
  }
}

export async function exists(path: string): Promise<boolean> {
  return existsSync(path);
}

export async function removeIfPresent(path: string): Promise<boolean> {
  try {
    unlinkSync(path);
    return true;
  } catch (thrown) {
    if (isMissing(thrown)) return false;
    throw thrown;
  }
}

/** `false` where there is nothing to rename. */
export async function renameIfPresent(from: string, to: string): Promise<boolean> {
  try {
    renameSync(from, to);
    return true;
  } catch (thrown) {
    if (isMissing(thrown)) return false;
    throw thrown;
  }
}

export function isMissing(thrown: unknown): boolean {
  const code = (thrown as NodeJS.ErrnoException | undefined)?.code;
  // ELOOP is what a link gives to a reader that does not follow it; ENXIO a pipe or socket that nobody serves.
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'ENXIO';
}

/** The first bytes of a plain file; `undefined` for what is none: a link, a pipe, a device, nothing. */
export function readStart(path: string, limit: number): Buffer | undefined {
  let file: number;
  try {
    file = openSync(path, READ_PLAIN);
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw thrown;
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return undefined;
    const content = Buffer.alloc(Math.min(limit, stat.size));
    let length = 0;
    for (let more = 1; more > 0 && length < content.length; length += more) {
      more = readSync(file, content, length, content.length - length, null);
    }
    return content.subarray(0, length);
  } finally {
    closeSync(file);
  }
}
