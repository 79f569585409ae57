/** Files of the home as shelves. Reading is plain; writing is planned here and carried out by the journal on commit. */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CairnError } from '../../errors.ts';
import { isMissing, readIfPresent } from '../file.ts';
import { sha256 } from '../hash.ts';
import type { FileDesk, FileShelf, FileStamp, Shelf } from '../store.ts';
import { discard, type FileChange, planPut, planRemove } from './journal.ts';

export type ShelfFolders = Readonly<Record<Shelf, string>>;

export function shelfIn(folders: ShelfFolders): FileShelf {
  return {
    async list(shelf) {
      return (await stampsIn(folders[shelf])).sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async read(shelf, name) {
      return readIfPresent(pathOf(folders, shelf, name));
    },
  };
}

export class PlannedFiles implements FileDesk {
  readonly #folders: ShelfFolders;
  readonly #shelf: FileShelf;
  readonly #changes = new Map<string, FileChange>();
  readonly #texts = new Map<string, string | undefined>();

  constructor(folders: ShelfFolders) {
    this.#folders = folders;
    this.#shelf = shelfIn(folders);
  }

  get changes(): readonly FileChange[] {
    return [...this.#changes.values()];
  }

  list(shelf: Shelf): Promise<FileStamp[]> {
    return this.#shelf.list(shelf);
  }

  async read(shelf: Shelf, name: string): Promise<string | undefined> {
    const path = pathOf(this.#folders, shelf, name);
    return this.#texts.has(path) ? this.#texts.get(path) : readIfPresent(path);
  }

  async put(shelf: Shelf, name: string, text: string, expect?: string | null): Promise<void> {
    const path = pathOf(this.#folders, shelf, name);
    if (expect !== undefined) await this.#check(shelf, name, expect);
    await this.#replace(path, await planPut(path, text));
    this.#texts.set(path, text);
  }

  async remove(shelf: Shelf, name: string): Promise<boolean> {
    const path = pathOf(this.#folders, shelf, name);
    const present = await this.read(shelf, name);
    if (present === undefined) return false;
    await this.#replace(path, await planRemove(path));
    this.#texts.set(path, undefined);
    return true;
  }

  async abandon(): Promise<void> {
    await discard(this.changes);
  }

  async #check(shelf: Shelf, name: string, expect: string | null): Promise<void> {
    const present = await this.read(shelf, name);
    const hash = present === undefined ? null : sha256(present);
    if (hash !== expect) {
      throw new CairnError('conflict', `${shelf}/${name} is not what was expected: somebody changed it`, {
        expected: expect,
        actual: hash,
      });
    }
  }

  async #replace(path: string, change: FileChange | undefined): Promise<void> {
    const earlier = this.#changes.get(path);
    if (earlier !== undefined) await discard([earlier]);
    if (change === undefined) this.#changes.delete(path);
    else this.#changes.set(path, change);
  }
}

async function stampsIn(folder: string): Promise<FileStamp[]> {
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (thrown) {
    if (isMissing(thrown)) return [];
    throw thrown;
  }
  const stamps: FileStamp[] = [];
  for (const name of names) {
    if (name.startsWith('.')) continue;
    try {
      const { size, mtimeMs, isFile } = await stampOf(join(folder, name));
      if (isFile) stamps.push({ name, size, modifiedMs: mtimeMs });
    } catch (thrown) {
      if (!isMissing(thrown)) throw thrown;
    }
  }
  return stamps;
}

async function stampOf(path: string): Promise<{ size: number; mtimeMs: number; isFile: boolean }> {
  // A link could point anywhere; only plain files are part of a shelf.
  const stats = await lstat(path);
  return { size: stats.size, mtimeMs: stats.mtimeMs, isFile: stats.isFile() };
}

/** A name is one path segment: no separator, no leading dot, no control character, nothing a file system reads otherwise. */
function pathOf(folders: ShelfFolders, shelf: Shelf, name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here
  if (name === '' || name.length > 200 || name.startsWith('.') || /[/\\:\x00-\x1f]/.test(name)) {
    throw new CairnError('validation_failed', `${JSON.stringify(name)} cannot be the name of a file`, {
      suggestion: 'Use one name without slashes, colons, control characters or a leading dot.',
    });
  }
  return join(folders[shelf], name);
}
