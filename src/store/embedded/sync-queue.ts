/** Fsyncs files a moment after they were written, many together, off the main thread; then the store forgets their bytes. */
import { dirname } from 'node:path';
import { syncFileBehind, syncFolderBehind } from '../file.ts';
import { messageOf } from './failure.ts';
import type { Placed } from './unsynced.ts';

/** Long enough to take many at once, short enough that few wait. */
const OWN_MS = 250;
/** Whoever wrote a file syncs it, unless it died. */
const OTHERS_MS = 3000;
const MANY = 256;
/** As many as there are threads for it; the disk takes those that arrive together in one go. */
const AT_ONCE = 4;

export class SyncQueue {
  readonly #forget: (staged: readonly string[]) => Promise<void>;
  readonly #onProblem: (message: string) => void;
  /** Known to be in place: those that wait, and those that are being synced or could not be. */
  readonly #known = new Set<string>();
  readonly #waiting = new Map<string, { readonly path: string; readonly due: number }>();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  /** `forget` drops the rows, durably. */
  constructor(forget: (staged: readonly string[]) => Promise<void>, onProblem: (message: string) => void) {
    this.#forget = forget;
    this.#onProblem = onProblem;
  }

  knows(staged: string): boolean {
    return this.#known.has(staged);
  }

  add(files: readonly Placed[], whose: 'own' | 'others'): void {
    if (files.length === 0) return;
    const due = performance.now() + (whose === 'own' ? OWN_MS : OTHERS_MS);
    for (const { staged, path } of files) {
      this.#known.add(staged);
      this.#waiting.set(staged, { path, due });
    }
    if (this.#waiting.size >= MANY) void this.flush();
    this.#schedule();
  }

  /** Everything that waits now. */
  flush(until = Number.POSITIVE_INFINITY): Promise<void> {
    this.#running = this.#running.then(() => this.#sync(until));
    return this.#running;
  }

  async close(): Promise<void> {
    await this.flush();
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.flush(performance.now());
      if (this.#waiting.size > 0) this.#schedule();
    }, OWN_MS).unref();
  }

  async #sync(until: number): Promise<void> {
    const batch = [...this.#waiting].filter(([, { due }]) => due <= until);
    if (batch.length === 0) return;
    for (const [staged] of batch) this.#waiting.delete(staged);
    const staged = batch.map(([name]) => name);
    try {
      const files = new Set(batch.map(([, { path }]) => path));
      await inParallel([...files], syncFileBehind);
      await inParallel([...new Set([...files].map((path) => dirname(path)))], syncFolderBehind);
      await this.#forget(staged);
      for (const name of staged) this.#known.delete(name);
    } catch (thrown) {
      // Asking the disk again would hear that all is well. The bytes stay in the store.
      this.#onProblem(`Files could not be synced; their text stays in the store: ${messageOf(thrown)}`);
    }
  }
}

async function inParallel(items: string[], work: (item: string) => Promise<void>): Promise<void> {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
}
