/** What a thread reads texts from, with connections of its own, as another process would have. */
import type { ObjectStore } from '../objects.ts';
import type { TextCache } from '../texts.ts';
import { openObjects } from './objects/index.ts';
import { EmbeddedTextCache } from './text-cache.ts';

const open = new Map<string, { readonly objects: ObjectStore; readonly cache: TextCache }>();

export function textsIn(home: string): { readonly objects: ObjectStore; readonly cache: TextCache } {
  const source = open.get(home) ?? { objects: openObjects(home), cache: new EmbeddedTextCache(home) };
  open.set(home, source);
  return source;
}
