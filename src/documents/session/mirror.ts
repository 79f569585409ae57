/** What a watch knows of its tree: each file as it was when it was last taken, and the folders it has been in. */

/** How much of a file must be equal for it to be the same. */
export function stampOf({ size, mtimeMs, ino }: { size: number; mtimeMs: number; ino: number }): string {
  return `${size} ${mtimeMs} ${ino}`;
}

export class Mirror {
  readonly #files = new Map<string, string>();
  readonly #folders = new Set<string>();

  get size(): number {
    return this.#files.size;
  }

  hasFile(path: string): boolean {
    return this.#files.has(path);
  }

  hasFolder(path: string): boolean {
    return this.#folders.has(path);
  }

  isSame(path: string, stamp: string): boolean {
    return this.#files.get(path) === stamp;
  }

  keep(path: string, stamp: string): void {
    this.#files.set(path, stamp);
  }

  forget(path: string): void {
    this.#files.delete(path);
  }

  enter(folder: string): void {
    this.#folders.add(folder);
  }

  /** The folder and those below it. The files stay known until their documents are gone. */
  leave(folder: string): void {
    for (const each of this.#folders) if (isBelow(each, folder) || each === folder) this.#folders.delete(each);
  }

  filesBelow(folder: string): string[] {
    return [...this.#files.keys()].filter((path) => isBelow(path, folder));
  }
}

function isBelow(path: string, folder: string): boolean {
  return folder === '' ? path !== '' : path.startsWith(`${folder}/`);
}
