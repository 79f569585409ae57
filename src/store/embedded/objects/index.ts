/**
 * objects.db: contents as chunks that they share. Many processes write it at once, so every transaction is short and
 * synchronous; none is open while input is awaited. Chunks come first and the content last, so whatever instant a process
 * dies at, a content that is there is whole; what is left over is collected when it is old enough.
 */
import type { ObjectStore } from '../../objects.ts';
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
    collect: (isLive, collectOptions) => collect(file, isLive, collectOptions),
    close: () => file.close(),
  };
}
