/** Contents that were stored a moment ago, so that indexing them need not unpack what was just packed. */
import type { Store } from '../store/store.ts';

const MOST_BYTES = 16 * 1024 * 1024;

export class Recent {
  readonly #contents = new Map<string, Buffer>();
  #bytes = 0;

  put(hash: string, content: Buffer): void {
    if (content.length > MOST_BYTES / 4 || this.#contents.has(hash)) return;
    this.#contents.set(hash, content);
    this.#bytes += content.length;
    for (const [oldest, bytes] of this.#contents) {
      if (this.#bytes <= MOST_BYTES) return;
      this.#contents.delete(oldest);
      this.#bytes -= bytes.length;
    }
  }

  get(hash: string): Buffer | undefined {
    return this.#contents.get(hash);
  }

  clear(): void {
    this.#contents.clear();
    this.#bytes = 0;
  }
}

const kept = new WeakMap<Store, Recent>();

export function recentIn(store: Store): Recent {
  const recent = kept.get(store) ?? new Recent();
  kept.set(store, recent);
  return recent;
}
