/** Goes through the documents that may match, in their order, and has threads look through them, some ahead of the others. */
import type { Required } from '../search/grep/literals.ts';
import type { LineMatch, Wanted } from '../search/grep/scan.ts';
import type { Progress, Workers } from '../service/workers.ts';
import type { Candidate, CandidateMark, PlaceFilter } from '../store/document-index.ts';
import type { Store } from '../store/store.ts';
import type { PathFilter } from './glob.ts';
// With its declaration of the task.
import { type SoughtText, soughtOf } from './grep-task.ts';

interface Context {
  readonly store: Store;
  readonly workers: Workers;
  readonly signal: AbortSignal;
  progress(progress: Progress): void;
}

/** After a document, or after a line of it: the lines up to there, so many of them found. */
export interface GrepMark extends CandidateMark {
  readonly line?: number;
  readonly found?: number;
}

export interface GrepScope {
  readonly filter: PlaceFilter;
  readonly fits: PathFilter;
  readonly required: Required;
  readonly after: GrepMark | undefined;
  /** Lines of one document. */
  readonly most: number;
  /** Lines of one answer, or documents where lines are only counted. */
  readonly limit: number;
}

export interface Searched {
  readonly candidate: Candidate;
  readonly count: number;
  readonly matches: readonly LineMatch[];
  /** Why it could not be looked at. */
  readonly problem?: string;
}

/** Documents that are handed to a thread at once: few at first, since often few fill an answer. */
const FIRST = 32;
const LAST = 256;
const FIRST_PAGE = 2000;
const LAST_PAGE = 10_000;
/** Portions that are looked through, or wait to be, while the first of them is awaited; none while one may do. */
const AHEAD = 4;

type Portion = readonly { readonly candidate: Candidate; readonly text: SoughtText | string }[];

export async function* searchedIn(context: Context, wanted: Wanted, scope: GrepScope): AsyncGenerator<Searched> {
  const progress = new BytesLookedAt(context);
  const look = async (portion: Portion, most = scope.most) => {
    // One more than fits shows that there is more.
    const enough = scope.limit + 1;
    const texts = portion.map(({ text }) => text);
    const lines = wanted.show ? Math.min(most, enough) : most;
    const input = { place: context.store.textPlace, wanted, texts, most: lines, enough };
    const options = { signal: context.signal, progress: progress.ofPortion() };
    const { counts, matches, problems } = await context.workers.run('grep', input, options);
    const searched: Searched[] = [];
    for (const [at, count] of counts.entries()) {
      const candidate = portion[at]?.candidate;
      const problem = problems[at];
      if (candidate === undefined || (problem !== undefined && !(await isThere(context, candidate)))) continue;
      searched.push({ candidate, count, matches: matches[at] ?? [], ...(problem !== undefined && { problem }) });
    }
    return searched;
  };
  // The rest of the document that the last answer ended in comes first.
  const begun = await begunIn(context, scope);
  if (begun !== undefined) yield* await look(begun, scope.most - (scope.after?.found ?? 0));
  const looking: Promise<Searched[]>[] = [];
  let ahead = 1;
  for await (const portion of portionsOf(context, scope)) {
    const found = look(portion);
    // Heard of when its turn comes, or not at all when the answer is full before.
    found.catch(() => {});
    looking.push(found);
    if (looking.length < ahead) continue;
    yield* (await looking.shift()) ?? [];
    ahead = AHEAD;
  }
  for (const found of looking) yield* await found;
}

/** A document whose content is not there may have been deleted meanwhile: then there is nothing to say of it. */
async function isThere({ store }: Context, { id, hash }: Candidate): Promise<boolean> {
  return (await store.read(({ documents }) => documents.get(id)))?.hash === hash;
}

async function* portionsOf(context: Context, { filter, fits, required, after }: GrepScope): AsyncGenerator<Portion> {
  let mark: CandidateMark | undefined = after;
  let [page, size] = [FIRST_PAGE, FIRST];
  for (;;) {
    context.signal.throwIfAborted();
    const candidates: readonly Candidate[] = await context.store.documents.holding(required, filter, mark, page);
    const fitting = candidates.filter(({ path }) => fits(path));
    for (let at = 0; at < fitting.length; ) {
      yield await portionOf(context, fitting.slice(at, at + size));
      at += size;
      size = Math.min(size * 2, LAST);
    }
    mark = candidates.at(-1);
    if (candidates.length < page) return;
    page = LAST_PAGE;
  }
}

async function portionOf({ store }: Context, candidates: readonly Candidate[]): Promise<Portion> {
  const portion: { candidate: Candidate; text: SoughtText | string }[] = [];
  for (const candidate of candidates) {
    const { hash, kind } = candidate;
    // What was extracted is in the index, and mostly short.
    const text = kind === 'binary' ? ((await store.documents.kept(hash))?.text ?? '') : undefined;
    portion.push({ candidate, text: text === undefined ? hash : { hash, text } });
  }
  return portion;
}

/** What is left of a document after the line that a cursor names. */
async function begunIn(context: Context, { after, fits }: GrepScope): Promise<Portion | undefined> {
  if (after?.line === undefined || !fits(after.path)) return undefined;
  const { collection, path, line } = after;
  const document = await context.store.read(({ documents }) => documents.at(collection, path));
  if (document === undefined) return undefined;
  const portion = await portionOf(context, [document]);
  return portion.map(({ candidate, text }) => ({ candidate, text: { ...soughtOf(text), afterLine: line } }));
}

/** Each thread counts its own. */
class BytesLookedAt {
  readonly #context: Context;
  #bytes = 0;

  constructor(context: Context) {
    this.#context = context;
  }

  ofPortion(): (progress: Progress) => void {
    let own = 0;
    return ({ done }) => {
      this.#bytes += done - own;
      own = done;
      this.#context.progress({ done: this.#bytes, unit: 'bytes', message: 'bytes of text looked at' });
    };
  }
}
