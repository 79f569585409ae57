/** The `.gitignore` files that concern a folder: those in it, and those above it up to the root of its repository. */
import { existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { readStart } from '../store/file.ts';
import { type Effort, type IgnoreFile, isIgnored, parseIgnore } from '../store/gitignore.ts';

const MOST_BYTES = 256 * 1024;
const EFFORT_ABOVE = 10_000_000;

export class IgnoreRules {
  /** In force for everything below the folder. None where the folder itself is left out: who names it wants it. */
  readonly above: readonly IgnoreFile[];
  readonly #root: string;
  /** From the root of the repository to the folder, with a slash at its end; empty where they are the same. */
  readonly #prefix: string;

  constructor(root: string) {
    this.#root = root;
    const repository = repositoryOf(root);
    const way = repository === root ? [] : relative(repository, root).split(sep);
    this.#prefix = way.map((name) => `${name}/`).join('');
    this.above = rulesAlong(repository, way);
  }

  /** Of a folder below: its own file, if it has one. */
  in(folder: string): IgnoreFile[] {
    return ignoreFile(join(this.#root, folder), `${this.#prefix}${folder}`.replace(/\/$/, ''));
  }

  leavesOut(rules: readonly IgnoreFile[], path: string, isFolder: boolean, effort: Effort): boolean {
    return isIgnored(rules, this.#prefix + path, isFolder, effort);
  }
}

function repositoryOf(root: string): string {
  for (let folder = root; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return root;
  }
}

function rulesAlong(repository: string, way: readonly string[]): IgnoreFile[] {
  const rules: IgnoreFile[] = [];
  const effort = { left: EFFORT_ABOVE };
  for (const [depth] of way.entries()) {
    const folder = way.slice(0, depth).join('/');
    rules.push(...ignoreFile(join(repository, folder), folder));
    if (isIgnored(rules, way.slice(0, depth + 1).join('/'), true, effort) || effort.left < 0) return [];
  }
  return rules;
}

function ignoreFile(path: string, folder: string): IgnoreFile[] {
  try {
    const content = readStart(join(path, '.gitignore'), MOST_BYTES);
    return content === undefined ? [] : [parseIgnore(content, folder)];
  } catch (thrown) {
    // As git does; the file itself is named as one that cannot be taken.
    if (isDenied(thrown)) return [];
    throw thrown;
  }
}

export function isDenied(thrown: unknown): boolean {
  const code = (thrown as NodeJS.ErrnoException).code;
  return code === 'EACCES' || code === 'EPERM' || code === 'ENAMETOOLONG';
}
