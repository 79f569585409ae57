/** The port for contents on the shelf of an engine. */
import type { ObjectStore } from '../objects.ts';
import { collect } from './collect.ts';
import { put } from './put.ts';
import { matching, read, readAll, sizeIn, soundAmong } from './read.ts';
import type { ObjectShelf } from './shelf.ts';
import { verify } from './verify.ts';

export function objectStore(shelf: ObjectShelf): ObjectStore {
  return {
    put: (source, options) => put(shelf, source, options),
    settle: () => shelf.settle(),
    size: (hash) => sizeIn(shelf, hash),
    sound: (hashes) => soundAmong(shelf, hashes),
    read: (hash, range) => read(shelf, hash, range),
    readAll: (hash, limit) => readAll(shelf, hash, limit),
    matching: (prefix, limit) => matching(shelf, prefix, limit),
    stats: () => shelf.stats(),
    verify: (report, options) => verify(shelf, report, options),
    collect: (isLive, options) => collect(shelf, isLive, options),
    close: () => shelf.close(),
  };
}
