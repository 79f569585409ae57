/** What a watched tree holds, as `add` would take it: without what its `.gitignore` files and we ourselves leave out. */
import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { basename, dirname } from 'node:path/posix';
import { CairnError } from '../../errors.ts';
import { isMissing } from '../../store/file.ts';
import type { IgnoreFile } from '../../store/gitignore.ts';
import { IgnoreRules } from '../ignore.ts';
import { LONGEST } from '../place.ts';
import { namesIn, skipped } from '../walk.ts';

const EFFORT = 2_000_000_000;
const AT_ONCE = 64;

/** The rules of a tree at one look: made anew for the next, since they are files that change as well. */
export class TreeRules {
  readonly #root: string;
  readonly #home: string;
  readonly #ignore: IgnoreRules;
  readonly #effort = { left: EFFORT };
  readonly #inForce = new Map<string, readonly IgnoreFile[]>();
  readonly #taken = new Map<string, boolean>([['', true]]);

  /** `home` is ours: nothing in it is a document. */
  constructor(root: string, home: string) {
    this.#root = root;
    this.#home = home;
    this.#ignore = new IgnoreRules(root);
  }

  takesFolder(folder: string): boolean {
    const known = this.#taken.get(folder);
    if (known !== undefined) return known;
    const takes = folder.length <= LONGEST && join(this.#root, folder) !== this.#home && this.#takes(folder, true);
    this.#taken.set(folder, takes);
    return takes;
  }

  takesFile(path: string): boolean {
    return this.#takes(path, false);
  }

  #takes(path: string, isFolder: boolean): boolean {
    if (skipped.has(basename(path)) || !this.takesFolder(parentOf(path))) return false;
    const ignored = this.#ignore.leavesOut(this.#rulesIn(parentOf(path)), path, isFolder, this.#effort);
    if (this.#effort.left < 0) throw new CairnError('limit_exceeded', 'The .gitignore files take too long to compare');
    return !ignored;
  }

  #rulesIn(folder: string): readonly IgnoreFile[] {
    const known = this.#inForce.get(folder);
    if (known !== undefined) return known;
    const above = folder === '' ? this.#ignore.above : this.#rulesIn(parentOf(folder));
    const rules = [...above, ...this.#ignore.in(folder)];
    this.#inForce.set(folder, rules);
    return rules;
  }
}

/** `''` is the root. */
export function parentOf(path: string): string {
  const parent = dirname(path);
  return parent === '.' ? '' : parent;
}

export interface SeenFile {
  readonly path: string;
  readonly stats: Stats;
}

/** The files of a folder and all below it. `enter` is called for each folder before it is read. */
export async function* survey(
  root: string,
  from: string,
  rules: TreeRules,
  enter: (folder: string) => void,
): AsyncGenerator<SeenFile> {
  const waiting = [from];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    enter(folder);
    const files: string[] = [];
    for (const { name, isFolder, isFile } of (await namesIn(join(root, folder))) ?? []) {
      const path = folder === '' ? name : `${folder}/${name}`;
      if (isFolder && rules.takesFolder(path)) waiting.push(path);
      else if (isFile && rules.takesFile(path)) files.push(path);
    }
    for (let at = 0; at < files.length; at += AT_ONCE) {
      const some = files.slice(at, at + AT_ONCE);
      const found = await Promise.all(some.map((path) => statsOf(join(root, path))));
      for (const [index, stats] of found.entries()) {
        const path = some[index];
        if (path !== undefined && stats?.isFile()) yield { path, stats };
      }
    }
  }
}

/** Of the thing itself, not of what it links to; `undefined` where there is nothing to see. */
export async function statsOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch {
    return undefined;
  }
}

/** Whether the file is not there any more. One that cannot be seen, as in a folder that was closed to us, may well be. */
export async function isGone(path: string): Promise<boolean> {
  try {
    return !(await lstat(path)).isFile();
  } catch (thrown) {
    return isMissing(thrown);
  }
}
