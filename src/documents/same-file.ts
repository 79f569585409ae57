/**
 * Whether an open file is the one at a path that has no links in it. Threat: a folder on the way may have been swapped for a
 * link since the path was judged, and the file be one outside of the roots.
 */
import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

export async function liesAt(path: string, file: FileHandle): Promise<boolean> {
  try {
    return readlinkSync(`/proc/self/fd/${file.fd}`) === path;
  } catch {
    // Systems that do not tell: in one breath, so that there is hardly time for another swap.
    const { dev, ino } = await file.stat();
    const there = lstatSync(path);
    return realpathSync.native(path) === path && there.dev === dev && there.ino === ino;
  }
}
