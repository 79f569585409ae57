/** Ids kept in order, with insertion by binary search: what pages are cut from. */

export type Key = readonly [sortable: string | number, id: string];

export class SortedIds {
  #keys: Key[] = [];

  static of(keys: readonly Key[]): SortedIds {
    const sorted = new SortedIds();
    sorted.#keys = [...keys].sort(compare);
    return sorted;
  }

  get size(): number {
    return this.#keys.length;
  }

  add(key: Key): void {
    const at = this.#position(key);
    if (compare(this.#keys[at] ?? ['', ''], key) !== 0 || at === this.#keys.length) this.#keys.splice(at, 0, key);
  }

  remove(key: Key): void {
    const at = this.#position(key);
    const found = this.#keys[at];
    if (found !== undefined && compare(found, key) === 0) this.#keys.splice(at, 1);
  }

  page(offset: number, limit: number): string[] {
    return this.#keys.slice(offset, offset + limit).map(([, id]) => id);
  }

  /** Upwards from just behind a key (or the start), or downwards from just before it (or the end). */
  *after(key: Key | undefined, ascending: boolean): Generator<Key> {
    if (ascending) {
      const start = key === undefined ? 0 : this.#position(key);
      for (let at = start; at < this.#keys.length; at++) {
        const next = this.#keys[at];
        if (next !== undefined && (key === undefined || compare(next, key) > 0)) yield next;
      }
      return;
    }
    for (let at = key === undefined ? this.#keys.length - 1 : this.#position(key) - 1; at >= 0; at--) {
      const next = this.#keys[at];
      if (next !== undefined) yield next;
    }
  }

  #position(key: Key): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(this.#keys[middle] ?? key, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function compare([a, idA]: Key, [b, idB]: Key): number {
  if (a !== b) return a < b ? -1 : 1;
  return idA === idB ? 0 : idA < idB ? -1 : 1;
}
