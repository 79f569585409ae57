/** What `git fast-import` reads: commits of the history as a stream of bytes, and the same commits with some paths forgotten. */
import { CairnError } from '../errors.ts';
import type { LogFile, LogRecord } from './git-records.ts';

/** One acknowledged write, which becomes one commit. */
export interface HistoryEntry {
  /** Grows from entry to entry. */
  readonly seq: number;
  /** ISO 8601; git keeps whole seconds. */
  readonly time: string;
  readonly author: string;
  /** Its first line is the subject. */
  readonly message: string;
  /** `null` removes the file. */
  readonly files: readonly { readonly path: string; readonly text: string | null }[];
}

/** A change by new text, or by the id of a blob that the repository already holds. */
type Change =
  | { readonly path: string; readonly text: string | null }
  | { readonly path: string; readonly blob: string };

export interface StreamCommit {
  /** Absent for a commit that somebody made by hand. */
  readonly seq?: number;
  readonly seconds: number;
  readonly author: string;
  readonly message: string;
  readonly changes: readonly Change[];
}

/** Git's own tools know the years 1970 to 2099. */
const LAST_SECOND = 4_102_444_799;
const seqLine = /^Cairn-Seq: (\d+)$/gm;
const HIGHEST_SEQ = 2 ** 40;

export function toCommit({ seq, time, author, message, files }: HistoryEntry): StreamCommit {
  return { seq, seconds: Date.parse(time) / 1000, author, message, changes: files };
}

/** Everything for one run of fast-import; git answers with the id of the last commit. */
export async function* importStream(
  ref: string,
  from: string | undefined,
  commits: Iterable<StreamCommit> | AsyncIterable<StreamCommit>,
): AsyncGenerator<Buffer> {
  let first = true;
  for await (const commit of commits) {
    yield commitOf(commit, ref, first ? from : undefined);
    first = false;
  }
  yield Buffer.from('get-mark :1\ndone\n');
}

/** Without `from`, git goes on from the commit before in the same stream. */
function commitOf({ seq, seconds, author, message, changes }: StreamCommit, ref: string, from?: string): Buffer {
  const time = Math.floor(Math.min(Math.max(seconds || 0, 0), LAST_SECOND));
  return Buffer.concat([
    Buffer.from(`commit ${ref}\nmark :1\nauthor ${cleanName(author)} <> ${time} +0000\n`),
    Buffer.from(`committer Cairn <> ${time} +0000\n`),
    data(cleanMessage(message) + (seq === undefined ? '\n' : `\n\nCairn-Seq: ${seq}\n`)),
    Buffer.from(from === undefined ? '' : `from ${from}\n`),
    ...changes.map(changeOf),
    Buffer.from('\n'),
  ]);
}

function changeOf(change: Change): Buffer {
  const path = `"${change.path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
  if ('blob' in change) return Buffer.from(`M 100644 ${change.blob} ${path}\n`);
  if (change.text === null) return Buffer.from(`D ${path}\n`);
  return Buffer.concat([Buffer.from(`M 100644 inline ${path}\n`), data(change.text)]);
}

/** Counted, so that no content can be taken for a command. */
function data(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  return Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n')]);
}

function cleanName(author: string): string {
  return author.replaceAll(/[<>\p{Cc}\s]+/gu, ' ').trim() || 'unknown';
}

function cleanMessage(message: string): string {
  return message.replaceAll('\0', '').replaceAll('\r\n', '\n').trim() || 'no message';
}

/** The last line of that form: a message may quote others. 0 where there is none. */
export function seqOf(message: string): number {
  const seq = Number([...message.matchAll(seqLine)].at(-1)?.[1] ?? 0);
  // No store of ours counts that far: whoever wrote it, it says nothing about what is in.
  return seq <= HIGHEST_SEQ ? seq : 0;
}

export function messageWithoutSeq(message: string): string {
  return message
    .trimEnd()
    .replace(/(^|\n)Cairn-Seq: \d+$/, '')
    .trimEnd();
}

export function checkPath(path: string): void {
  const isOdd = (part: string) => part === '' || part === '.' || part === '..' || part.toLowerCase() === '.git';
  if (!/\p{Cc}/u.test(path) && !path.split('/').some(isOdd)) return;
  throw new CairnError('validation_failed', `Not a path of the history: ${JSON.stringify(path.slice(0, 200))}`, {
    suggestion: 'Give the path of a file below the home, such as decisions/one.md.',
  });
}

/** Carries a history over without some paths. */
export class Rewriting {
  /** Commits that vanished or changed so far. */
  changed = 0;
  readonly #paths: ReadonlySet<string>;
  readonly #names: RegExp;

  constructor(paths: readonly string[]) {
    this.#paths = new Set(paths);
    this.#names = namesOf(paths);
  }

  async *apply(records: AsyncIterable<LogRecord>): AsyncGenerator<StreamCommit> {
    let [carried, seen] = [0, 0];
    let any = false;
    for await (const record of records) {
      seen = Math.max(seen, seqOf(record.message));
      const commit = this.#without(record);
      if (commit === undefined) continue;
      any = true;
      carried = commit.seq ?? carried;
      yield commit;
    }
    // The tip vanished: without its seq, the entries since would be committed once more.
    if (!any || carried < seen)
      yield { seq: seen, seconds: Date.now() / 1000, author: 'Cairn', message: 'Forget', changes: [] };
  }

  #without({ seconds, author, message, files }: LogRecord): StreamCommit | undefined {
    const kept = files.filter(({ path }) => !this.#paths.has(path));
    const touched = kept.length < files.length;
    const said = messageWithoutSeq(message);
    const named = touched || this.#names.test(said);
    if (named) this.changed++;
    if (touched && kept.length === 0) return undefined;
    const seq = seqOf(message);
    return {
      ...(seq > 0 && { seq }),
      seconds,
      author,
      message: named ? 'This message named something that was forgotten' : said,
      changes: kept.filter(isFile).map(({ path, blob, removed }) => (removed ? { path, text: null } : { path, blob })),
    };
  }
}

/** Git can hold the commit of another repository under a name; our history never does. */
function isFile({ mode }: LogFile): boolean {
  return mode !== '160000';
}

/** A path, the name of its file, or that name without its ending, as a word of its own. */
function namesOf(paths: readonly string[]): RegExp {
  const names = paths.flatMap((path) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    return [path, name, name.replace(/(?<=.)\.[^.]*$/, '')];
  });
  const escaped = names.map((name) => name.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return new RegExp(`(?<![\\p{L}\\p{N}_-])(${escaped.join('|') || '(?!)'})(?![\\p{L}\\p{N}_-])`, 'iu');
}
