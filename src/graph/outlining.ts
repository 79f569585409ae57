/**
 * Reads source files to outlines in the background, one process of a home at a time. Each portion is kept as soon as it is read:
 * whoever is stopped in the middle loses no more than that, and the next one goes on from there.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { toCairnError } from '../errors.ts';
import type { Log } from '../service/log.ts';
import type { Workers } from '../service/workers.ts';
import type { ReadCode, Unread } from '../store/graph-index.ts';
import type { Store } from '../store/store.ts';
import type { Outline } from './code/outline.ts';
import { keysOfImport } from './code/resolve.ts';
// For its declaration of the task.
import type {} from './code/task.ts';
import { lastPart } from './tree.ts';
import { givenOnKey, specifierKey } from './uses.ts';

export interface Surroundings {
  readonly store: Store;
  readonly workers: Workers;
  readonly log: Log;
  /** The letters of a content. */
  readonly decode: (bytes: Buffer) => string;
}

const AT_ONCE = 64;
/** A fraction of a second of work: others that need a thread do not wait longer. */
const PORTION = 512 * 1024;
const LARGEST = 8 * 1024 * 1024;
/** Longer than a portion takes; whoever dies in the middle holds the others up for no longer. What two read is kept once. */
const CLAIM_MS = 4000;
const LOOK_AGAIN_MS = 200;

interface Reading {
  work: Promise<void> | undefined;
  readonly stop: AbortController;
}
const readings = new WeakMap<Store, Reading>();

function readingOf(store: Store): Reading {
  let reading = readings.get(store);
  if (reading === undefined) {
    const made: Reading = { work: undefined, stop: new AbortController() };
    store.beforeClose(async () => {
      made.stop.abort();
      await made.work;
    });
    readings.set(store, made);
    reading = made;
  }
  return reading;
}

/** Resolves when every source file so far is read, or after `patienceMs`; then the rest goes on behind. */
export async function outlined(around: Surroundings, patienceMs: number): Promise<{ pending: number }> {
  const { graph } = around.store;
  if ((await graph.pending()) === 0) return { pending: 0 };
  const reading = readingOf(around.store);
  reading.work ??= readAll(around, reading.stop.signal)
    .catch((thrown) => around.log.warn('Source files could not be read', { reason: toCairnError(thrown).message }))
    .finally(() => {
      reading.work = undefined;
    });
  if (patienceMs > 0) {
    const late = new AbortController();
    await Promise.race([reading.work, delay(patienceMs, undefined, { signal: late.signal }).catch(() => {})]);
    late.abort();
  }
  return { pending: await graph.pending() };
}

async function readAll(around: Surroundings, stop: AbortSignal): Promise<void> {
  const { graph } = around.store;
  while (!stop.aborted) {
    const unread = await graph.unread(AT_ONCE);
    if (unread.length === 0) return;
    if (await graph.claim(CLAIM_MS)) await readSome(around, unread, stop).finally(() => graph.claim(0));
    else await delay(LOOK_AGAIN_MS, undefined, { signal: stop }).catch(() => {});
  }
}

async function readSome(around: Surroundings, unread: readonly Unread[], stop: AbortSignal): Promise<void> {
  const { graph } = around.store;
  const portion: { document: Unread; text: string }[] = [];
  let letters = 0;
  const done: ReadCode[] = [];
  for (const document of unread) {
    const text = document.outline === undefined ? await textOf(around, document) : { outline: document.outline };
    if ('outline' in text) done.push(readCode(document, text.outline));
    else {
      portion.push({ document, text: text.letters });
      letters += text.letters.length;
    }
    if (letters >= PORTION) break;
  }
  done.push(...(await parsed(around.workers, portion, stop)));
  if (!stop.aborted) await graph.keep(done);
}

async function parsed(
  workers: Workers,
  portion: readonly { document: Unread; text: string }[],
  stop: AbortSignal,
): Promise<ReadCode[]> {
  if (portion.length === 0 || stop.aborted) return [];
  try {
    const files = portion.map(({ document: { path }, text }) => ({ path, text }));
    const outlines = await workers.run('outline', { files }, { signal: stop });
    return portion.map(({ document }, at) => readCode(document, outlines[at] ?? nothingOf(document)));
  } catch (thrown) {
    if (stop.aborted) return [];
    const [only, ...others] = portion;
    if (only !== undefined && others.length === 0)
      return [readCode(only.document, nothingOf(only.document, toCairnError(thrown).message))];
    // One of them brought the thread down: the others shall not suffer for it.
    const apart: ReadCode[] = [];
    for (const each of portion) apart.push(...(await parsed(workers, [each], stop)));
    return apart;
  }
}

async function textOf({ store, decode }: Surroundings, document: Unread) {
  try {
    const size = await store.objects.size(document.hash);
    if (size === undefined || size > LARGEST) return { outline: nothingOf(document, 'too large to be read as code') };
    return { letters: decode(await store.objects.readAll(document.hash, LARGEST)) };
  } catch (thrown) {
    return { outline: nothingOf(document, toCairnError(thrown).message) };
  }
}

function nothingOf({ language }: Unread, problem = 'not written in a known language'): Outline {
  return { language, symbols: [], imports: [], calls: [], inherits: [], problem };
}

function readCode(document: Unread, outline: Outline): ReadCode {
  return {
    document,
    outline,
    importKeys: outline.imports.flatMap((each) => [...keysOfImport(each, document.path), specifierKey(each.specifier)]),
    uses: [
      ...outline.calls.map(({ name }) => name),
      ...outline.inherits.map(({ base }) => lastPart(base)),
      ...outline.imports.flatMap(({ names, reexported = false }) =>
        names.flatMap(({ name, local }) => [name, ...(reexported && local !== name ? [givenOnKey(name)] : [])]),
      ),
    ],
  };
}
