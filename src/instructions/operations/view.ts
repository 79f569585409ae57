/** What every reading operation begins with: the catalog as it is now, and entries as they are answered. */
import { type Stale, staleOf } from '../../graph/stale.ts';
import type { Context } from '../../operations/operation.ts';
import { type Catalog, catalogOf } from '../catalog.ts';
import type { Entry } from '../entry.ts';
import type { InstructionShelf } from '../shelf.ts';

export interface CatalogView {
  readonly catalog: Catalog;
  readonly shelf: InstructionShelf;
}

/** A command runs once: it looks at the files before it answers, where a server has a watcher. */
export async function viewCatalog({ store, principal }: Context, exact = false): Promise<CatalogView> {
  const catalog = catalogOf(store);
  return { catalog, shelf: await catalog.current(exact || principal.door === 'cli') };
}

/** Whole entries with their counters, in the order of the ids. */
export async function itemsOf(context: Context, { catalog }: CatalogView, ids: readonly string[]): Promise<Item[]> {
  return withUsage(context, await catalog.entries(ids));
}

export interface Item extends Entry {
  readonly usageCount?: number;
  readonly lastUsedAt?: string;
  readonly stale?: Stale;
}

export async function withUsage(context: Context, entries: readonly Entry[]): Promise<Item[]> {
  const usage = await context.read((view) => view.usage.of(entries.map(({ id }) => id)));
  return entries.map((entry) => {
    const used = usage.get(entry.id);
    return used === undefined ? entry : { ...entry, usageCount: used.count, lastUsedAt: used.lastUsedAt };
  });
}

/** Those that cite what has changed since say so. */
export async function withStale<T extends Item>(context: Context, items: readonly T[]): Promise<T[]> {
  const marks = await staleOf(
    context,
    'instruction',
    items.map(({ id }) => id),
  );
  return items.map((item) => {
    const stale = marks.get(item.id);
    return stale === undefined ? item : { ...item, stale };
  });
}
