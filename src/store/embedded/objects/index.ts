/**
 * objects.db: contents as chunks that they share. Many processes write it at once, so every transaction is short and
 * synchronous; none is open while input is awaited. Chunks come first and the content last, so whatever instant a process
 * dies at, a content that is there is whole; what is left over is collected when it is old enough.
 */
import type { ObjectStore } from '../../objects.ts';
import { EmbeddedTextCache } from '../text-cache.ts';
import { collect } from './collect.ts';
import { ObjectFile } from './file.ts';
import { put, settle } from './put.ts';
import { matching, read, readAll, sizeIn, soundAmong, stats } from './read.ts';
import { verify } from './verify.ts';

export function openObjects(home: string, options: { readonly lockWaitMs?: number | undefined } = {}): ObjectStore {
  const file = new ObjectFile(home, options.lockWaitMs);
  return {
    put: (source, putOptions) => put(file, source, putOptions),
    settle: () => settle(file),
    size: (hash) => sizeIn(file, hash),
    sound: (hashes) => soundAmong(file, hashes),
    read: (hash, range) => read(file, hash, range),
    readAll: (hash, limit) => readAll(file, hash, limit),
    matching: (prefix, limit) => matching(file, prefix, limit),
    stats: () => stats(file),
    verify: (report, verifyOptions) => verify(file, report, verifyOptions),
    collect: async (isLive, collectOptions) => {
      const collected = await collect(file, isLive, collectOptions);
      await dropCopies(file, home);
      return collected;
    },
    close: () => file.close(),
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
