/** What a watch knows of its tree: each file as it was when it was last taken, and the folders it has been in. */
import { parentOf } from './tree.ts';

/** How much of a file must be equal for it to be the same. */
export function stampOf({ size, mtimeMs, ino }: { size: number; mtimeMs: number; ino: number }): string {
  return `${size} ${mtimeMs} ${ino}`;
}

export class Mirror {
  readonly #files = new Map<string, string>();
  /** How many files are known below each folder, so that most questions need no look at all of them. */
  readonly #counts = new Map<string, number>();
  readonly #entered = new Set<string>();

  get size(): number {
    return this.#files.size;
  }

  hasFile(path: string): boolean {
    return this.#files.has(path);
  }

  isSame(path: string, stamp: string): boolean {
    return this.#files.get(path) === stamp;
  }

  keep(path: string, stamp: string): void {
    if (!this.#files.has(path)) this.#count(path, 1);
    this.#files.set(path, stamp);
  }

  forget(path: string): void {
    if (this.#files.delete(path)) this.#count(path, -1);
  }

  hasEntered(folder: string): boolean {
    return this.#entered.has(folder);
  }

  /** Whether it was a folder when it was last seen. */
  wasFolder(path: string): boolean {
    return this.#entered.has(path) || this.#counts.has(path);
  }

  enter(folder: string): void {
    this.#entered.add(folder);
  }

  /** The folder and those below it. The files stay known until their documents are gone. */
  leave(folder: string): void {
    for (const each of this.#entered) if (each === folder || isBelow(each, folder)) this.#entered.delete(each);
  }

  filesBelow(folder: string): string[] {
    return this.#counts.has(folder) ? [...this.#files.keys()].filter((path) => isBelow(path, folder)) : [];
  }

  #count(path: string, change: number): void {
    for (let folder = path; folder !== ''; ) {
      folder = parentOf(folder);
      const files = (this.#counts.get(folder) ?? 0) + change;
      if (files === 0) this.#counts.delete(folder);
      else this.#counts.set(folder, files);
    }
  }
}

function isBelow(path: string, folder: string): boolean {
  return folder === '' ? path !== '' : path.startsWith(`${folder}/`);
}
