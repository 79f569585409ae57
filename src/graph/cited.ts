/**
 * What a reference of an instruction or decision means at this moment: a document of the store, else a file of the project, else
 * the only document whose path ends so. What it meant when it was cited comes first, as long as that is there.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../service/config.ts';
import type { Workers } from '../service/workers.ts';
import type { AnchorRecord } from '../store/anchors.ts';
import type { DocumentRecord, DocumentShelf } from '../store/documents.ts';
import type { Store } from '../store/store.ts';
import type { Anchor } from './anchors.ts';
import { languageOf } from './code/language.ts';
import type { Outline } from './code/outline.ts';
import { fileBytes, fileHash } from './project-file.ts';
import { symbolHash } from './symbol-text.ts';

export interface Around {
  readonly store: Store;
  readonly config: Pick<Config, 'home' | 'roots' | 'readOnly'>;
  readonly workers: Workers;
  /** How long a look at one symbol may take; what is not known by then counts as unchanged, and is known the next time. */
  readonly patienceMs?: number;
}

export interface Cited {
  /** `collection/path` of a document; empty for a file of the project. */
  readonly place: string;
  readonly content: string;
  /** Of the content, or of the text of the symbol; empty where the content does not have that symbol. */
  readonly hash: string;
}

/** A reference that is asked about, with what was kept of it. */
export interface Asked {
  readonly anchor: Anchor;
  /** Somebody gave it; what was only found in a text may mean nothing. */
  readonly given: boolean;
  readonly kept?: AnchorRecord;
}

/** Documents that a reference may mean, as one look at the store finds them. */
export interface Candidates {
  readonly exact?: DocumentRecord;
  readonly ending?: DocumentRecord;
}

const LARGEST = 16 * 1024 * 1024;

/** In the order of what is asked; each path is looked for once. */
export async function candidatesFor(documents: DocumentShelf, asked: readonly Asked[]): Promise<Candidates[]> {
  const found: Candidates[] = [];
  const known = new Map<string, Promise<Candidates>>();
  for (const { anchor, kept } of asked) {
    found.push(await once(known, keyOf(anchor, kept), () => documentsFor(documents, anchor, kept)));
  }
  return found;
}

/** What each means, of the documents that it may mean; each file is looked at once. */
export async function meanings(
  around: Around,
  asked: readonly Asked[],
  candidates: readonly Candidates[],
): Promise<(Cited | undefined)[]> {
  const files = new Map<string, Promise<string | undefined>>();
  const hashOf = (path: string) => once(files, path, () => fileHash(path, around.config));
  const answers: (Cited | undefined)[] = [];
  for (const [at, each] of asked.entries()) answers.push(await cited(around, each, candidates[at] ?? {}, hashOf));
  return answers;
}

function keyOf({ collection = '', path }: Anchor, kept: AnchorRecord | undefined): string {
  return `${kept?.place ?? ''}\0${collection}\0${path}`;
}

function once<T>(known: Map<string, Promise<T>>, key: string, look: () => Promise<T>): Promise<T> {
  const present = known.get(key) ?? look();
  known.set(key, present);
  return present;
}

async function documentsFor(
  documents: DocumentShelf,
  { collection, path }: Anchor,
  kept: AnchorRecord | undefined,
): Promise<Candidates> {
  const before = kept === undefined || kept.place === '' ? undefined : await documentAt(documents, kept.place);
  if (before !== undefined) return { exact: before };
  if (collection !== undefined) {
    const exact = await documents.at(collection, path);
    return exact === undefined ? {} : { exact };
  }
  const [first, ...others] = await documents.atPath(path, 100);
  const exact = others.find((each) => each.collection === 'default') ?? first;
  if (exact !== undefined) return { exact };
  const ending = await documents.endingOnly(path);
  return ending === undefined ? {} : { ending };
}

async function documentAt(documents: DocumentShelf, place: string): Promise<DocumentRecord | undefined> {
  const cut = place.indexOf('/');
  return documents.at(place.slice(0, cut), place.slice(cut + 1));
}

async function cited(
  around: Around,
  asked: Asked,
  { exact, ending }: Candidates,
  hashOf: (path: string) => Promise<string | undefined>,
): Promise<Cited | undefined> {
  const { anchor } = asked;
  if (exact !== undefined) return part(around, asked, placeOf(exact), exact.hash);
  const file = anchor.collection === undefined ? await hashOf(anchor.path) : undefined;
  if (file !== undefined) return part(around, asked, '', file);
  return ending && part(around, asked, placeOf(ending), ending.hash);
}

export function placeOf({ collection, path }: Pick<DocumentRecord, 'collection' | 'path'>): string {
  return `${collection}/${path}`;
}

/** The whole content, or the symbol in it that is meant. */
async function part(around: Around, asked: Asked, place: string, content: string): Promise<Cited | undefined> {
  const { anchor, given, kept } = asked;
  const whole = { place, content, hash: content };
  if (anchor.symbol === undefined) return whole;
  if (kept?.content === content) return { place, content, hash: kept.hash };
  // What was cited as a whole is compared as a whole.
  if (kept !== undefined && kept.hash === kept.content && kept.hash !== '') return whole;
  const { store, workers, config } = around;
  const read = () => (place === '' ? fileBytes(anchor.path, config) : bytesOf(store, content));
  const path = place === '' ? anchor.path : place;
  try {
    const outline = () => outlineOf(store, place, content);
    const hash = await within(around.patienceMs, symbolHash(workers, { path, content, read, outline }, anchor.symbol));
    if (hash !== undefined) return { place, content, hash };
    return given || kept !== undefined ? { place, content, hash: '' } : whole;
  } catch {
    // Nobody could tell: no reason for an alarm.
    return kept && { place, content, hash: kept.hash };
  }
}

async function outlineOf({ graph }: Store, place: string, content: string): Promise<Outline | undefined> {
  const language = place === '' ? undefined : languageOf(place);
  return language && graph.outline(content, language);
}

async function within<T>(patienceMs: number | undefined, work: Promise<T>): Promise<T> {
  if (patienceMs === undefined) return work;
  const waiting = new AbortController();
  const late = delay(patienceMs, undefined, { signal: waiting.signal, ref: false }).then(() => {
    throw new Error('Not known in time');
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    work.catch(() => {});
    late.catch(() => {});
    waiting.abort();
  }
}

async function bytesOf({ objects }: Store, content: string): Promise<Buffer | undefined> {
  try {
    return await objects.readAll(content, LARGEST);
  } catch {
    return undefined;
  }
}
