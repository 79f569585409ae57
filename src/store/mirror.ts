/**
 * Keeps what is derived from the files of a shelf equal to them. A file that anybody changed, by hand, by git or in another
 * process, is read again once, by whoever notices first; everybody else learns it from the index.
 *
 * `current` is what every operation begins with: what the watcher reported since is read first. The first call of a server
 * answers from the index and looks at all files behind it; a one-shot command, a reload and a verification look first.
 */
import type { FileStamp, Shelf, Store } from './store.ts';

/** What is derived, and where it is kept. */
export interface Derived<T> {
  readonly shelf: Shelf;
  belongs(name: string): boolean;
  /** Takes over what other processes indexed. `false` where the index holds nothing yet. */
  learn(): Promise<boolean>;
  /** The stamp of the file as it was read last. */
  stamp(name: string): Promise<Stamp | undefined>;
  stamps(): Promise<ReadonlyMap<string, Stamp>>;
  derive(stamp: FileStamp, text: string): T;
  update(derived: readonly T[], gone: readonly string[]): Promise<void>;
}

export type Stamp = Pick<FileStamp, 'size' | 'modifiedMs'>;

const RESCAN_MS = 10_000;
const SCAN_DELAY_MS = 150;
const READ_AT_ONCE = 64;

export class FileMirror<T> {
  readonly #store: Store;
  readonly #derived: Derived<T>;
  readonly #reported = new Set<string>();
  #lastScan = Number.NEGATIVE_INFINITY;
  #scanning: Promise<void> | undefined;
  #later: NodeJS.Timeout | undefined;
  #watched = false;
  #owing = false;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(store: Store, derived: Derived<T>) {
    this.#store = store;
    this.#derived = derived;
  }

  /** As the files are now; `exact` looks at every one of them before it answers. */
  async current(exact = false): Promise<void> {
    await this.#watch();
    const filled = await this.#inTurn(() => this.#derived.learn());
    if (exact || !filled) await this.rescan();
    else if (this.#reported.size > 0) await this.#inTurn(() => this.#readReported());
    else this.scanLater();
  }

  /** Answers go out first; a look at all files follows in a moment, at most every ten seconds. */
  scanLater(): void {
    if (this.#later !== undefined || performance.now() - this.#lastScan < RESCAN_MS) return;
    this.#later = setTimeout(() => {
      this.#later = undefined;
      this.#inTurn(() => this.#derived.learn())
        .then(() => this.rescan())
        .catch(() => {});
    }, SCAN_DELAY_MS).unref();
  }

  /** Reads again what differs from the index, and forgets what is gone. O(files) stats, reads only what changed. */
  rescan(): Promise<void> {
    this.#scanning ??= this.#inTurn(() => this.#scan(false)).finally(() => {
      this.#scanning = undefined;
    });
    return this.#scanning;
  }

  /** Reads every file again, whatever its stamp says: exact also where somebody set the times back. */
  async reread(): Promise<void> {
    await this.current();
    await this.#inTurn(() => this.#scan(true));
  }

  /** These files changed: by this process just now, or so somebody says. */
  async refresh(names: readonly string[]): Promise<void> {
    await this.#inTurn(async () => {
      try {
        await this.#derived.learn();
        await this.#readAgain(names);
      } catch (thrown) {
        this.#owe(names);
        throw thrown;
      }
    });
  }

  /** What changed and could not be indexed: the next call reads it, or else the end, before other processes miss it. */
  #owe(names: readonly string[]): void {
    for (const name of names) this.#reported.add(name);
    if (this.#owing) return;
    this.#owing = true;
    this.#store.beforeClose(() => this.#inTurn(() => this.#readReported()).catch(() => {}));
  }

  /** Whether the index was made from the file as it is. */
  async fits(name: string): Promise<boolean> {
    return sameStamp(await this.#derived.stamp(name), await this.#store.files.stamp(this.#derived.shelf, name));
  }

  /** One change at a time: two that interleave would each undo what the other learnt. */
  #inTurn<R>(work: () => Promise<R>): Promise<R> {
    const turn = this.#queue.then(work);
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  async #watch(): Promise<void> {
    if (this.#watched) return;
    this.#watched = await this.#store.watch(this.#derived.shelf, (name) => {
      if (this.#derived.belongs(name)) this.#reported.add(name);
    });
    // Nobody told us what changed before somebody listened: the folder may be younger than the last look.
    if (this.#watched) this.#lastScan = Number.NEGATIVE_INFINITY;
  }

  async #readReported(): Promise<void> {
    const names = [...this.#reported];
    await this.#readAgain(names);
    // Only now: what could not be read is still to be read.
    for (const name of names) this.#reported.delete(name);
  }

  async #scan(everything: boolean): Promise<void> {
    const reported = [...this.#reported];
    const known = await this.#derived.stamps();
    const stamps = await this.#store.files.list(this.#derived.shelf);
    const present = stamps.filter(({ name }) => this.#derived.belongs(name));
    const names = new Set(present.map(({ name }) => name));
    await this.#index(
      present.filter((stamp) => everything || !sameStamp(known.get(stamp.name), stamp)),
      [...known.keys()].filter((name) => !names.has(name)),
    );
    for (const name of reported) this.#reported.delete(name);
    this.#lastScan = performance.now();
  }

  async #readAgain(names: readonly string[]): Promise<void> {
    const changed: FileStamp[] = [];
    const gone: string[] = [];
    for (const name of names) {
      const stamp = await this.#store.files.stamp(this.#derived.shelf, name);
      const known = await this.#derived.stamp(name);
      if (stamp === undefined) {
        if (known !== undefined) gone.push(name);
      } else if (!sameStamp(known, stamp)) changed.push(stamp);
    }
    await this.#index(changed, gone);
  }

  async #index(changed: readonly FileStamp[], gone: readonly string[]): Promise<void> {
    for (let start = 0; start < changed.length; start += READ_AT_ONCE) {
      const read = await Promise.all(changed.slice(start, start + READ_AT_ONCE).map((stamp) => this.#read(stamp)));
      await this.#derived.update(
        read.filter((file) => file !== undefined),
        [],
      );
    }
    if (gone.length > 0) await this.#derived.update([], gone);
    await this.#derived.learn();
  }

  /** Named by its stamp from before the reading: if the file changes in between, the stamp no longer fits and it is read again. */
  async #read(stamp: FileStamp): Promise<T | undefined> {
    const text = await this.#store.files.read(this.#derived.shelf, stamp.name);
    return text === undefined ? undefined : this.#derived.derive(stamp, text);
  }
}

function sameStamp(known: Stamp | undefined, stamp: Stamp | undefined): boolean {
  return known?.size === stamp?.size && known?.modifiedMs === stamp?.modifiedMs;
}
