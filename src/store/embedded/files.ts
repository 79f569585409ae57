/** Files of the home as shelves. Reading is plain; writing is planned here and carried out by the journal on commit. */
import { lstatSync, type Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CairnError } from '../../errors.ts';
import { isMissing, namesIn, readIfPresent, readStart } from '../file.ts';
import { sha256 } from '../hash.ts';
import { isShelfName, requireShelfName } from '../name.ts';
import type { FileDesk, FileShelf, FileStamp, Shelf } from '../store.ts';
import { transactionOver } from './database.ts';
import { discard, type FileChange, planPut, planRemove } from './journal.ts';

export type ShelfFolders = Readonly<Record<Shelf, string>>;

export function shelfIn(folders: ShelfFolders): FileShelf {
  return {
    async stamp(shelf, name) {
      pathOf(folders, shelf, name);
      return stampOf(folders[shelf], name);
    },
    async list(shelf) {
      return (await stampsIn(folders[shelf])).sort(byName);
    },
    async read(shelf, name) {
      return readIfPresent(pathOf(folders, shelf, name));
    },
    async start(shelf, name, limit) {
      return readStart(pathOf(folders, shelf, name), limit);
    },
  };
}

/** A file whose versions are kept, as a transaction is about to leave it. */
export interface PlannedVersion {
  /** As the history names it. */
  readonly path: string;
  readonly absolute: string;
  /** The hash of what is there now. */
  readonly before?: string;
  readonly text: string | null;
}

const versioned: readonly Shelf[] = ['instructions', 'decisions'];

/**
 * As the history names a file. Git writes the list of a folder anew with every commit; spread over 256 folders, twenty
 * thousand files cost a commit no more than eighty do.
 */
export function historyPath(shelf: Shelf, name: string): string {
  return `${shelf}/${sha256(name).slice(0, 2)}/${name}`;
}

export class PlannedFiles implements FileDesk {
  readonly #folders: ShelfFolders;
  readonly #shelf: FileShelf;
  readonly #changes = new Map<string, FileChange>();
  readonly #texts = new Map<string, string | undefined>();
  readonly #underWay: Promise<unknown>[] = [];
  #sealed = false;

  constructor(folders: ShelfFolders) {
    this.#folders = folders;
    this.#shelf = shelfIn(folders);
  }

  /** Waits for what is still being staged and takes nothing more: the changes of the transaction are these. */
  async seal(): Promise<readonly FileChange[]> {
    this.#sealed = true;
    await Promise.all(this.#underWay);
    return [...this.#changes.values()];
  }

  versions(): PlannedVersion[] {
    return [...this.#changes.values()].flatMap(({ path, before }) => {
      const shelf = versioned.find((each) => this.#folders[each] === dirname(path));
      if (shelf === undefined) return [];
      const text = this.#texts.get(path) ?? null;
      return [
        { path: historyPath(shelf, basename(path)), absolute: path, ...(before !== undefined && { before }), text },
      ];
    });
  }

  async stamp(shelf: Shelf, name: string): Promise<FileStamp | undefined> {
    const path = pathOf(this.#folders, shelf, name);
    if (!this.#texts.has(path)) return this.#shelf.stamp(shelf, name);
    const text = this.#texts.get(path);
    return text === undefined ? undefined : { name, size: Buffer.byteLength(text), modifiedMs: Date.now() };
  }

  async list(shelf: Shelf): Promise<FileStamp[]> {
    const folder = this.#folders[shelf];
    const stamps = (await this.#shelf.list(shelf)).filter(({ name }) => !this.#texts.has(join(folder, name)));
    for (const [path, text] of this.#texts) {
      if (text === undefined || dirname(path) !== folder) continue;
      stamps.push({ name: basename(path), size: Buffer.byteLength(text), modifiedMs: Date.now() });
    }
    return stamps.sort(byName);
  }

  async read(shelf: Shelf, name: string): Promise<string | undefined> {
    const path = pathOf(this.#folders, shelf, name);
    return this.#texts.has(path) ? this.#texts.get(path) : readIfPresent(path);
  }

  async start(shelf: Shelf, name: string, limit: number): Promise<Uint8Array | undefined> {
    const path = pathOf(this.#folders, shelf, name);
    if (!this.#texts.has(path)) return readStart(path, limit);
    const text = this.#texts.get(path);
    return text === undefined ? undefined : Buffer.from(text).subarray(0, limit);
  }

  put(shelf: Shelf, name: string, text: string, expect?: string | null): Promise<void> {
    return this.#follow(async () => {
      const path = pathOf(this.#folders, shelf, name);
      if (expect !== undefined) await this.#check(shelf, name, expect);
      await this.#replace(path, await planPut(path, text, this.#folders.home));
      this.#texts.set(path, text);
    });
  }

  remove(shelf: Shelf, name: string): Promise<boolean> {
    return this.#follow(async () => {
      const path = pathOf(this.#folders, shelf, name);
      const present = await this.read(shelf, name);
      if (present === undefined) return false;
      await this.#replace(path, await planRemove(path));
      this.#texts.set(path, undefined);
      return true;
    });
  }

  async abandon(): Promise<void> {
    await discard(await this.seal());
  }

  async #follow<T>(change: () => Promise<T>): Promise<T> {
    if (this.#sealed) throw transactionOver();
    const done = change();
    this.#underWay.push(done.catch(() => undefined));
    return done;
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

const AT_ONCE = 256;

/** Asked synchronously, a few hundred at a time: twenty thousand stats through the thread pool take five times as long. */
async function stampsIn(folder: string): Promise<FileStamp[]> {
  const names = (await namesIn(folder)).filter(isShelfName);
  const stamps: FileStamp[] = [];
  for (const [index, name] of names.entries()) {
    const stamp = stampOf(folder, name);
    if (stamp !== undefined) stamps.push(stamp);
    if (index % AT_ONCE === AT_ONCE - 1) await nextTurn();
  }
  return stamps;
}

/** A link could point anywhere; only plain files are part of a shelf. */
function stampOf(folder: string, name: string): FileStamp | undefined {
  const stats = statsOf(join(folder, name));
  return stats?.isFile() ? { name, size: stats.size, modifiedMs: stats.mtimeMs } : undefined;
}

/** `undefined` also where its folder is a file: the store's report says so. */
function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw thrown;
  }
}

function byName(a: FileStamp, b: FileStamp): number {
  return a.name < b.name ? -1 : 1;
}

function pathOf(folders: ShelfFolders, shelf: Shelf, name: string): string {
  requireShelfName(name);
  return join(folders[shelf], name);
}
