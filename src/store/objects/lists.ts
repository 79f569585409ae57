/** All contents with their lists of chunks, some at a time and never more of them than fit into a little memory. */
import { CairnError } from '../../errors.ts';
import { MIN_CHUNK } from '../chunk.ts';
import { nameOf, unknownContent } from './names.ts';
import { EVER, type Named, type ObjectShelf, pagesOf, type StoredList } from './shelf.ts';

/** A list has one entry for each chunk; so many bytes of content have at most 10 MB of lists. */
const BYTES_AT_ONCE = MIN_CHUNK * 250_000;

export interface Listed {
  readonly hash: string;
  /** Fails for a content that is damaged, or gone meanwhile. */
  list(): Promise<StoredList>;
}

export async function* listsOf(shelf: ObjectShelf): AsyncGenerator<Listed> {
  for await (const page of pagesOf(shelf, 'content', EVER)) {
    for (const some of groups(page, shelf.atOnce)) {
      const lists = await together(shelf, some);
      for (const { hash } of some) {
        const name = nameOf(hash);
        yield { hash: name, list: async () => (lists ?? (await shelf.lists([hash], name))).get(name) ?? gone(name) };
      }
    }
  }
}

function groups(page: readonly Named[], atOnce: number): Named[][] {
  const all: Named[][] = [];
  let bytes = 0;
  for (const each of page) {
    const last = all.at(-1);
    bytes += each.size;
    if (last !== undefined && last.length < atOnce && bytes <= BYTES_AT_ONCE) {
      last.push(each);
    } else {
      all.push([each]);
      bytes = each.size;
    }
  }
  return all;
}

/** `undefined` where one of them cannot be read: then each is asked for by itself. */
async function together(
  shelf: ObjectShelf,
  some: readonly Named[],
): Promise<ReadonlyMap<string, StoredList> | undefined> {
  if (some.length === 1) return undefined;
  try {
    return await shelf.lists(
      some.map(({ hash }) => hash),
      '',
    );
  } catch (thrown) {
    if (thrown instanceof CairnError && thrown.kind === 'integrity_error') return undefined;
    throw thrown;
  }
}

function gone(hash: string): never {
  throw unknownContent(hash);
}
