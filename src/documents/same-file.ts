/**
 * Whether an open file is the one at a path that has no links in it. Threat: a folder on the way may have been swapped for a
 * link since the path was judged, and the file be one outside of the roots.
 */
import { fstatSync, lstatSync, readlinkSync, realpathSync, unlinkSync } from 'node:fs';

export function liesAt(path: string, descriptor: number): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`) === path;
  } catch {
    // Systems that do not tell: in one breath, so that there is hardly time for another swap.
    const { dev, ino } = fstatSync(descriptor);
    const there = lstatSync(path);
    return realpathSync.native(path) === path && there.dev === dev && there.ino === ino;
  }
}

/** Takes a file of our own away from wherever it was really made, on systems that tell where that is. */
export function removeOpened(descriptor: number): void {
  try {
    unlinkSync(readlinkSync(`/proc/self/fd/${descriptor}`));
  } catch {
    // It stays, empty.
  }
}
