/** What a thread reads texts from, with connections of its own; the copy of texts is the machine's. */
import { EmbeddedTextCache } from '../embedded/text-cache.ts';
import type { ObjectStore } from '../objects.ts';
import type { TextCache } from '../texts.ts';
import type { SharedPlace } from './address.ts';
import { SharedDatabase } from './database.ts';
import { sharedObjects } from './objects.ts';

const open = new Map<string, { readonly objects: ObjectStore; readonly cache: TextCache }>();

export function textsOn(
  place: SharedPlace,
  home: string,
): { readonly objects: ObjectStore; readonly cache: TextCache } {
  const { bucket, ...options } = place;
  const known = open.get(place.address.shown);
  if (known !== undefined) return known;
  const database = new SharedDatabase({ ...options, connections: 2 });
  const source = { objects: sharedObjects(database, { bucket }), cache: new EmbeddedTextCache(home) };
  open.set(place.address.shown, source);
  return source;
}
