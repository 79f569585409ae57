/**
 * The files of a folder, one after the other, without what `.gitignore` files leave out. Links are not followed: what
 * they point to is another file, and may lie outside of the roots.
 */
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { CairnError } from '../errors.ts';
import { isMissing } from '../store/file.ts';
import type { IgnoreFile } from '../store/gitignore.ts';
import { IgnoreRules, isDenied } from './ignore.ts';
import { LONGEST } from './place.ts';

/** Never documents: what version control and we ourselves keep. */
export const skipped: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', '.jj', '.cairn']);
const EFFORT = 2_000_000_000;

export interface Found {
  /** Below the folder, with slashes. A folder that cannot be looked into is there too: to take it as a file fails, by name. */
  readonly path: string;
}

/** In the order of the paths, folder by folder. */
export async function* filesIn(root: string, signal: AbortSignal): AsyncGenerator<Found> {
  const ignore = new IgnoreRules(root);
  yield* walk(root, '', ignore, ignore.above, { left: EFFORT }, signal);
}

async function* walk(
  root: string,
  folder: string,
  ignore: IgnoreRules,
  rules: readonly IgnoreFile[],
  effort: { left: number },
  signal: AbortSignal,
): AsyncGenerator<Found> {
  signal.throwIfAborted();
  const entries = folder.length > LONGEST ? undefined : await namesIn(join(root, folder));
  if (entries === undefined) {
    yield { path: folder };
    return;
  }
  const own = [...rules, ...ignore.in(folder)];
  for (const { name, isFolder, isFile } of entries) {
    const path = folder === '' ? name : `${folder}/${name}`;
    if (skipped.has(name) || (!isFolder && !isFile) || ignore.leavesOut(own, path, isFolder, effort)) continue;
    if (effort.left < 0) throw new CairnError('limit_exceeded', 'The .gitignore files take too long to compare');
    if (isFile) yield { path };
    else yield* walk(root, path, ignore, own, effort, signal);
  }
}

/** `undefined` where they are not ours to read. */
export async function namesIn(
  path: string,
): Promise<{ name: string; isFolder: boolean; isFile: boolean }[] | undefined> {
  const found: { name: string; isFolder: boolean; isFile: boolean }[] = [];
  try {
    for await (const entry of await opendir(path)) {
      found.push({ name: entry.name, isFolder: entry.isDirectory(), isFile: entry.isFile() });
    }
  } catch (thrown) {
    if (isDenied(thrown)) return undefined;
    // Gone meanwhile: the others are there.
    if (!isMissing(thrown)) throw thrown;
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}
