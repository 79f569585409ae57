/**
 * The one way the `git` program is run: without a shell, with an environment of our own, for a limited time.
 *
 * Threat: a repository may come from a stranger, and its config can name programs for git to start (a file system monitor,
 * hooks, a pager, a signature checker, a difference or conversion program, a transport that fetches missing objects).
 * Rule: everything of that kind is overruled on the command line, which wins over every file; no transport is allowed at
 * all; no GIT_ variable of our caller gets through. Git's refusal to read a folder of another user is kept and reported.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CairnError, type ErrorName } from '../errors.ts';
import { Places } from '../service/places.ts';

export interface GitOptions {
  /** The folder in which git looks for a repository. */
  readonly cwd?: string;
  /** The repository itself, where it is known. */
  readonly gitDir?: string;
  readonly input?: string | Buffer | AsyncIterable<Buffer>;
  readonly timeoutMs?: number;
  /** Bytes; `runGit` only. */
  readonly maxOutput?: number;
  readonly signal?: AbortSignal;
}

/** Git ran and said no. */
export class GitError extends CairnError {
  readonly exit: number | null;
  readonly stderr: string;

  constructor(kind: ErrorName, message: string, suggestion: string, exit: number | null, stderr: string) {
    super(kind, message, { suggestion });
    this.exit = exit;
    this.stderr = stderr;
  }
}

const MEBIBYTE = 1_048_576;
const STDERR_KEPT = 8192;
/** Asked to end, git removes its lock files; killed, it leaves them behind. So it gets this long. */
const GRACE_MS = 2000;

// Git itself knows this name on every platform, Windows too.
const NOWHERE = '/dev/null';

const overrides = {
  'core.fsmonitor': 'false',
  'core.hooksPath': NOWHERE,
  'core.pager': 'cat',
  'core.editor': 'false',
  'core.askPass': '',
  'core.sshCommand': 'false',
  'core.gitProxy': '',
  'core.alternateRefsCommand': 'false',
  'credential.helper': '',
  'diff.external': '',
  'diff.orderFile': NOWHERE,
  'diff.relative': 'false',
  'log.showSignature': 'false',
  'log.showRoot': 'true',
  'log.follow': 'false',
  'gpg.program': 'false',
  'gpg.ssh.program': 'false',
  'gpg.x509.program': 'false',
  'protocol.allow': 'never',
  'uploadpack.packObjectsHook': '',
  'color.ui': 'false',
  'i18n.logOutputEncoding': 'UTF-8',
  'maintenance.auto': 'false',
} as const;

const globalArguments = [
  '--no-pager',
  '--no-replace-objects',
  '--literal-pathspecs',
  ...Object.entries(overrides).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
];

/** Everything git prints. */
export async function runGit(args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
  const { maxOutput = 64 * MEBIBYTE } = options;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of streamGit(args, options)) {
    size += chunk.length;
    if (size > maxOutput) {
      throw new CairnError('limit_exceeded', `git ${args[0]} printed more than ${maxOutput} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** To start a process holds everybody up for a moment: a thousand calls that need one must not start a thousand at once. */
const places = new Places(8);

/** What git prints, as it prints it. Whoever stops listening ends the process; a failure comes after the last chunk. */
export async function* streamGit(args: readonly string[], options: GitOptions = {}): AsyncGenerator<Buffer> {
  await places.take();
  try {
    yield* streamed(args, options);
  } finally {
    places.giveBack();
  }
}

async function* streamed(args: readonly string[], options: GitOptions): AsyncGenerator<Buffer> {
  const { cwd, gitDir, input, timeoutMs = 30_000, signal } = options;
  signal?.throwIfAborted();
  const program = findGit();
  const child = spawn(
    program,
    [
      ...globalArguments,
      ...(cwd === undefined ? [] : ['-C', cwd]),
      ...(gitDir === undefined ? [] : [`--git-dir=${gitDir}`]),
      ...args,
    ],
    // A working folder that certainly exists: ours may have been removed, and git would not start.
    { cwd: dirname(program), env: environment(), stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true },
  );
  const closed = closing(child);
  // Not started, for want of memory or file handles: there are no pipes, and the reason is what it closes with.
  if (child.pid === undefined) await closed;
  const stderr = lastOf(child);
  let reason: unknown;
  const stop = (why: unknown) => {
    reason ??= why;
    end(child);
  };
  const fed = feed(child.stdin, input).catch(stop);
  const timer = setTimeout(() => stop(tooSlow(args, timeoutMs)), timeoutMs);
  const abort = () => stop(signal?.reason);
  signal?.addEventListener('abort', abort);
  let finished = false;
  try {
    yield* child.stdout;
    const exit = await closed;
    await fed;
    finished = true;
    if (reason !== undefined) throw reason;
    if (exit !== 0) throw failure(args, exit, stderr());
  } catch (thrown) {
    throw reason ?? thrown;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    if (!finished) end(child);
  }
}

/** `null` where a signal ended it; rejects where it could not be started. */
function closing(child: ChildProcess): Promise<number | null> {
  const closed = new Promise<number | null>((resolve, reject) => {
    child.once('error', (thrown: NodeJS.ErrnoException) => reject(thrown.code === 'ENOENT' ? notInstalled() : thrown));
    child.once('close', (code) => resolve(code));
  });
  // Somebody who stops listening early never asks.
  closed.catch(() => undefined);
  return closed;
}

function end(child: ChildProcess): void {
  child.kill('SIGTERM');
  setTimeout(() => {
    child.kill('SIGKILL');
    // A process that git started may still hold the pipes; we do not wait for it.
    child.stdout?.destroy();
    child.stderr?.destroy();
  }, GRACE_MS).unref();
}

/** A child that does not read to the end is its own business: its exit code says what it thought of the input. */
async function feed(stdin: Writable, input: GitOptions['input'] = ''): Promise<void> {
  const source = typeof input === 'string' || Buffer.isBuffer(input) ? [input] : input;
  const unread = ['EPIPE', 'EOF', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED'];
  try {
    await pipeline(Readable.from(source, { objectMode: true }), stdin);
  } catch (thrown) {
    if (!unread.includes(String((thrown as NodeJS.ErrnoException).code))) throw thrown;
  }
}

function lastOf(child: ChildProcess): () => string {
  let kept = Buffer.alloc(0);
  child.stderr?.on('data', (chunk: Buffer) => {
    kept = Buffer.concat([kept, chunk]).subarray(-STDERR_KEPT);
  });
  return () => kept.toString('utf8').trim();
}

function environment(): NodeJS.ProcessEnv {
  const kept = ['HOME', 'USERPROFILE', 'SystemRoot', 'TMPDIR', 'TEMP', 'TMP', 'GIT_CEILING_DIRECTORIES'];
  return {
    ...Object.fromEntries(kept.filter((name) => process.env[name]).map((name) => [name, process.env[name]])),
    PATH: searchPath().join(delimiter),
    LC_ALL: 'C',
    GIT_CONFIG_GLOBAL: NOWHERE,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_GRAFT_FILE: NOWHERE,
    // A list of nothing: unlike protocol.allow, no protocol.NAME.allow of a repository overrules it.
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_LAZY_FETCH: '1',
  };
}

/** Threat: a relative entry of PATH finds whatever `git` lies in the folder we happen to be in. Only absolute ones count. */
function searchPath(): string[] {
  return (process.env.PATH ?? '').split(delimiter).filter(isAbsolute);
}

function findGit(): string {
  const name = process.platform === 'win32' ? 'git.exe' : 'git';
  for (const folder of searchPath()) {
    const program = join(folder, name);
    if (isProgram(program)) return program;
  }
  throw notInstalled();
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function notInstalled(): CairnError {
  return new CairnError('store_unavailable', 'git is not installed', {
    suggestion: 'Install git and make sure that its folder is on the PATH of Cairn.',
  });
}

function tooSlow(args: readonly string[], timeoutMs: number): CairnError {
  return new CairnError('limit_exceeded', `git ${args[0]} took longer than ${timeoutMs / 1000} s and was stopped`, {
    suggestion: 'Look whether the disk is slow or the repository very large, then try again.',
  });
}

function failure(args: readonly string[], exit: number | null, stderr: string): GitError {
  if (/dubious ownership|unsafe repository/.test(stderr)) {
    const suggestion =
      'Run Cairn as the user who owns the repository, or give the repository to the user who runs Cairn.';
    return new GitError('permission_denied', 'The repository belongs to another user', suggestion, exit, stderr);
  }
  const lines = stderr.split('\n').filter((line) => !line.startsWith('fast-import: dumping crash report'));
  const why = lines.slice(-5).join('; ') || (exit === null ? 'a signal ended it' : `exit code ${exit}`);
  const suggestion = 'Run the same git command by hand; git fsck tells whether the repository is damaged.';
  return new GitError('store_unavailable', `git ${args[0]} failed: ${why}`, suggestion, exit, stderr);
}
