/**
 * The catalog of one store: the shelf in memory, equal to the files through the index that all processes share (mirror.ts).
 */
import { namedBy } from '../graph/anchors.ts';
import { type Derived, FileMirror, type Stamp } from '../store/mirror.ts';
import type { FileStamp, IndexChanges, IndexedFile, Store } from '../store/store.ts';
import { type Entry, fileOf, type Head, idOfFile, isId } from './entry.ts';
import { headOf, metaHashOf, type ReadEntry, readEntry } from './file.ts';
import { linksOf } from './links.ts';
import { InstructionShelf, type Shelved } from './shelf.ts';

export interface BadFile {
  readonly file: string;
  readonly problem: string;
}

interface Known extends Stamp {
  readonly id?: string;
  readonly problem?: string;
}

/** What the index keeps of an entry, as JSON. */
interface IndexedHead {
  readonly head: Head;
  readonly storedHash?: string;
}

export class Catalog {
  readonly shelf = new InstructionShelf();
  readonly #store: Store;
  readonly #files = new Map<string, Known>();
  readonly #mirror: FileMirror<IndexedFile>;
  #version = 0;

  constructor(store: Store) {
    this.#store = store;
    this.#mirror = new FileMirror(store, this.#derived());
    store.beforeClose(() => this.#keepHash());
  }

  /** The catalog as it is now; `exact` looks at every file before it answers. */
  async current(exact = false): Promise<InstructionShelf> {
    await this.#mirror.current(exact);
    return this.shelf;
  }

  /** The hash of the whole; a process that has just started takes the one that the last one kept, and loads behind it. */
  async hash(): Promise<string> {
    const kept = this.#version === 0 ? await this.#store.instructions.catalogHash() : undefined;
    if (kept === undefined) return (await this.current()).hash;
    this.#mirror.scanLater();
    return kept;
  }

  /** For the next process to start with. */
  async #keepHash(): Promise<void> {
    if (this.#version > 0) await this.#store.instructions.keepCatalogHash(this.#version, this.shelf.hash);
  }

  /** Reads every file again, whatever its stamp says: exact also where somebody set the times back. */
  async reread(): Promise<InstructionShelf> {
    await this.#mirror.reread();
    return this.shelf;
  }

  /** The files of these entries changed: by this process just now, or so somebody says. */
  async refresh(ids: readonly string[]): Promise<void> {
    await this.#mirror.refresh(ids.map(fileOf));
  }

  /** One entry from its file: an edit by hand is seen at once. */
  async read(id: string): Promise<ReadEntry | undefined> {
    if (!isId(id)) return undefined;
    const name = fileOf(id);
    if (this.#version > 0 && !(await this.#mirror.fits(name))) await this.refresh([id]);
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

  #derived(): Derived<IndexedFile> {
    const index = this.#store.instructions;
    return {
      shelf: 'instructions',
      belongs: (name) => idOfFile(name) !== undefined,
      learn: () => this.#takeChanges(),
      stamp: async (name) => this.#files.get(name),
      stamps: async () => this.#files,
      derive: indexed,
      update: async (files, gone) => void (await index.update(files, gone)),
    };
  }

  async #takeChanges(): Promise<boolean> {
    const index = this.#store.instructions;
    const present = await index.version();
    if (present < this.#version) this.#startAnew();
    if (present !== this.#version) {
      const { version, files, removed } = await index.changesSince(this.#version);
      for (const name of removed) this.#forget(name);
      const shelved = files.flatMap((file) => this.#learn(file));
      if (this.#version === 0) this.shelf.setAll(shelved);
      else for (const entry of shelved) this.shelf.set(entry);
      this.#version = version;
    }
    return this.#version > 0;
  }

  /** The index was lost, and is built again from the files. */
  #startAnew(): void {
    for (const name of [...this.#files.keys()]) this.#forget(name);
    this.#version = 0;
  }

  #learn(file: IndexChanges['files'][number]): Shelved[] {
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

function indexed(stamp: FileStamp, text: string): IndexedFile {
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
    links: linksOf(head),
    mentions: namedBy(entry.id, textsOf(entry), entry.anchors),
  };
}

function textsOf({ title, description, rationale, body, examples = [] }: Entry): (string | undefined)[] {
  return [title, description, body, rationale, ...examples];
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
