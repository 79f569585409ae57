/**
 * Cairn's own fine-grained history of its files: a bare repository in the home, one commit for every acknowledged write.
 * Only `git fast-import` writes it: no index, no work tree, no filters, no hooks, and one process for any number of commits.
 * Every message ends with `Cairn-Seq: N`, so that the tip alone tells how far the history goes, whatever crashed before.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CairnError } from '../errors.ts';
import { exists } from './file.ts';
import { GitError, runGit } from './git.ts';
import { isoTime, type LogRecord, readLog } from './git-records.ts';
import {
  BRANCH,
  createHistory,
  isStillOurs,
  openHistory,
  readTip,
  removeCrashReports,
  removeStaleKeeps,
  setAside,
} from './history-folder.ts';
import {
  checkPath,
  type HistoryEntry,
  importStream,
  messageWithoutSeq,
  Rewriting,
  type StreamCommit,
  seqOf,
  toCommit,
} from './history-stream.ts';

export type { HistoryEntry } from './history-stream.ts';

export interface FileVersion {
  readonly commit: string;
  readonly time: string;
  readonly author: string;
  readonly message: string;
  readonly removed: boolean;
}

export interface HistoryStatus {
  /** The version of git; absent where it is not installed. */
  readonly git: string | undefined;
  readonly healthy: boolean;
  readonly problem?: string;
  readonly commits?: number;
}

interface Tip {
  /** Absent before the first commit. */
  readonly sha?: string;
  readonly seq: number;
}

type Commits = Iterable<StreamCommit> | AsyncIterable<StreamCommit>;

const ATTEMPTS = 6;
/** A first import of thousands of files, or a rewriting, on a slow disk. */
const LONG_MS = 600_000;
/** Where a rewritten history grows until it takes the place of the old one. */
const REWRITTEN = 'refs/cairn/rewritten';
const importing = ['fast-import', '--quiet', '--done', '--date-format=raw'];

export class GitHistory {
  readonly #folder: string;
  #trusted = false;
  #known: Tip = { seq: 0 };
  #queue: Promise<unknown> = Promise.resolve();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Appends one commit for each entry that the history does not hold yet; repeating is harmless. Resolves to the seq of the
   * last one that is in. More than the caller ever gave means that the history belongs to another store: see `setAside`.
   */
  commit(entries: readonly HistoryEntry[]): Promise<number> {
    return this.#inTurn(() => this.#commit([...entries].sort((a, b) => a.seq - b.seq)));
  }

  /** Newest first; none where there is no history. */
  async versions(path: string, limit: number): Promise<FileVersion[]> {
    checkPath(path);
    const tip = await this.#tipSha();
    if (tip === undefined || limit < 1) return [];
    const versions: FileVersion[] = [];
    for await (const record of readLog([`--max-count=${Math.trunc(limit)}`, tip, '--', path], this.#git())) {
      // A folder of that name matches too, with the files in it.
      const file = record.files.find((each) => each.path === path);
      if (file !== undefined) versions.push(toVersion(record, file.removed));
    }
    return versions;
  }

  /** `commit` is the id of a commit or the beginning of one; `undefined` where it or the file in it does not exist. */
  async text(path: string, commit: string): Promise<string | undefined> {
    checkPath(path);
    const sha = (await this.#tipSha()) === undefined ? undefined : await this.#wholeId(commit);
    if (sha === undefined) return undefined;
    const answer = await runGit(['cat-file', '--batch'], this.#git({ input: `${sha}:${path}\n` }));
    const end = answer.indexOf(0x0a);
    const [, kind, size] = answer.subarray(0, end).toString('utf8').split(' ');
    // For a missing one git repeats the name, which may look like anything; what it has, it prints in full.
    const isWhole = kind === 'blob' && answer.length === end + 1 + Number(size) + 1;
    return isWhole ? answer.subarray(end + 1, -1).toString('utf8') : undefined;
  }

  /**
   * Rewrites the history without these paths and drops the old objects. Messages of commits that touched them, or that name
   * them, are replaced. Resolves to the number of commits that vanished or changed.
   */
  forget(paths: readonly string[]): Promise<{ commits: number }> {
    return this.#inTurn(() => this.#forget(paths));
  }

  /** Packs what has become many small files; does nothing most of the time. */
  tidy(): Promise<void> {
    return this.#inTurn(async () => {
      if (!(await this.#open())) return;
      await runGit(['gc', '--auto', '--quiet'], this.#git({ timeoutMs: LONG_MS }));
      removeCrashReports(this.#folder);
    });
  }

  async status(): Promise<HistoryStatus> {
    let git: string | undefined;
    try {
      git = (await runGit(['version']))
        .toString('utf8')
        .trim()
        .replace(/^git version /, '');
      const tip = await this.#tipSha();
      if (tip === undefined) return { git, healthy: true, commits: 0 };
      const commits = Number((await runGit(['rev-list', '--count', tip], this.#git())).toString('utf8'));
      await runGit(['cat-file', '-e', `${tip}^{tree}`], this.#git());
      const isLocked = await exists(this.#lockFile);
      return { git, healthy: !isLocked, commits, ...(isLocked && { problem: this.#locked().message }) };
    } catch (thrown) {
      if (!(thrown instanceof CairnError)) throw thrown;
      return { git, healthy: false, problem: thrown.message };
    }
  }

  /** Moves the whole history out of the way; the next commit starts a new one. Resolves to where it is now. */
  setAside(): Promise<string | undefined> {
    return this.#inTurn(async () => ((await this.#open()) ? setAside(this.#folder) : undefined));
  }

  async #commit(entries: readonly HistoryEntry[]): Promise<number> {
    for (const { files } of entries) for (const { path } of files) checkPath(path);
    for (let attempt = 1; ; attempt++) {
      if (entries.length > 0 && !(await this.#open())) await createHistory(this.#folder);
      const tip = await this.#tip();
      const missing = entries.filter(({ seq }, index) => seq > Math.max(tip.seq, entries[index - 1]?.seq ?? 0));
      const last = missing.at(-1);
      if (last === undefined) return tip.seq;
      try {
        this.#known = { sha: await this.#import(BRANCH, tip.sha, missing.map(toCommit)), seq: last.seq };
        return last.seq;
      } catch (thrown) {
        await this.#explain(thrown, tip, attempt);
        await delay(Math.random() * 20 * attempt);
      }
    }
  }

  /** Returns where another process was faster, and it is worth another try. */
  async #explain(thrown: unknown, tip: Tip, attempt: number): Promise<void> {
    if (!(thrown instanceof GitError)) throw thrown;
    const moved = (await readTip(this.#folder)) !== tip.sha;
    if (moved && attempt < ATTEMPTS) return;
    if (thrown.stderr.includes('main.lock')) throw this.#locked(thrown);
    throw thrown;
  }

  /** The id of the last commit. `--done` makes git drop a stream that breaks off, whatever it ends with. */
  async #import(ref: string, from: string | undefined, commits: Commits): Promise<string> {
    const input = importStream(ref, from, commits);
    const printed = await runGit(
      ref === BRANCH ? importing : [...importing, '--force'],
      this.#git({ input, timeoutMs: LONG_MS }),
    );
    return printed.toString('utf8').trim();
  }

  async #forget(paths: readonly string[]): Promise<{ commits: number }> {
    for (const path of paths) checkPath(path);
    for (let attempt = 1; ; attempt++) {
      const old = await this.#tipSha();
      if (old === undefined) return { commits: 0 };
      const started = Math.floor(Date.now() / 1000);
      const rewriting = new Rewriting(paths);
      const records = readLog(['--reverse', '--first-parent', old], this.#git({ timeoutMs: LONG_MS }));
      const sha = await this.#import(REWRITTEN, undefined, rewriting.apply(records));
      // What others write from now on is newer than everything that is to go, also by a clock of whole seconds.
      await delay(Math.min(1000, Math.max(0, (started + 1) * 1000 - Date.now())));
      try {
        await this.#replaceRefs(old, sha);
      } catch (thrown) {
        await this.#explain(thrown, { sha: old, seq: 0 }, attempt);
        continue;
      }
      await this.#dropObjects(started);
      return { commits: rewriting.changed };
    }
  }

  /** One transaction: the branch moves if it still is where it was, and nothing else holds on to the old commits. */
  async #replaceRefs(old: string, sha: string): Promise<void> {
    const listed = (await runGit(['for-each-ref', '--format=%(refname)'], this.#git())).toString('utf8');
    const others = listed.split('\n').filter((ref) => ref !== '' && ref !== BRANCH);
    const lines = [`update ${BRANCH} ${sha} ${old}`, ...others.map((ref) => `delete ${ref}`)];
    await runGit(['update-ref', '--no-deref', '--stdin'], this.#git({ input: `${lines.join('\n')}\n` }));
    this.#known = { seq: 0 };
  }

  /** Only what is older than `seconds`: another process may just be writing objects that no ref holds yet. */
  async #dropObjects(seconds: number): Promise<void> {
    const long = { timeoutMs: LONG_MS };
    removeStaleKeeps(this.#folder, seconds * 1000 - LONG_MS);
    await runGit(['repack', '-a', '-d', '-l', '-q', '-n'], this.#git(long));
    await runGit(['prune', `--expire=@${seconds} +0000`], this.#git(long));
    removeCrashReports(this.#folder);
  }

  /** Asks git only where somebody else moved the branch since we did. */
  async #tip(): Promise<Tip> {
    const sha = await this.#tipSha();
    if (sha === undefined) return { seq: 0 };
    if (sha !== this.#known.sha) {
      const nearest = ['-1', '--first-parent', '--format=%B', '--extended-regexp', '--grep=^Cairn-Seq: [0-9]+$', sha];
      this.#known = { sha, seq: seqOf((await runGit(['log', ...nearest], this.#git())).toString('utf8')) };
    }
    return this.#known;
  }

  async #tipSha(): Promise<string | undefined> {
    return (await this.#open()) ? readTip(this.#folder) : undefined;
  }

  /** `undefined` where no commit begins like that. */
  async #wholeId(commit: string): Promise<string | undefined> {
    const id = commit.toLowerCase();
    // Threat: anything else could be an option, a ref or one of git's many expressions.
    if (!/^[0-9a-f]{4,40}$/.test(id)) {
      throw new CairnError('validation_failed', `Not the id of a commit: ${JSON.stringify(commit.slice(0, 60))}`, {
        suggestion: 'Give 4 to 40 hexadecimal digits, as the list of versions shows them.',
      });
    }
    try {
      return (await runGit(['rev-parse', '--verify', `${id}^{commit}`], this.#git())).toString('utf8').trim();
    } catch (thrown) {
      if (!(thrown instanceof GitError) || thrown.exit === null) throw thrown;
      if (!/is ambiguous/.test(thrown.stderr)) return undefined;
      throw new CairnError('validation_failed', `More than one commit begins with ${id}`, {
        suggestion: 'Give more digits of the commit.',
      });
    }
  }

  async #open(): Promise<boolean> {
    if (this.#trusted && (await isStillOurs(this.#folder))) return true;
    this.#trusted = await openHistory(this.#folder);
    return this.#trusted;
  }

  #git<T extends object>(options?: T): { gitDir: string } & T {
    return { gitDir: this.#folder, ...(options as T) };
  }

  get #lockFile(): string {
    return join(this.#folder, `${BRANCH}.lock`);
  }

  #locked(cause?: unknown): CairnError {
    return new CairnError(
      'store_unavailable',
      `The history is locked by ${this.#lockFile}`,
      { suggestion: 'If no git process is at work there, remove that file; what is missing is then written.' },
      { cause },
    );
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(work);
    this.#queue = turn.catch(() => undefined);
    return turn;
  }
}

function toVersion({ sha, seconds, author, message }: LogRecord, removed: boolean): FileVersion {
  return { commit: sha, time: isoTime(seconds), author, message: messageWithoutSeq(message), removed };
}
