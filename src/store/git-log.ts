/**
 * The commits of a project's own repository, to be learned from. Reads only, and nothing a stranger's repository says is
 * carried out (git.ts). A first look takes the recent commits; after it, every new commit comes exactly once, oldest first.
 */
import { realpathSync, statSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { CairnError } from '../errors.ts';
import { GitError, type GitOptions, runGit } from './git.ts';
import { isoTime, type LogRecord, readLog } from './git-records.ts';

export interface Commit {
  readonly sha: string;
  readonly time: string;
  readonly author: string;
  readonly subject: string;
  readonly body: string;
  /** For a merge, what it brought to its first parent. At most 200. */
  readonly files: readonly string[];
}

export interface CommitPage {
  /** The top folder of the work tree, or the repository itself where it is bare. */
  readonly repository: string;
  /** The same for every clone and work tree: the first commit. The path where that is not known (empty or shallow). */
  readonly id: string;
  readonly commits: readonly Commit[];
  /** Absent before the first commit. */
  readonly head?: string;
  /** Where to go on: give it as `after`. Absent before the first commit. */
  readonly next?: string;
  readonly more: boolean;
  /** The commit we came from is no longer part of the history; some of these may have been seen in another form. */
  readonly rewritten: boolean;
}

export interface CommitQuery {
  /** `next` of the page before, or simply the id of the last commit that is known. */
  readonly after?: string;
  readonly limit: number;
  readonly signal?: AbortSignal;
}

const FILES = 200;
const TEXT = 65_536;
const rootOf = new Map<string, string>();

/**
 * A position in the history. Commits of parallel branches have no order in which one id could mean "all up to here", so
 * within a range that is read in parts the position is the range and a count: `BASE..TARGET+COUNT`.
 */
interface Position {
  readonly base?: string;
  readonly target?: string;
  readonly count: number;
}

export async function commitsOf(repository: string, query: CommitQuery): Promise<CommitPage> {
  const cwd = folderOf(repository);
  const git: GitOptions = { cwd, ...(query.signal && { signal: query.signal }) };
  const asked = parsePosition(query.after);
  const limit = Math.max(1, Math.trunc(query.limit));
  const { top, isShallow } = await describe(cwd, git);
  const head = await ask(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], git);
  if (head === undefined) {
    return { repository: top, id: top, commits: [], more: false, rewritten: asked.base !== undefined };
  }
  const id = isShallow ? top : await firstCommit(head, git);
  const { position, rewritten } = await standing(asked, head, git);
  const { shas, next } = await pageOf(position, head, limit, git);
  const commits = await read(shas, git);
  return { repository: top, id, commits, head, next, more: next !== head, rewritten };
}

function folderOf(repository: string): string {
  const path = resolve(repository);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return realpathSync(path);
  throw new CairnError('not_found', `There is no folder ${path}`, {
    suggestion: 'Give the path of a folder inside a git repository.',
  });
}

async function describe(cwd: string, git: GitOptions): Promise<{ top: string; isShallow: boolean }> {
  const facts = ['--is-inside-work-tree', '--is-shallow-repository', '--absolute-git-dir'];
  const answer = await runGit(['rev-parse', ...facts], git).catch((thrown) => {
    throw isNoRepository(thrown) ? noRepository(cwd) : thrown;
  });
  const [isInside, isShallow, ...gitDir] = withoutNewline(answer).split('\n');
  const top = isInside === 'true' ? await ask(['rev-parse', '--show-toplevel'], git) : gitDir.join('\n');
  // Threat: the config of a repository may claim any folder as its work tree. It counts only where we are inside it.
  const isAround = top !== undefined && `${cwd}${sep}`.startsWith(`${resolve(top)}${sep}`);
  return { top: isAround ? resolve(top) : cwd, isShallow: isShallow === 'true' };
}

function isNoRepository(thrown: unknown): boolean {
  return thrown instanceof GitError && /not a git repository/i.test(thrown.stderr);
}

function noRepository(cwd: string): CairnError {
  return new CairnError('validation_failed', `${cwd} is not in a git repository`, {
    suggestion: 'Give the path of a folder inside a git repository, or run git init there.',
  });
}

/** Walks the whole history once for each new head; what a head grew from can never change. */
async function firstCommit(head: string, git: GitOptions): Promise<string> {
  const known = rootOf.get(head);
  if (known !== undefined) return known;
  const roots = withoutNewline(await runGit(['rev-list', '--max-parents=0', '--first-parent', head], git));
  if (rootOf.size > 1000) rootOf.clear();
  rootOf.set(head, roots);
  return roots;
}

function parsePosition(after: string | undefined): Position {
  if (after === undefined) return { count: 0 };
  // Threat: anything but hexadecimal digits could be an option or an expression of git.
  const parts = /^([0-9a-f]{40}|[0-9a-f]{64})(?:\.\.([0-9a-f]{40}|[0-9a-f]{64})\+(\d{1,9}))?$/.exec(after);
  const [, base, target, count = '0'] = parts ?? [];
  if (base !== undefined) return { base, ...(target !== undefined && { target }), count: Number(count) };
  throw new CairnError('validation_failed', `Not a position in a history: ${JSON.stringify(after.slice(0, 160))}`, {
    suggestion: 'Give what the page before named as next, or the whole id of a commit.',
  });
}

/** The position as far as it still holds in a history that may have been rewritten since. */
async function standing(
  asked: Position,
  head: string,
  git: GitOptions,
): Promise<{ position: Position; rewritten: boolean }> {
  const { base, target } = asked;
  if (base === undefined) return { position: asked, rewritten: false };
  const holds = (sha: string) => isAncestor(sha, head, git);
  if (target !== undefined && (await holds(target)) && (await isAncestor(base, target, git))) {
    return { position: asked, rewritten: false };
  }
  if (await holds(base)) return { position: { base, count: 0 }, rewritten: target !== undefined };
  const shared = await ask(['merge-base', base, head], git);
  return { position: { ...(shared !== undefined && { base: shared }), count: 0 }, rewritten: true };
}

/** `false` also for what no longer exists. */
async function isAncestor(sha: string, of: string, git: GitOptions): Promise<boolean> {
  return (await ask(['merge-base', '--is-ancestor', sha, of], git)) !== undefined;
}

async function pageOf(
  { base, target = undefined, count }: Position,
  head: string,
  limit: number,
  git: GitOptions,
): Promise<{ shas: string[]; next: string }> {
  if (base === undefined) {
    const recent = await list(['--date-order', `--max-count=${limit}`, head], git);
    return { shas: recent.reverse(), next: head };
  }
  const end = target ?? head;
  const range = await list(['--date-order', '--reverse', end, `^${base}`], git);
  const done = count + limit;
  return { shas: range.slice(count, done), next: done < range.length ? `${base}..${end}+${done}` : end };
}

async function list(args: readonly string[], git: GitOptions): Promise<string[]> {
  const printed = withoutNewline(await runGit(['rev-list', ...args], git));
  return printed === '' ? [] : printed.split('\n');
}

async function read(shas: readonly string[], git: GitOptions): Promise<Commit[]> {
  const commits: Commit[] = [];
  if (shas.length === 0) return commits;
  const given = { ...git, input: `${shas.join('\n')}\n`, timeoutMs: 120_000 };
  const limits = { files: FILES, text: TEXT };
  for await (const record of readLog(['--no-walk=unsorted', '--stdin'], given, limits)) commits.push(toCommit(record));
  return commits;
}

function toCommit({ sha, seconds, author, message, files }: LogRecord): Commit {
  const [subject = '', ...rest] = message.trim().split('\n');
  return {
    sha,
    time: isoTime(seconds),
    author,
    subject: subject.trimEnd(),
    body: rest.join('\n').trim(),
    files: files.map(({ path }) => path),
  };
}

/** `undefined` where git answers no. */
async function ask(args: readonly string[], git: GitOptions): Promise<string | undefined> {
  try {
    return withoutNewline(await runGit(args, git));
  } catch (thrown) {
    if (thrown instanceof GitError && thrown.exit !== null && thrown.kind === 'store_unavailable') return undefined;
    throw thrown;
  }
}

function withoutNewline(printed: Buffer): string {
  return printed.toString('utf8').replace(/\n$/, '');
}
