/**
 * The files of a folder, one after the other, without what its `.gitignore` files leave out. Links are not followed: what
 * they point to is another file, and may lie outside of the roots.
 */
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { CairnError } from '../errors.ts';
import { isMissing, readStart } from '../store/file.ts';
import { type IgnoreFile, isIgnored, parseIgnore } from '../store/gitignore.ts';
import { LONGEST } from './place.ts';

/** Never documents: what version control and we ourselves keep. */
export const skipped: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', '.jj', '.cairn']);
const IGNORE_BYTES = 256 * 1024;
const EFFORT = 2_000_000_000;

export interface Found {
  /** Below the folder, with slashes. A folder that cannot be looked into is there too: to take it as a file fails, by name. */
  readonly path: string;
}

/** In the order of the paths, folder by folder. */
export async function* filesIn(root: string, signal: AbortSignal): AsyncGenerator<Found> {
  const effort = { left: EFFORT };
  yield* walk(root, '', [], effort, signal);
}

async function* walk(
  root: string,
  folder: string,
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
  const own = [...rules, ...ignoreFile(root, folder)];
  for (const { name, isFolder, isFile } of entries) {
    const path = folder === '' ? name : `${folder}/${name}`;
    if (skipped.has(name) || (!isFolder && !isFile) || isIgnored(own, path, isFolder, effort)) continue;
    if (effort.left < 0) throw new CairnError('limit_exceeded', 'The .gitignore files take too long to compare');
    if (isFile) yield { path };
    else yield* walk(root, path, own, effort, signal);
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

function isDenied(thrown: unknown): boolean {
  const code = (thrown as NodeJS.ErrnoException).code;
  return code === 'EACCES' || code === 'EPERM' || code === 'ENAMETOOLONG';
}

export function ignoreFile(root: string, folder: string): IgnoreFile[] {
  try {
    const content = readStart(join(root, folder, '.gitignore'), IGNORE_BYTES);
    return content === undefined ? [] : [parseIgnore(content, folder)];
  } catch (thrown) {
    // As git does; the file itself is named as one that cannot be taken.
    if (isDenied(thrown)) return [];
    throw thrown;
  }
}
