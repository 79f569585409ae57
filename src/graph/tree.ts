/**
 * The source files of one collection, as the resolver of imports and calls asks for them. What was looked up or resolved is kept
 * for as long as no document and no outline changes, so an answer is never out of date and a second one is quick.
 */
import type { DocumentRecord } from '../store/documents.ts';
import type { Store } from '../store/store.ts';
import { languageOf } from './code/language.ts';
import type { Inheritance, Outline } from './code/outline.ts';
import { basesOf, callsOf, importsOf, keysOfPath, remembering, type Tree } from './code/resolve.ts';
import { Memory } from './memory.ts';
import { qualifiedNames } from './qualified.ts';

/** A symbol of a document, by its place in the outline. */
export interface SymbolRef {
  readonly path: string;
  readonly symbol: number;
}

export interface ImportUse {
  readonly specifier: string;
  readonly line: number;
  /** Documents that it means; none where it is unresolved. */
  readonly paths: readonly string[];
  /** What is taken, as the other file calls it. */
  readonly names: readonly string[];
}

/** A call or a base, with what it means where that is known. */
export interface NameUse {
  readonly name: string;
  readonly line: number;
  /** The symbol that calls or inherits; absent at the top of the file. */
  readonly from?: number;
  readonly target?: SymbolRef;
}

export interface Importer {
  readonly path: string;
  readonly line: number;
}

export interface ReadFile {
  readonly hash: string;
  readonly outline: Outline;
  /** Of each symbol, as keys say it. */
  readonly names: readonly string[];
}

const LARGEST_TEXT = 1024 * 1024;
/** So many files are looked at for one key or name; more are not worth the wait. */
export const MOST_CANDIDATES = 5000;
const MOST_REACHERS = 2000;
const MOST_NAMED = 10_000;
const MOST_DOCUMENTS = 50_000;
/** Symbols, calls and imports that are kept in memory: some hundred bytes each. */
const MOST_PARTS = 200_000;

export class CodeTree implements Tree {
  readonly collection: string;
  readonly #store: Store;
  readonly #documents = new Memory<DocumentRecord | undefined>(MOST_DOCUMENTS);
  readonly #files = new Memory<ReadFile | undefined>(MOST_PARTS, (file) =>
    file === undefined ? 1 : partsOf(file.outline),
  );
  readonly #imports = new Memory<readonly ImportUse[]>(MOST_PARTS, ({ length }) => length + 1);
  readonly #calls = new Memory<readonly NameUse[]>(MOST_PARTS, ({ length }) => length + 1);
  readonly #bases = new Memory<readonly NameUse[]>(MOST_PARTS, ({ length }) => length + 1);

  /** Files that may use a symbol, by its key. */
  readonly candidates = new Memory<readonly string[]>(MOST_PARTS, ({ length }) => length + 1);
  readonly #importers = new Memory<readonly Importer[]>(MOST_PARTS, ({ length }) => length + 1);
  readonly #reachers = new Memory<ReadonlySet<string> | undefined>(MOST_PARTS, (reachers) => (reachers?.size ?? 0) + 1);
  /** What the resolver asks: it keeps every answer, so it begins anew when those are many. */
  #asked: Tree = remembering(this);
  #askedParts = 0;

  constructor(store: Store, collection: string) {
    this.#store = store;
    this.collection = collection;
  }

  async has(path: string): Promise<boolean> {
    return (await this.document(path)) !== undefined;
  }

  async outline(path: string): Promise<Outline | undefined> {
    const outline = (await this.file(path))?.outline;
    this.#askedParts += outline === undefined ? 1 : partsOf(outline);
    return outline;
  }

  async text(path: string): Promise<string | undefined> {
    const document = await this.document(path);
    if (document === undefined || document.size > LARGEST_TEXT) return undefined;
    // What cannot be read says nothing of where an import leads.
    const bytes = await this.#store.objects.readAll(document.hash, LARGEST_TEXT).catch(() => undefined);
    return bytes?.toString('utf8').replace(/^\ufeff/, '');
  }

  async below(folder: string, limit: number): Promise<string[]> {
    const prefix = folder === '' ? '' : `${folder}/`;
    const page = await this.#store.read(({ documents }) => documents.page(this.collection, prefix, limit));
    return page.map(({ path }) => path).filter((path) => path.startsWith(prefix));
  }

  async named(base: string): Promise<string[]> {
    const found = await this.#store.read(({ documents }) => documents.ending(base, this.collection, MOST_NAMED));
    return found.map(({ path }) => path).sort();
  }

  document(path: string): Promise<DocumentRecord | undefined> {
    return this.#documents.of(path, () => this.#store.read(({ documents }) => documents.at(this.collection, path)));
  }

  file(path: string): Promise<ReadFile | undefined> {
    return this.#files.of(path, async () => {
      const language = languageOf(path);
      const document = language === undefined ? undefined : await this.document(path);
      if (language === undefined || document === undefined) return undefined;
      const outline = await this.#store.graph.outline(document.hash, language);
      return outline && { hash: document.hash, outline, names: qualifiedNames(outline) };
    });
  }

  imports(path: string): Promise<readonly ImportUse[]> {
    return this.#imports.of(path, async () => {
      const outline = await this.outline(path);
      const resolved = outline === undefined ? [] : await importsOf(this.#resolver(), path, outline);
      return resolved.map(({ import: { specifier, line, names }, paths }) => ({
        specifier,
        line,
        paths,
        names: names.map(({ name }) => name),
      }));
    });
  }

  /** Documents that import this one, in the order of their paths. Costs a look at each that shares a key with it. */
  importers(path: string): Promise<readonly Importer[]> {
    return this.#importers.of(path, async () => {
      const candidates = await this.#store.graph.importing(this.collection, keysOfPath(path), MOST_CANDIDATES);
      const found: Importer[] = [];
      for (const candidate of candidates.sort()) {
        const use = (await this.imports(candidate)).find(({ paths }) => paths.includes(path));
        if (use !== undefined) found.push({ path: candidate, line: use.line });
      }
      return found;
    });
  }

  /** Documents that import this one, or one that does, and so on. Nothing where they are too many to be worth it. */
  reachers(path: string): Promise<ReadonlySet<string> | undefined> {
    return this.#reachers.of(path, async () => {
      const found = new Set([path]);
      for (const each of found) {
        if (found.size > MOST_REACHERS) return undefined;
        for (const importer of await this.importers(each)) found.add(importer.path);
      }
      return found;
    });
  }

  /** Whether the calls of a document are known without work. */
  hasCalls(path: string): boolean {
    return this.#calls.has(path);
  }

  calls(path: string): Promise<readonly NameUse[]> {
    return this.#calls.of(path, async () => {
      const outline = await this.outline(path);
      const resolved = outline === undefined ? [] : await callsOf(this.#resolver(), path, outline);
      return resolved.map(({ call: { name, line, caller }, target }) => ({
        name,
        line,
        ...(caller !== undefined && { from: caller }),
        ...(target !== undefined && { target }),
      }));
    });
  }

  bases(path: string): Promise<readonly NameUse[]> {
    return this.#bases.of(path, async () => {
      const outline = await this.outline(path);
      const resolved = outline === undefined ? [] : await basesOf(this.#resolver(), path, outline);
      return resolved.map(({ inheritance: { symbol, base }, target }) => ({
        name: base,
        line: outline?.symbols[symbol]?.line ?? 0,
        from: symbol,
        ...(target !== undefined && { target }),
      }));
    });
  }

  #resolver(): Tree {
    if (this.#askedParts > MOST_PARTS) {
      this.#asked = remembering(this);
      this.#askedParts = 0;
    }
    return this.#asked;
  }
}

function partsOf({ symbols, imports, calls }: Outline): number {
  return symbols.length + imports.length + calls.length + 1;
}

export function lastPart(base: Inheritance['base']): string {
  return base.split(/\.|::|\\/).at(-1) ?? base;
}

interface Kept {
  readonly version: string;
  readonly trees: Map<string, CodeTree>;
}
const keptTrees = new WeakMap<Store, Kept>();

/** The trees of a store as it is now: those of the last question where nothing changed since. */
export async function treesOf(store: Store): Promise<(collection: string) => CodeTree> {
  const last = await store.read(({ documents }) => documents.lastChange());
  const version = `${last} ${await store.graph.version()}`;
  let kept = keptTrees.get(store);
  if (kept?.version !== version) {
    kept = { version, trees: new Map() };
    keptTrees.set(store, kept);
  }
  const { trees } = kept;
  return (collection) => {
    const tree = trees.get(collection) ?? new CodeTree(store, collection);
    trees.set(collection, tree);
    return tree;
  };
}
