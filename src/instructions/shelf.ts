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
  readonly #orders = new Map<SortField, SortedIds>();
  #categories: Map<string, SortedIds> | undefined;
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

  /** Many at once: what is kept in order is put in order again when somebody asks. */
  setAll(entries: readonly Shelved[]): void {
    this.#orders.clear();
    this.#categories = undefined;
    for (const entry of entries) this.set(entry);
  }

  set(entry: Shelved): void {
    this.delete(entry.head.id);
    const { head, metaHash } = entry;
    this.#entries.set(head.id, entry);
    for (const [field, order] of this.#orders) order.add(keyOf(field, head));
    if (this.#categories !== undefined) enrol(this.#categories, head);
    this.#digest.set(head.id, head.sourceHash, metaHash);
  }

  delete(id: string): void {
    const present = this.#entries.get(id);
    if (present === undefined) return;
    for (const [field, order] of this.#orders) order.remove(keyOf(field, present.head));
    for (const category of this.#categories === undefined ? [] : present.head.categories) {
      const members = this.#categories?.get(category);
      members?.remove(['', id]);
      if (members?.size === 0) this.#categories?.delete(category);
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
    return category === undefined ? this.order('id') : (this.#membership().get(category) ?? new SortedIds());
  }

  categories(): [name: string, members: SortedIds][] {
    return [...this.#membership()].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  #membership(): Map<string, SortedIds> {
    if (this.#categories === undefined) {
      this.#categories = new Map();
      // In the order of the ids, so that every member is put at an end.
      for (const id of this.order('id').page(0, this.size)) {
        const head = this.#entries.get(id)?.head;
        if (head !== undefined) enrol(this.#categories, head);
      }
    }
    return this.#categories;
  }
}

function enrol(categories: Map<string, SortedIds>, { id, categories: own }: Head): void {
  for (const category of own) {
    let members = categories.get(category);
    if (members === undefined) {
      members = new SortedIds();
      categories.set(category, members);
    }
    members.add(['', id]);
  }
}

export function keyOf(field: SortField, head: Head): Key {
  return [field === 'id' ? '' : head[field], head.id];
}
