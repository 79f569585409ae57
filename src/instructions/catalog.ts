/**
 * The catalog of one store: keeps the shelf in memory equal to the files, through the index that all processes share.
 * A file that anybody changed is read again once, by whoever notices first; everybody else learns it from the index.
 *
 * `current` is what every operation begins with. It costs one look at the index version; what the watcher reported since is
 * read first. The first call of a server answers from the index and looks at all files behind it; a one-shot command, a
 * reload and a verification look first.
 */
import type { FileStamp, IndexedFile, Store } from '../store/store.ts';
import { type Entry, fileOf, type Head, idOfFile, isId } from './entry.ts';
import { headOf, metaHashOf, type ReadEntry, readEntry } from './file.ts';
import { InstructionShelf, type Shelved } from './shelf.ts';

export interface BadFile {
  readonly file: string;
  readonly problem: string;
}

interface Known {
  readonly size: number;
  readonly modifiedMs: number;
  readonly id?: string;
  readonly problem?: string;
}

/** What the index keeps of an entry, as JSON. */
interface IndexedHead {
  readonly head: Head;
  readonly storedHash?: string;
}

const RESCAN_MS = 10_000;
const SCAN_DELAY_MS = 150;
const READ_AT_ONCE = 64;

export class Catalog {
  readonly shelf = new InstructionShelf();
  readonly #store: Store;
  readonly #files = new Map<string, Known>();
  readonly #reported = new Set<string>();
  #version = 0;
  #lastScan = 0;
  #scanning: Promise<void> | undefined;
  #later: NodeJS.Timeout | undefined;
  #watched = false;
  #refreshing: Promise<unknown> = Promise.resolve();

  constructor(store: Store) {
    this.#store = store;
    store.beforeClose(() => this.#keepHash());
  }

  /** The catalog as it is now; `exact` looks at every file before it answers. */
  async current(exact = false): Promise<InstructionShelf> {
    await this.#watch();
    await this.#inTurn(() => this.#takeChanges());
    if (exact || this.#version === 0) await this.rescan();
    else if (this.#reported.size > 0) await this.#inTurn(() => this.#readReported());
    else this.#scanLater();
    return this.shelf;
  }

  /** The hash of the whole; a process that has just started takes the one that the last one kept, and loads behind it. */
  async hash(): Promise<string> {
    const kept = this.#version === 0 ? await this.#store.instructions.catalogHash() : undefined;
    if (kept === undefined) return (await this.current()).hash;
    this.#scanLater();
    return kept;
  }

  /** Answers go out first; a look at all files follows in a moment, at most every ten seconds. */
  #scanLater(): void {
    if (this.#later !== undefined || Date.now() - this.#lastScan < RESCAN_MS) return;
    this.#later = setTimeout(() => {
      this.#later = undefined;
      this.#inTurn(() => this.#takeChanges())
        .then(() => this.rescan())
        .catch(() => {});
    }, SCAN_DELAY_MS).unref();
  }

  /** For the next process to start with. */
  async #keepHash(): Promise<void> {
    if (this.#version > 0) await this.#store.instructions.keepCatalogHash(this.#version, this.shelf.hash);
  }

  /** Reads again what differs from the index, and forgets what is gone. O(files) stats, reads only what changed. */
  rescan(): Promise<void> {
    this.#scanning ??= this.#inTurn(() => this.#scan(false)).finally(() => {
      this.#scanning = undefined;
    });
    return this.#scanning;
  }

  /** Reads every file again, whatever its stamp says: exact also where somebody set the times back. */
  async reread(): Promise<InstructionShelf> {
    await this.current();
    await this.#inTurn(() => this.#scan(true));
    return this.shelf;
  }

  /** The files of these entries changed: by this process just now, or so somebody says. */
  async refresh(ids: readonly string[]): Promise<void> {
    await this.#inTurn(async () => {
      await this.#takeChanges();
      await this.#readAgain(ids.map(fileOf));
    });
  }

  /** One entry from its file: an edit by hand is seen at once. */
  async read(id: string): Promise<ReadEntry | undefined> {
    if (!isId(id)) return undefined;
    const name = fileOf(id);
    const stamp = await this.#store.files.stamp('instructions', name);
    if (this.#version > 0 && !sameStamp(this.#files.get(name), stamp)) await this.refresh([id]);
    const text = await this.#store.files.read('instructions', name);
    const reading = text === undefined ? undefined : readEntry(id, text);
    return reading === undefined || 'problem' in reading ? undefined : reading;
  }

  /** Whole entries, bodies from the index; in the order asked for, without those that are gone. */
  async entries(ids: readonly string[]): Promise<Entry[]> {
    const bodies = await this.#store.instructions.bodies(ids);
    return ids.flatMap((id) => {
      const head = this.shelf.get(id)?.head;
      const body = bodies.get(id);
      return head === undefined || body === undefined ? [] : [{ ...head, body }];
    });
  }

  /** Bytes of all instruction files. */
  get size(): number {
    let bytes = 0;
    for (const { size } of this.#files.values()) bytes += size;
    return bytes;
  }

  badFiles(): BadFile[] {
    return [...this.#files].flatMap(([file, { problem }]) => (problem === undefined ? [] : [{ file, problem }]));
  }

  /** One change at a time: two that interleave would each undo what the other learnt. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#refreshing.then(work);
    this.#refreshing = turn.catch(() => undefined);
    return turn;
  }

  async #watch(): Promise<void> {
    if (this.#watched) return;
    this.#watched = await this.#store.watch('instructions', (name) => {
      if (idOfFile(name) !== undefined) this.#reported.add(name);
    });
  }

  async #takeChanges(): Promise<void> {
    const index = this.#store.instructions;
    if ((await index.version()) === this.#version) return;
    const { version, files, removed } = await index.changesSince(this.#version);
    for (const name of removed) this.#forget(name);
    const shelved = files.flatMap((file) => this.#learn(file));
    if (this.#version === 0) this.shelf.setAll(shelved);
    else for (const entry of shelved) this.shelf.set(entry);
    this.#version = version;
  }

  async #readReported(): Promise<void> {
    const names = [...this.#reported];
    await this.#readAgain(names);
    // Only now: what could not be read is still to be read.
    for (const name of names) this.#reported.delete(name);
  }

  async #scan(everything: boolean): Promise<void> {
    const reported = [...this.#reported];
    const stamps = await this.#store.files.list('instructions');
    const present = new Map(
      stamps.filter(({ name }) => idOfFile(name) !== undefined).map((stamp) => [stamp.name, stamp]),
    );
    const changed = [...present.values()].filter(
      (stamp) => everything || !sameStamp(this.#files.get(stamp.name), stamp),
    );
    const gone = [...this.#files.keys()].filter((name) => !present.has(name));
    await this.#index(changed, gone);
    for (const name of reported) this.#reported.delete(name);
    this.#lastScan = Date.now();
  }

  async #readAgain(names: readonly string[]): Promise<void> {
    const changed: FileStamp[] = [];
    const gone: string[] = [];
    for (const name of names) {
      const stamp = await this.#store.files.stamp('instructions', name);
      if (stamp === undefined) gone.push(name);
      else if (!sameStamp(this.#files.get(name), stamp)) changed.push(stamp);
    }
    await this.#index(
      changed,
      gone.filter((name) => this.#files.has(name)),
    );
  }

  async #index(changed: readonly FileStamp[], gone: readonly string[]): Promise<void> {
    for (let start = 0; start < changed.length; start += READ_AT_ONCE) {
      const read = await Promise.all(changed.slice(start, start + READ_AT_ONCE).map((stamp) => this.#readFile(stamp)));
      await this.#store.instructions.update(
        read.filter((file) => file !== undefined),
        [],
      );
    }
    if (gone.length > 0) await this.#store.instructions.update([], gone);
    await this.#takeChanges();
  }

  /** Named by its stamp from before the reading: if the file changes in between, the stamp no longer fits and it is read again. */
  async #readFile(stamp: FileStamp): Promise<IndexedFile | undefined> {
    const text = await this.#store.files.read('instructions', stamp.name);
    if (text === undefined) return undefined;
    const reading = readEntry(idOfFile(stamp.name) ?? '', text);
    if ('problem' in reading) return { ...stamp, problem: reading.problem };
    const { entry, storedHash } = reading;
    const head = headOf(entry);
    const kept: IndexedHead = { head, ...(storedHash !== undefined && { storedHash }) };
    return {
      ...stamp,
      id: entry.id,
      head: JSON.stringify(kept),
      body: entry.body,
      title: entry.title,
      metaHash: metaHashOf(head),
    };
  }

  #learn(file: IndexChangesFile): Shelved[] {
    const { name, size, modifiedMs, id, head, metaHash, problem } = file;
    this.#forget(name);
    this.#files.set(name, { size, modifiedMs, ...(id && { id }), ...(problem && { problem }) });
    return head === undefined || metaHash === undefined ? [] : [{ ...(JSON.parse(head) as IndexedHead), metaHash }];
  }

  #forget(name: string): void {
    const id = this.#files.get(name)?.id;
    if (id !== undefined) this.shelf.delete(id);
    this.#files.delete(name);
  }
}

type IndexChangesFile = Omit<IndexedFile, 'body' | 'title'>;

function sameStamp(known: Known | undefined, stamp: FileStamp | undefined): boolean {
  return known?.size === stamp?.size && known?.modifiedMs === stamp?.modifiedMs;
}

const catalogs = new WeakMap<Store, Catalog>();

/** The one catalog of a store in this process. */
export function catalogOf(store: Store): Catalog {
  let catalog = catalogs.get(store);
  if (catalog === undefined) {
    catalog = new Catalog(store);
    catalogs.set(store, catalog);
  }
  return catalog;
}
