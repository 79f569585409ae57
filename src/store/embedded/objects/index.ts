/**
 * objects.db: contents as chunks that they share. Many processes write it at once, so every transaction is short and
 * synchronous; none is open while input is awaited. Chunks come first and the content last, so whatever instant a process
 * dies at, a content that is there is whole; what is left over is collected when it is old enough.
 */
import { objectStore } from '../../objects/store.ts';
import type { ObjectStore } from '../../objects.ts';
import { EmbeddedTextCache } from '../text-cache.ts';
import { ObjectFile } from './file.ts';
import { shelfIn } from './shelf.ts';

export function openObjects(home: string, options: { readonly lockWaitMs?: number | undefined } = {}): ObjectStore {
  const file = new ObjectFile(home, options.lockWaitMs);
  const objects = objectStore(shelfIn(file));
  return {
    ...objects,
    collect: async (isLive, collectOptions) => {
      const collected = await objects.collect(isLive, collectOptions);
      await dropCopies(file, home);
      return collected;
    },
  };
}

/** What is collected is gone everywhere. */
async function dropCopies(file: ObjectFile, home: string): Promise<void> {
  const cache = new EmbeddedTextCache(home);
  const copied = cache.hashes();
  const there = 'SELECT 1 FROM content WHERE hash = ?';
  cache.drop(
    await file.look(
      (database) => copied.filter((hash) => database.get(there, Buffer.from(hash, 'hex')) === undefined),
      [],
    ),
  );
  cache.close();
}
