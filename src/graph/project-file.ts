/** Files of the project as they lie on the disk, by their hash. What did not change since it was read is not read again. */
import { constants, lstatSync, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Config } from '../service/config.ts';
import { projectFile } from '../service/roots.ts';
import { sha256 } from '../store/hash.ts';

/** Nobody cites longer ones to be told that they changed. */
const LARGEST = 16 * 1024 * 1024;
const KEPT = 10_000;

const hashes = new Map<string, { readonly stamp: string; readonly hash: string }>();

type Where = Pick<Config, 'home' | 'roots'>;

/** `undefined` where there is no such file, or none that may be read. */
export async function fileHash(path: string, where: Where): Promise<string | undefined> {
  // One look, without waiting for threads: most of what texts mention is no file at all, and most files stay as they are.
  const named = join(dirname(where.home), path);
  const stats = statsOf(named);
  if (stats === undefined) return undefined;
  const known = hashes.get(named);
  if (known !== undefined && stats.isFile() && known.stamp === stampOf(stats)) return known.hash;
  const bytes = await fileBytes(path, where);
  if (bytes === undefined) return undefined;
  const hash = sha256(bytes);
  if (hashes.size >= KEPT) hashes.clear();
  // Stamped as it was before it was read: if it has changed since, the stamp no longer fits.
  hashes.set(named, { stamp: stampOf(stats), hash });
  return hash;
}

export async function fileBytes(path: string, where: Where): Promise<Buffer | undefined> {
  const real = await projectFile(path, where);
  if (real === undefined) return undefined;
  try {
    // A link could have been put there since the path was judged; a pipe would never end.
    const file = await open(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    try {
      const stats = await file.stat();
      return stats.isFile() && stats.size <= LARGEST ? await file.readFile() : undefined;
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function stampOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, size, mtimeMs, ctimeMs].join(' ');
}
