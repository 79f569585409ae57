/** One look at what is said to have changed in a watched tree: which files are to be taken, and which are gone. */
import type { Stats } from 'node:fs';
import { join } from 'node:path';
import { basename } from 'node:path/posix';
import type { PathFilter } from '../glob.ts';
import type { Ears, Heard } from './ears.ts';
import { type Mirror, stampOf } from './mirror.ts';
import { isGone, parentOf, statsOf, survey, type TreeRules } from './tree.ts';

/** `look`: nobody said that it changed, but it may have. */
export type Rumour = Heard | 'look';

export interface Findings {
  /** Files that are new or not as they were, with what they look like now. */
  readonly changed: ReadonlyMap<string, string>;
  readonly gone: readonly string[];
  /** Files that somebody may be writing at this moment: the next look decides. */
  readonly fresh: readonly string[];
}

/** So young a file can change again without a change of its time. */
const FRESH_MS = 20;

export class Look {
  readonly #root: string;
  readonly #mirror: Mirror;
  readonly #ears: Ears;
  readonly #rules: TreeRules;
  readonly #wanted: PathFilter;
  readonly #mayWait: PathFilter;
  readonly #changed = new Map<string, string>();
  readonly #missing = new Set<string>();
  readonly #fresh: string[] = [];
  #rumours: ReadonlyMap<string, Rumour> = new Map();
  /** Folders that were looked through with all that is below them, or are none any more. */
  readonly #surveyed = new Set<string>();

  /** `mayWait`: whether the file may be left for the next look, if it is fresh. */
  constructor(
    tree: { root: string; mirror: Mirror; ears: Ears; rules: TreeRules; wanted: PathFilter },
    mayWait: PathFilter,
  ) {
    this.#root = tree.root;
    this.#mirror = tree.mirror;
    this.#ears = tree.ears;
    this.#rules = tree.rules;
    this.#wanted = tree.wanted;
    this.#mayWait = mayWait;
  }

  async at(rumours: ReadonlyMap<string, Rumour>): Promise<Findings> {
    this.#rumours = rumours;
    // Folders before what is in them.
    const paths = [...rumours.keys()].sort((a, b) => (a < b ? -1 : 1));
    // Other rules make other files count.
    for (const path of paths.filter((each) => basename(each) === '.gitignore')) {
      if (!this.#isCovered(path)) await this.#through(parentOf(path));
    }
    for (const path of paths) if (!this.#isCovered(path)) await this.#examine(path, rumours.get(path) ?? 'look');
    return { changed: this.#changed, gone: await this.#gone(), fresh: this.#fresh };
  }

  async #examine(path: string, rumour: Rumour): Promise<void> {
    const stats = await statsOf(join(this.#root, path));
    if (stats?.isDirectory()) {
      if (this.#mirror.hasFile(path)) this.#missing.add(path);
      if (!this.#rules.takesFolder(path)) this.#leave(path);
      else if (rumour !== 'change' || !this.#mirror.hasEntered(path)) await this.#through(path);
      return;
    }
    if (this.#mirror.wasFolder(path)) this.#leave(path);
    if (stats?.isFile() && this.#rules.takesFile(path)) this.#compare(path, stats);
    else if (this.#mirror.hasFile(path)) this.#missing.add(path);
  }

  async #through(folder: string): Promise<void> {
    this.#surveyed.add(folder);
    const known = new Set(this.#mirror.filesBelow(folder));
    const enter = (each: string) => {
      this.#ears.listen(each, this.#isRenamed(each));
      this.#mirror.enter(each);
    };
    for await (const { path, stats } of survey(this.#root, folder, this.#rules, enter)) {
      known.delete(path);
      this.#compare(path, stats);
    }
    for (const path of known) this.#missing.add(path);
  }

  #compare(path: string, stats: Stats): void {
    if (!this.#wanted(path)) return;
    const stamp = stampOf(stats);
    if (this.#mirror.isSame(path, stamp)) return;
    const isFresh = Math.abs(Date.now() - stats.mtimeMs) < FRESH_MS && this.#mayWait(path);
    if (isFresh) this.#fresh.push(path);
    else this.#changed.set(path, stamp);
  }

  #leave(folder: string): void {
    this.#surveyed.add(folder);
    for (const path of this.#mirror.filesBelow(folder)) this.#missing.add(path);
    this.#ears.leave(folder);
    this.#mirror.leave(folder);
  }

  /**
   * What is merely left out now is still there, and so is its document: it is no longer looked after. What is back already is
   * for the next look.
   */
  async #gone(): Promise<string[]> {
    const gone: string[] = [];
    for (const path of this.#missing) {
      if (this.#changed.has(path)) continue;
      if (await isGone(join(this.#root, path))) gone.push(path);
      else if (!this.#rules.takesFile(path)) this.#mirror.forget(path);
    }
    return gone;
  }

  #isCovered(path: string): boolean {
    return upwards(path).some((each) => this.#surveyed.has(each));
  }

  /** Then it may be another folder of the same name, and so may those below it. */
  #isRenamed(folder: string): boolean {
    return upwards(folder).some((each) => this.#rumours.get(each) === 'rename');
  }
}

/** The path and all folders above it, to the root. */
function upwards(path: string): string[] {
  const found = [path];
  for (let each = path; each !== ''; found.push(each)) each = parentOf(each);
  return found;
}
