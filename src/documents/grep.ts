/** Goes through the documents that may match, in their order, and scans them in a worker thread, a portion at a time. */
import { toCairnError } from '../errors.ts';
import type { Required } from '../search/grep/literals.ts';
import type { LineMatch, Wanted } from '../search/grep/scan.ts';
// For its declaration of the task.
import type {} from '../search/grep/task.ts';
import type { Workers } from '../service/workers.ts';
import type { Candidate, PlaceFilter } from '../store/document-index.ts';
import type { DocumentRecord } from '../store/documents.ts';
import type { Store } from '../store/store.ts';
import type { PathFilter } from './glob.ts';
import { blocksOf } from './letters.ts';

interface Context {
  readonly store: Store;
  readonly workers: Workers;
  readonly signal: AbortSignal;
}

export interface GrepScope {
  readonly filter: PlaceFilter;
  readonly fits: PathFilter;
  readonly required: Required;
  readonly after: { readonly collection: string; readonly path: string; readonly line?: number } | undefined;
}

export interface Searched {
  readonly candidate: Candidate;
  readonly matches: readonly LineMatch[];
  /** Why it could not be looked at. */
  readonly problem?: string;
}

const PAGE = 500;
/** Letters that are handed to the thread at once. */
const PORTION = 4 * 1024 * 1024;

export async function* searchedIn(context: Context, wanted: Wanted, scope: GrepScope): AsyncGenerator<Searched> {
  // The rest of the document that the last answer ended in comes first.
  const begun = scope.after?.line === undefined ? undefined : await startedIn(context, wanted, scope);
  if (begun !== undefined) yield begun;
  let portion: { candidate: Candidate; text: string }[] = [];
  let letters = 0;
  for await (const candidate of candidatesOf(context, scope)) {
    context.signal.throwIfAborted();
    try {
      const document = await context.store.read(({ documents }) => documents.get(candidate.id));
      // Deleted since.
      if (document === undefined) continue;
      if (document.size > PORTION) {
        yield* scanned(context, wanted, portion);
        portion = [];
        letters = 0;
        yield { candidate, matches: await scanLarge(context, wanted, document) };
        continue;
      }
      const text = await wholeText(context, document);
      portion.push({ candidate, text });
      letters += text.length;
    } catch (thrown) {
      context.signal.throwIfAborted();
      yield* scanned(context, wanted, portion);
      portion = [];
      letters = 0;
      yield { candidate, matches: [], problem: toCairnError(thrown).message };
    }
    if (letters < PORTION && portion.length < PAGE) continue;
    yield* scanned(context, wanted, portion);
    portion = [];
    letters = 0;
  }
  yield* scanned(context, wanted, portion);
}

async function* candidatesOf({ store }: Context, { filter, fits, required, after }: GrepScope) {
  let mark: { collection: string; path: string } | undefined = after;
  for (;;) {
    const page: readonly Candidate[] = await store.documents.holding(required, filter, mark, PAGE);
    for (const candidate of page) if (fits(candidate.path)) yield candidate;
    mark = page.at(-1);
    if (page.length < PAGE) return;
  }
}

async function* scanned(
  { workers, signal }: Context,
  wanted: Wanted,
  portion: readonly { candidate: Candidate; text: string }[],
): AsyncGenerator<Searched> {
  if (portion.length === 0) return;
  const texts = portion.map(({ text }) => ({ text, firstLine: 1 }));
  const results = await workers.run('grep', { wanted, texts }, { signal });
  for (const [index, { matches }] of results.entries()) {
    const candidate = portion[index]?.candidate;
    if (candidate !== undefined) yield { candidate, matches };
  }
}

async function scanLarge(context: Context, wanted: Wanted, document: DocumentRecord) {
  const matches: LineMatch[] = [];
  let firstLine = 1;
  for await (const text of blocksOf(context.store, document)) {
    const most = wanted.most - matches.length;
    const input = { wanted: { ...wanted, most }, texts: [{ text, firstLine }] };
    const [found] = await context.workers.run('grep', input, { signal: context.signal });
    // One by one: as arguments of one call, a hundred thousand are too many.
    for (const match of found?.matches ?? []) matches.push(match);
    firstLine += found?.lines ?? 0;
    if (matches.length >= wanted.most) break;
  }
  return matches;
}

async function wholeText({ store }: Context, document: DocumentRecord): Promise<string> {
  let whole = '';
  for await (const block of blocksOf(store, document)) whole += block;
  return whole;
}

/** What is left of a document after the line that a cursor names. */
async function startedIn(context: Context, wanted: Wanted, { after, fits }: GrepScope): Promise<Searched | undefined> {
  const { collection, path, line } = after ?? { collection: '', path: '' };
  const document = await context.store.read(({ documents }) => documents.at(collection, path));
  if (document === undefined || !fits(path)) return undefined;
  const matches = await scanLarge(context, wanted, document);
  return { candidate: document, matches: matches.filter((match) => match.line > (line ?? 0)) };
}
