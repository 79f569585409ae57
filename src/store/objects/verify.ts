/** Checks every chunk once and every content against them; what is damaged is marked, so that the next put mends it. */

import { setImmediate as breathe } from 'node:timers/promises';
import { CairnError } from '../../errors.ts';
import type { Manifest, Verification, VerifyOptions } from '../objects.ts';
import { listsOf } from './lists.ts';
import { damage, keyOf, nameOf, slices, soundChunk } from './names.ts';
import { CHUNKS_AT_ONCE } from './put.ts';
import { manifestOf } from './read.ts';
import { EVER, type ObjectShelf, pagesOf, ROWS_AT_ONCE } from './shelf.ts';

export async function verify(
  shelf: ObjectShelf,
  report: (done: number, total: number) => void,
  { signal, mark = true }: VerifyOptions = {},
): Promise<Verification> {
  const { chunks, contents } = await shelf.stats();
  let done = 0;
  const step = async (): Promise<void> => {
    report(++done, Math.max(chunks + contents, done));
    if (done % CHUNKS_AT_ONCE === 0) await breathe();
    signal?.throwIfAborted();
  };
  const faults = new Map<string, string>();
  for await (const page of pagesOf(shelf, 'chunk', EVER)) {
    for (const some of slices(page, shelf.atOnce)) {
      const hashes = some.map(({ hash }) => hash);
      for (const [hash, fault] of await faultsOfChunks(shelf, hashes)) faults.set(hash, fault);
      for (const _ of some) await step();
    }
  }
  const unneeded = new Map(faults);
  const damaged: { hash: string; problem: string }[] = [];
  let checked = 0;
  for await (const { hash, list } of listsOf(shelf)) {
    const problem = await faultOf(async () => {
      const manifest = manifestOf(await list(), hash);
      return faultOfContent(shelf, hash, manifest, faults, unneeded);
    });
    // What was removed while we looked is not damaged.
    if (problem !== undefined && (await shelf.size(keyOf(hash))) !== undefined) damaged.push({ hash, problem });
    checked++;
    await step();
  }
  for (const [hash, fault] of unneeded) damaged.push({ hash, problem: `A chunk that no content needs ${fault}` });
  if (mark) await distrust(shelf, [...faults.keys()]);
  return { checked, damaged };
}

/** Where the engine cannot read one of them, each is tried by itself. */
async function faultsOfChunks(shelf: ObjectShelf, hashes: readonly Buffer[]): Promise<[string, string][]> {
  const faults: [string, string][] = [];
  try {
    const rows = await shelf.chunks(hashes, hashes.length === 1 ? nameOf(hashes[0]) : '');
    for (const hash of hashes) {
      const row = rows.get(nameOf(hash));
      // No row is a chunk that was collected since.
      if (row !== undefined && soundChunk(row, hash) === undefined)
        faults.push([nameOf(hash), 'does not match its hash']);
    }
    return faults;
  } catch (thrown) {
    const fault = faultIn(thrown);
    if (hashes.length === 1) return [[nameOf(hashes[0]), `cannot be read (${fault})`]];
    for (const hash of hashes) faults.push(...(await faultsOfChunks(shelf, [hash])));
    return faults;
  }
}

async function faultOfContent(
  shelf: ObjectShelf,
  hash: string,
  manifest: Manifest,
  faults: ReadonlyMap<string, string>,
  unneeded: Map<string, string>,
): Promise<string | undefined> {
  let problem: string | undefined;
  for (let from = 0; from < manifest.length; from += ROWS_AT_ONCE) {
    const length = Math.min(ROWS_AT_ONCE, manifest.length - from);
    const hashes = Array.from({ length }, (_, n) => manifest.hashOf(from + n));
    const sizes = await shelf.sizesOfChunks(hashes);
    for (const [n, key] of hashes.entries()) {
      const chunk = nameOf(key);
      unneeded.delete(chunk);
      const absent = sizes.get(chunk) === manifest.sizeOf(from + n) ? undefined : 'is missing';
      const fault = faults.get(chunk) ?? absent;
      if (fault !== undefined) problem ??= damage(hash, `its chunk ${chunk} ${fault}`).message;
    }
    if (length === ROWS_AT_ONCE) await breathe();
  }
  return problem;
}

/** So that the next `put` of the same bytes stores them anew, in whichever process. */
async function distrust(shelf: ObjectShelf, hashes: readonly string[]): Promise<void> {
  if (hashes.length === 0) return;
  try {
    await shelf.distrust(hashes.map(keyOf));
  } catch {
    // A store that cannot be written is no reason to keep the findings from anybody.
  }
}

async function faultOf(check: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await check();
  } catch (thrown) {
    return faultIn(thrown);
  }
}

/** What `verify` reports; that the store is busy or closed says nothing about a content. */
function faultIn(thrown: unknown): string {
  if (thrown instanceof CairnError && (thrown.kind === 'integrity_error' || thrown.kind === 'not_found')) {
    return thrown.message;
  }
  throw thrown;
}
