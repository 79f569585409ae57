/** What every reading operation begins with: the catalog as it is now, and entries as they are answered. */
import { toCairnError } from '../../errors.ts';
import { type Stale, staleOf } from '../../graph/stale.ts';
import type { Context } from '../../operations/operation.ts';
import { type BadFile, type Catalog, catalogOf } from '../catalog.ts';
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

/** Files that cannot be read, and the folder itself where it is none. */
export async function unreadableIn({ store }: Context, { catalog }: Pick<CatalogView, 'catalog'>): Promise<BadFile[]> {
  const { problems } = await store.inspect();
  const isNone = problems.some((each) => /instructions is a file and should be a folder/.test(each));
  const folder = { file: 'instructions', problem: 'is a file and should be a folder: nothing is read from it' };
  return [...(isNone ? [folder] : []), ...catalog.badFiles()];
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
  const ids = entries.map(({ id }) => id);
  const usage = await ifReadable(() => context.read((view) => view.usage.of(ids)));
  return entries.map((entry) => {
    const used = usage?.get(entry.id);
    return used === undefined ? entry : { ...entry, usageCount: used.count, lastUsedAt: used.lastUsedAt };
  });
}

/** Instructions are files: what is only said about them is left out where state.db cannot be read, which health says. */
async function ifReadable<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (thrown) {
    if (toCairnError(thrown).kind === 'store_unavailable') return undefined;
    throw thrown;
  }
}

/** Those that cite what has changed since say so. */
export async function withStale<T extends Item>(context: Context, items: readonly T[]): Promise<T[]> {
  const ids = items.map(({ id }) => id);
  const marks = await ifReadable(() => staleOf(context, 'instruction', ids));
  return items.map((item) => {
    const stale = marks?.get(item.id);
    return stale === undefined ? item : { ...item, stale };
  });
}
