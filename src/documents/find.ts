/** Which documents a caller means: by hash or the beginning of one, by path, by the end of a path, or by a pattern. */
import { CairnError } from '../errors.ts';
import type { DocumentRecord, DocumentShelf } from '../store/documents.ts';
import { fitting, isPattern } from './glob.ts';

const SHOWN = 10;
const PAGE = 2000;
/** More paths than one content has. */
const ALL = 10_000_000;

/** `sha256-` in front is how S4 shows hashes. */
export function plainHash(given: string): string {
  return given.replace(/^sha256[-:]/, '').toLowerCase();
}

/** The whole hash that begins so; several are an error that lists them. */
export async function wholeHash(documents: DocumentShelf, given: string): Promise<string | undefined> {
  const prefix = plainHash(given);
  const [first, ...others] = await documents.hashesFrom(prefix, SHOWN);
  if (others.length === 0) return first;
  throw new CairnError('validation_failed', `${prefix} is the beginning of several hashes`, {
    hashes: [first, ...others],
    suggestion: 'Give more characters of the one that is meant.',
  });
}

/** By name: the exact path, else the only one that ends so. Several are an error that lists them. */
export async function named(
  documents: DocumentShelf,
  name: string,
  collection: string | undefined,
): Promise<DocumentRecord | undefined> {
  const given = name.replace(/^(?:\.?\/)+/, '');
  // One name has several spellings in Unicode, and files of a folder keep theirs.
  for (const spelling of new Set([given, given.normalize('NFC'), given.normalize('NFD')])) {
    const found = await documents.ending(spelling, collection, SHOWN);
    const exact = found.filter(({ path }) => path === spelling);
    const [first, ...others] = exact.length > 0 ? exact : found;
    if (first === undefined) continue;
    if (others.length > 0) throw several(name, [first, ...others]);
    return first;
  }
  return undefined;
}

export function several(name: string, documents: readonly DocumentRecord[]): CairnError {
  return new CairnError('validation_failed', `${name} names several documents`, {
    documents: documents.slice(0, SHOWN).map(({ collection, path }) => `${collection}/${path}`),
    suggestion: 'Give the whole path and the collection, or a pattern such as **/name to mean all of them.',
  });
}

/** All that fit one of the names or patterns. */
export async function matching(
  documents: DocumentShelf,
  names: readonly string[],
  collection: string | undefined,
): Promise<DocumentRecord[]> {
  const found = new Map<number, DocumentRecord>();
  const globs: string[] = [];
  for (const name of names) {
    // A path that is there is meant as it is written, whatever its characters could stand for.
    const document = await named(documents, name, collection);
    if (document !== undefined) found.set(document.id, document);
    else if (isPattern(name)) globs.push(name);
  }
  if (globs.length === 0) return [...found.values()];
  const fits = fitting(globs);
  const collections =
    collection === undefined ? (await documents.collections()).map((each) => each.collection) : [collection];
  for (const each of collections) {
    for (let after = '', page = await documents.page(each, after, PAGE); page.length > 0; ) {
      for (const document of page) if (fits(document.path)) found.set(document.id, document);
      after = page.at(-1)?.path ?? '';
      page = page.length < PAGE ? [] : await documents.page(each, after, PAGE);
    }
  }
  return [...found.values()];
}

/** What an operation that takes `hash`, `name` or both is about. */
export async function meant(
  documents: DocumentShelf,
  { hash, name, collection }: { hash?: string | undefined; name?: string | undefined; collection?: string | undefined },
): Promise<DocumentRecord[]> {
  if (hash === undefined && name === undefined)
    throw new CairnError('validation_failed', 'Say which document: by hash or by name');
  if (name !== undefined) {
    const byName = await matching(documents, [name], collection);
    return hash === undefined ? byName : byName.filter((each) => each.hash.startsWith(plainHash(hash)));
  }
  const whole = await wholeHash(documents, hash ?? '');
  const found = whole === undefined ? [] : await documents.withHash(whole, ALL);
  return collection === undefined ? found : found.filter((each) => each.collection === collection);
}

export function notFound(what: string): CairnError {
  return new CairnError('not_found', `No document is ${what}`, { suggestion: 'list shows what there is.' });
}
