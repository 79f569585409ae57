/** Hears of changed files as soon as the system tells. Never the only way: a rescan finds what it missed. */
import { type FSWatcher, watch } from 'node:fs';
import { isShelfName } from '../name.ts';

/** `undefined` where the folder is not there yet, or the system has no watches left. */
export function watchFolder(folder: string, onChange: (name: string) => void): (() => void) | undefined {
  let watcher: FSWatcher;
  try {
    watcher = watch(folder, { persistent: false }, (_event, name) => {
      if (name !== null && isShelfName(name)) onChange(name);
    });
  } catch {
    return undefined;
  }
  // A folder that is removed under a watcher ends it; the rescan goes on.
  watcher.on('error', () => watcher.close());
  return () => watcher.close();
}
