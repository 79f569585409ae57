/**
 * Keeps the search index of documents up to date: it follows the changes of the store, whoever made them, and reads the text
 * of each content once. Any process of a home may do so at any time; a step that another has made meanwhile counts.
 */
import { toCairnError } from '../errors.ts';
import type { Log } from '../service/log.ts';
import type { Workers } from '../service/workers.ts';
import type { ContentText } from '../store/document-index.ts';
import type { DocumentChange, DocumentRecord } from '../store/documents.ts';
import type { Store } from '../store/store.ts';
import { type Extracted, extract, isLaborious } from './extract/index.ts';
// For its declaration of the task.
import type {} from './extract/task.ts';
import { lettersOf } from './letters.ts';
import { recentIn } from './recent.ts';

export interface Surroundings {
  readonly store: Store;
  readonly workers: Workers;
  readonly log: Log;
}

const CHANGES = 500;
/** Text of one transaction of the index: less would be merged more often, more would keep other writers waiting. */
const STEP_CHARS = 2_000_000;
const LARGEST = 64 * 1024 * 1024;
/** Longer texts are found by the words of their beginning. */
const LONGEST = 5_000_000;
/** Longer ones yet are looked through by every grep, whatever it is for. */
const LONGEST_LETTERS = 16_000_000;
const EXTRACT_MS = 30_000;

/** Letters that only an extractor finds. */
const packed = /pdf|wordprocessingml/;

/** At work for a store, until it is told to stop. */
interface Follower {
  work: Promise<void> | undefined;
  stopped: boolean;
}
const followers = new WeakMap<Store, Follower>();

function followerOf(store: Store): Follower {
  let follower = followers.get(store);
  if (follower === undefined) {
    const made: Follower = { work: undefined, stopped: false };
    store.beforeClose(async () => {
      made.stopped = true;
      await made.work;
    });
    followers.set(store, made);
    follower = made;
  }
  return follower;
}

/** Resolves when all changes so far can be found, or after `patience`; then the rest goes on behind. */
export async function followed(
  around: Surroundings,
  patienceMs: number,
  report: (pending: number) => void = () => {},
): Promise<{ pending: number }> {
  const behind = await distance(around.store);
  if (behind === 0) return { pending: 0 };
  const follower = followerOf(around.store);
  // What it fails at is still pending: the next search tries again. Nothing that was stored depends on it.
  follower.work ??= follow(around, follower, report)
    .catch((thrown) => around.log.warn('Documents could not be indexed', { reason: toCairnError(thrown).message }))
    .finally(() => {
      follower.work = undefined;
    });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, patienceMs);
  });
  await Promise.race([follower.work, late]);
  clearTimeout(timer);
  return { pending: await distance(around.store) };
}

async function distance(store: Store): Promise<number> {
  const last = await store.read(({ documents }) => documents.lastChange());
  const seq = await store.documents.seq();
  // A store that was put back to an earlier state: what was derived from the later one is of no use.
  if (seq > last) await store.documents.reset();
  return seq > last ? last : last - seq;
}

async function follow(around: Surroundings, follower: Follower, report: (pending: number) => void): Promise<void> {
  const { store } = around;
  for (let ahead = true; !follower.stopped; ) {
    const seq = await store.documents.seq();
    const changes = await store.read(({ documents }) => documents.changes(seq, CHANGES));
    if (changes.length === 0) {
      recentIn(store).clear();
      readCodeLater(around);
      return;
    }
    report(await distance(store));
    ahead = await followSome(around, follower, seq, changes, ahead);
  }
}

const CODE_LATER_MS = 1000;

/** Source files are read for the graph when nothing more comes in; a command that ends before leaves them to the next process. */
function readCodeLater(around: Surroundings): void {
  const later = async () => {
    const { outlined } = await import('../graph/outlining.ts');
    await outlined({ ...around, decode: lettersOf }, 0);
  };
  // The store may be closed by then; whoever asks for the graph has them read.
  setTimeout(() => void later().catch(() => {}), CODE_LATER_MS).unref();
}

/**
 * With `ahead`, the texts of a step are read while the one before is being written. `false` where a step was refused: another
 * process was faster, or the step before took away a text that was still there when this one was read.
 */
async function followSome(
  around: Surroundings,
  follower: Follower,
  seq: number,
  changes: readonly DocumentChange[],
  ahead: boolean,
): Promise<boolean> {
  let after = seq;
  let writing = Promise.resolve(true);
  for await (const { step, texts } of stepsOf(around, changes)) {
    if (!(await writing)) return false;
    if (follower.stopped) return true;
    writing = around.store.documents.follow(after, step, texts);
    if (!ahead) await writing;
    // Heard of when the next step is due.
    writing.catch(() => {});
    after = step.at(-1)?.seq ?? after;
    await new Promise(setImmediate);
  }
  return writing;
}

/** Changes with the texts they need, in portions that can be written without holding others up. */
async function* stepsOf(around: Surroundings, changes: readonly DocumentChange[]) {
  let step: DocumentChange[] = [];
  let texts: ContentText[] = [];
  let chars = 0;
  for (const change of changes) {
    step.push(change);
    const { document } = change;
    // Asked for each anew: the step before may have dropped a text that this one needs again.
    if (document !== undefined && (await isLacking(around.store, document.hash, texts))) {
      const text = await textOf(around, document);
      texts.push(text);
      chars += text.text.length + (text.letters?.length ?? 0);
    }
    if (chars < STEP_CHARS) continue;
    yield { step, texts };
    [step, texts, chars] = [[], [], 0];
  }
  if (step.length > 0) yield { step, texts };
}

async function isLacking({ documents }: Store, hash: string, given: readonly ContentText[]): Promise<boolean> {
  return !given.some((text) => text.hash === hash) && (await documents.lacking([hash])).length > 0;
}

async function textOf({ store, workers }: Surroundings, document: DocumentRecord): Promise<ContentText> {
  const { hash, path, size, mime, kind: sort } = document;
  // Found by its name.
  if (sort === 'binary' && !packed.test(mime)) return { hash, text: '', extracted: false, partial: false };
  if (size > LARGEST) {
    const problem = packed.test(mime) ? { problem: `it has more than ${LARGEST / 1024 ** 2} MiB` } : {};
    return { hash, text: '', extracted: false, partial: true, ...problem };
  }
  try {
    const bytes = recentIn(store).get(hash) ?? (await store.objects.readAll(hash, LARGEST));
    const found = await read(workers, path, bytes);
    const { text = '', title, kind, truncated = false } = found;
    const extracted = text !== '' && kind !== 'text' && kind !== 'markdown' && kind !== 'code';
    const isPage = kind === 'html' || kind === 'notebook';
    const written = isPage || (truncated && !extracted) ? lettersOf(bytes) : undefined;
    const problem = found.problem ?? (extracted && truncated ? 'only the beginning of its text was read' : undefined);
    return {
      hash,
      text,
      extracted,
      ...(written !== undefined && { letters: written.slice(0, LONGEST_LETTERS) }),
      // What was extracted is all there is; the letters of a content can be read on.
      partial: written !== undefined && written.length > LONGEST_LETTERS,
      ...(title !== undefined && { title }),
      ...(problem !== undefined && { problem }),
    };
  } catch (thrown) {
    return { hash, text: '', extracted: false, partial: true, problem: toCairnError(thrown).message };
  }
}

async function read(workers: Workers, name: string, bytes: Buffer): Promise<Extracted> {
  if (!isLaborious(name, bytes)) return extract(name, bytes, { maxTextChars: LONGEST });
  const signal = AbortSignal.timeout(EXTRACT_MS);
  try {
    return await workers.run('extract', { name, bytes, maxTextChars: LONGEST }, { signal });
  } catch (thrown) {
    const problem = signal.aborted ? `its text took longer than ${EXTRACT_MS / 1000} s` : toCairnError(thrown).message;
    return { kind: 'binary', mime: '', problem };
  }
}
