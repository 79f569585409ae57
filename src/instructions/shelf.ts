/**
 * The catalog in memory: heads by id with the orders, categories and hash that answers are made from, each kept up to date
 * entry by entry. Knows no disk; catalog.ts feeds it.
 */
import { CatalogDigest } from './digest.ts';
import type { Head } from './entry.ts';
import { type Key, SortedIds } from './order.ts';

export interface Shelved {
  readonly head: Head;
  readonly metaHash: string;
  /** The hash that the file carries, where its body has another. */
  readonly storedHash?: string;
}

export const sortFields = ['id', 'createdAt', 'updatedAt', 'priority', 'title'] as const;
export type SortField = (typeof sortFields)[number];

export class InstructionShelf {
  readonly #entries = new Map<string, Shelved>();
  readonly #orders = new Map<SortField, SortedIds>([['id', new SortedIds()]]);
  readonly #categories = new Map<string, SortedIds>();
  readonly #digest = new CatalogDigest();

  get size(): number {
    return this.#entries.size;
  }

  get hash(): string {
    return this.#digest.hash;
  }

  get(id: string): Shelved | undefined {
    return this.#entries.get(id);
  }

  has(id: string): boolean {
    return this.#entries.has(id);
  }

  values(): IterableIterator<Shelved> {
    return this.#entries.values();
  }

  set(entry: Shelved): void {
    this.delete(entry.head.id);
    const { head, metaHash } = entry;
    this.#entries.set(head.id, entry);
    for (const [field, order] of this.#orders) order.add(keyOf(field, head));
    for (const category of head.categories) this.#category(category).add(['', head.id]);
    this.#digest.set(head.id, head.sourceHash, metaHash);
  }

  delete(id: string): void {
    const present = this.#entries.get(id);
    if (present === undefined) return;
    for (const [field, order] of this.#orders) order.remove(keyOf(field, present.head));
    for (const category of present.head.categories) {
      const members = this.#category(category);
      members.remove(['', id]);
      if (members.size === 0) this.#categories.delete(category);
    }
    this.#entries.delete(id);
    this.#digest.delete(id);
  }

  order(field: SortField): SortedIds {
    let order = this.#orders.get(field);
    if (order === undefined) {
      order = SortedIds.of([...this.#entries.values()].map(({ head }) => keyOf(field, head)));
      this.#orders.set(field, order);
    }
    return order;
  }

  /** The ids of a category, or of all, in order. */
  ids(category: string | undefined): SortedIds {
    return category === undefined ? this.order('id') : (this.#categories.get(category) ?? new SortedIds());
  }

  categories(): [name: string, members: SortedIds][] {
    return [...this.#categories].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  #category(name: string): SortedIds {
    let members = this.#categories.get(name);
    if (members === undefined) {
      members = new SortedIds();
      this.#categories.set(name, members);
    }
    return members;
  }
}

export function keyOf(field: SortField, head: Head): Key {
  return [field === 'id' ? '' : head[field], head.id];
}
