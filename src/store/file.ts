/**
 * The one way files are written: into a temporary file beside the target, fsync, rename over it, fsync of the folder.
 * A reader sees the old bytes or the new ones, never a mixture, whatever instant the process dies at.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

export async function writeFileAtomically(path: string, data: string | Uint8Array): Promise<void> {
  const staged = await stageFile(path, data);
  try {
    await rename(staged, path);
  } catch (thrown) {
    await removeIfPresent(staged);
    throw thrown;
  }
  await syncFolder(dirname(path));
}

/** What `stageFile` calls its files. */
export const stagedName = /^\..+\.[0-9a-f]{12}\.tmp$/;

/** Writes and fsyncs the temporary file only; `rename(staged, path)` then puts it in place. */
export async function stageFile(path: string, data: string | Uint8Array): Promise<string> {
  const staged = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  const handle = await openMakingFolder(staged);
  try {
    await handle.writeFile(data);
    await handle.sync();
  } catch (thrown) {
    await handle.close();
    await removeIfPresent(staged);
    throw thrown;
  }
  await handle.close();
  return staged;
}

async function openMakingFolder(path: string) {
  try {
    return await open(path, 'wx', 0o644);
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown;
    await makeFolder(dirname(path));
    return open(path, 'wx', 0o644);
  }
}

/** Creates a folder durably: its entry in the parent is fsynced too. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  if (first === undefined) return;
  for (let folder = path; folder.length >= first.length; folder = dirname(folder)) await syncFolder(dirname(folder));
}

export async function syncFolder(path: string): Promise<void> {
  // Windows has no fsync of a folder; NTFS journals the rename itself.
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw thrown;
  }
}

export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (thrown) {
    if (isMissing(thrown)) return [];
    throw thrown;
  }
}

export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (thrown) {
    if (isMissing(thrown)) return false;
    throw thrown;
  }
}

export async function removeIfPresent(path: string): Promise<boolean> {
  try {
    await unlink(path);
    return true;
  } catch (thrown) {
    if (isMissing(thrown)) return false;
    throw thrown;
  }
}

export function isMissing(thrown: unknown): boolean {
  const code = (thrown as NodeJS.ErrnoException | undefined)?.code;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
