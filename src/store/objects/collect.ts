/** Removes what nobody needs, and nothing that somebody may be about to need. */

import type { Collected, CollectOptions } from '../objects.ts';
import { listsOf } from './lists.ts';
import { keyOf, nameOf, slices } from './names.ts';
import { manifestOf, unlessUnknown } from './read.ts';
import { type ObjectShelf, pagesOf, ROWS_AT_ONCE } from './shelf.ts';

const HOUR_MS = 3_600_000;

const CANDIDATES_AT_ONCE = 100_000;

type IsLive = (hash: string) => boolean | Promise<boolean>;

export async function collect(
  shelf: ObjectShelf,
  isLive: IsLive,
  { spareMs = HOUR_MS, now: given }: CollectOptions = {},
): Promise<Collected> {
  const now = given ?? (await shelf.now());
  const before = now - spareMs;
  await shelf.makeYoung?.(now + spareMs, now);
  const contents = await collectContents(shelf, isLive, before);
  let [chunks, freedBytes, begun] = [0, 0, false];
  for await (const page of pagesOf(shelf, 'chunk', before, CANDIDATES_AT_ONCE)) {
    const orphans = new Set(page.map(({ hash }) => nameOf(hash)));
    if (!begun) await shelf.beginCollection();
    begun = true;
    await spareNeeded(shelf, orphans);
    for (const some of slices([...orphans], ROWS_AT_ONCE)) {
      const removed = await shelf.removeChunks(some.map(keyOf), before);
      chunks += removed.length;
      freedBytes += removed.reduce((sum, stored) => sum + stored, 0);
    }
  }
  await shelf.endCollection(chunks, before);
  return { contents, chunks, freedBytes };
}

async function collectContents(shelf: ObjectShelf, isLive: IsLive, before: number): Promise<number> {
  let removed = 0;
  for await (const page of pagesOf(shelf, 'content', before)) {
    const dead: Buffer[] = [];
    for (const { hash } of page) if (!(await isLive(nameOf(hash)))) dead.push(hash);
    // Asked again with the removal, for somebody may have stored it once more since.
    if (dead.length > 0) removed += await shelf.removeContents(dead, before);
  }
  return removed;
}

/** Takes from `orphans` what a content needs. A content that comes after this look makes its chunks young when it is listed. */
async function spareNeeded(shelf: ObjectShelf, orphans: Set<string>): Promise<void> {
  for await (const { hash, list } of listsOf(shelf)) {
    // One that is damaged stops the collection: without its list nobody knows which chunks it needs.
    const stored = await list().catch(unlessUnknown);
    if (stored === undefined) continue;
    const manifest = manifestOf(stored, hash);
    for (let index = 0; index < manifest.length; index++) orphans.delete(nameOf(manifest.hashOf(index)));
  }
}
