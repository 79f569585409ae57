/** Commits as `git log` prints them for machines: fields and file names end with NUL, so that no name can break them. */
import { type GitOptions, streamGit } from './git.ts';

export interface LogRecord {
  readonly sha: string;
  /** Seconds since 1970. */
  readonly seconds: number;
  readonly author: string;
  readonly message: string;
  readonly files: readonly LogFile[];
}

export interface LogFile {
  readonly path: string;
  readonly blob: string;
  readonly mode: string;
  readonly removed: boolean;
}

export interface LogLimits {
  readonly files: number;
  /** Bytes of one message or name; the rest is cut off. */
  readonly text: number;
}

const machineFormat = [
  'log',
  '-z',
  '--raw',
  '--no-abbrev',
  '--no-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--no-show-signature',
  '--no-color',
  '--no-notes',
  '--ignore-submodules=none',
  '--diff-merges=first-parent',
  '--format=%H%x00%at%x00%an%x00%B%x00',
];

/** What `git log` finds for these revisions and paths, one commit at a time, in git's order. */
export async function* readLog(
  args: readonly string[],
  options: GitOptions,
  limits: LogLimits = { files: Number.POSITIVE_INFINITY, text: Number.POSITIVE_INFINITY },
): AsyncGenerator<LogRecord> {
  const fields: string[] = [];
  let files: LogFile[] = [];
  let change: string | undefined;
  for await (const token of split(streamGit([...machineFormat, ...args], options), limits.text)) {
    if (fields.length < 4) fields.push(token);
    else if (change !== undefined) {
      if (files.length < limits.files) files.push(toFile(change, token));
      change = undefined;
    } else if (/^\n?:/.test(token)) change = token.trimStart();
    // An empty one ends the fields; what else comes is the id of the next commit.
    else if (token !== '') {
      yield toRecord(fields, files);
      fields.splice(0, fields.length, token);
      files = [];
    }
  }
  if (fields.length === 4) yield toRecord(fields, files);
}

/** The strings between the NULs. */
async function* split(chunks: AsyncIterable<Buffer>, limit: number): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let size = 0;
  const keep = (part: Buffer) => {
    if (size < limit) parts.push(part.subarray(0, limit - size));
    size += part.length;
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(0); at >= 0; at = chunk.indexOf(0, from)) {
      keep(chunk.subarray(from, at));
      yield Buffer.concat(parts).toString('utf8');
      parts = [];
      size = 0;
      from = at + 1;
    }
    keep(chunk.subarray(from));
  }
}

function toRecord([sha = '', seconds = '', author = '', message = '']: readonly string[], files: LogFile[]): LogRecord {
  return { sha, seconds: Number(seconds), author, message, files };
}

/** `:100644 000000 BEFORE AFTER D` and a path. */
function toFile(change: string, path: string): LogFile {
  const [before = '', after = '', , blob = '', kind = ''] = change.slice(1).split(' ');
  const removed = kind === 'D';
  return { path, blob, mode: removed ? before : after, removed };
}

export function isoTime(seconds: number): string {
  // Odd clocks and odd tools: a commit may claim any year, a Date cannot hold them all.
  const known = Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), 253_402_300_799) : 0;
  return new Date(known * 1000).toISOString();
}
