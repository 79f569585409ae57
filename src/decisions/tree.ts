import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { CairnError } from '../errors.ts';
import type { TaskOptions } from '../service/workers.ts';
import { isMissing, readStart } from '../store/file.ts';
import { type Effort, type IgnoreFile, isIgnored, parseIgnore } from '../store/gitignore.ts';

export interface Leaf {
  readonly kind: 'file' | 'link' | 'special';
  readonly name: string;
  readonly path: string;
}

export interface Folder {
  readonly kind: 'folder';
  readonly name: string;
  /** Below the root, with slashes; empty for the root itself. */
  readonly path: string;
  readonly depth: number;
  /** `cut` was listed in part; `deep` and `unread` were not looked into, for their depth or because there was no budget left. */
  state: 'read' | 'cut' | 'deep' | 'unread' | 'unreadable';
  /** Folders first, then by name in code-unit order; without what is ignored. */
  entries: readonly Entry[];
}

export type Entry = Folder | Leaf;

export interface Drawing {
  readonly tree: string;
  readonly entries: number;
  /** What is missing from the tree, in words. */
  readonly truncated?: string;
}

const DEPTH = 7;
const SHOWN = 1000;
/** A folder below the root may take this many lines before the others have had theirs; what is left over is shared out then. */
const FIRST_SHARE = 200;
const LOOKED_AT = 20_000;
const LOOKED_AT_IN_FOLDER = 2000;
const IGNORE_FILE_BYTES = 64 * 1024;
/** Half a second of matching. Reading rules is paid for as well: they are kept until the folders below are done. */
const IGNORE_EFFORT = 50_000_000;
const EFFORT_OF_BYTE = 100;
const NAME_LENGTH = 120;

/** Never of interest, and seldom in a `.gitignore` because the tools that make them hide them by other means. */
const skipped = new Set(
  (
    '.git .hg .svn .jj .cairn node_modules bower_components .venv __pycache__ .tox .nox .mypy_cache .pytest_cache ' +
    '.ruff_cache .gradle .terraform .next .nuxt .turbo .parcel-cache .cache .yarn .pnpm-store .DS_Store Thumbs.db'
  ).split(' '),
);

/** All folders that were found, the root first, in the order in which they were looked at. */
export async function walkProject(
  root: string,
  { signal, progress }: TaskOptions = {},
): Promise<[Folder, ...Folder[]]> {
  const budget = { looks: LOOKED_AT, effort: { left: IGNORE_EFFORT } };
  const top = folderOf('', '', 0);
  const folders: [Folder, ...Folder[]] = [top];
  const rules = new Map<Folder, readonly IgnoreFile[]>([[top, []]]);
  // The list grows while it is gone through: that is what makes it breadth-first.
  for (const folder of folders) {
    signal?.throwIfAborted();
    if (folder.depth === DEPTH) folder.state = 'deep';
    else if (budget.looks > 0 && budget.effort.left > 0) {
      const own = [...(rules.get(folder) ?? []), ...ignoreFileOf(root, folder, budget.effort)];
      const before = LOOKED_AT - budget.looks;
      await list(root, folder, own, budget, signal);
      for (const entry of folder.entries) {
        if (entry.kind !== 'folder') continue;
        folders.push(entry);
        rules.set(entry, own);
      }
      const done = LOOKED_AT - budget.looks;
      if (thousands(done) > thousands(before)) progress?.({ done });
    }
    rules.delete(folder);
  }
  return folders;
}

function thousands(count: number): number {
  return Math.floor(count / 1000);
}

function folderOf(name: string, path: string, depth: number): Folder {
  return { kind: 'folder', name, path, depth, state: 'unread', entries: [] };
}

interface Budget {
  looks: number;
  readonly effort: Effort;
}

async function list(
  root: string,
  folder: Folder,
  rules: readonly IgnoreFile[],
  budget: Budget,
  signal: AbortSignal | undefined,
): Promise<void> {
  const entries: Entry[] = [];
  let looked = 0;
  folder.state = 'read';
  try {
    for await (const found of await opendir(join(root, folder.path), { bufferSize: 256 })) {
      if (looked === LOOKED_AT_IN_FOLDER || budget.looks === 0 || budget.effort.left <= 0) {
        folder.state = 'cut';
        break;
      }
      looked++;
      budget.looks--;
      if (looked % 256 === 0) signal?.throwIfAborted();
      if (skipped.has(found.name)) continue;
      const path = folder.path === '' ? found.name : `${folder.path}/${found.name}`;
      if (isIgnored(rules, path, found.isDirectory(), budget.effort)) continue;
      if (found.isDirectory()) entries.push(folderOf(found.name, path, folder.depth + 1));
      else entries.push({ kind: kindOf(found), name: found.name, path });
    }
  } catch (thrown) {
    signal?.throwIfAborted();
    if (folder.path === '') throw unreadableRoot(root, thrown);
    folder.state = 'unreadable';
  }
  folder.entries = folder.state === 'unreadable' ? [] : entries.sort(inOrder);
}

function kindOf(found: { isFile(): boolean; isSymbolicLink(): boolean }): Leaf['kind'] {
  if (found.isSymbolicLink()) return 'link';
  return found.isFile() ? 'file' : 'special';
}

function unreadableRoot(root: string, cause: unknown): CairnError {
  if (!isMissing(cause)) return new CairnError('permission_denied', `The folder ${root} cannot be read`, {}, { cause });
  const suggestion = 'Name the folder of a project.';
  return new CairnError('not_found', `There is no folder at ${root}`, { suggestion }, { cause });
}

function inOrder(a: Entry, b: Entry): number {
  if ((a.kind === 'folder') !== (b.kind === 'folder')) return a.kind === 'folder' ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}

function ignoreFileOf(root: string, folder: Folder, effort: Effort): IgnoreFile[] {
  try {
    const content = readStart(join(root, folder.path, '.gitignore'), IGNORE_FILE_BYTES);
    if (content === undefined) return [];
    effort.left -= content.length * EFFORT_OF_BYTE;
    // Half a rule could mean something else; a whole one that is missing only shows more.
    const end = content.length < IGNORE_FILE_BYTES ? content.length : content.lastIndexOf('\n') + 1;
    return [parseIgnore(content.subarray(0, end), folder.path)];
  } catch {
    return [];
  }
}

export function drawTree(folders: readonly [Folder, ...Folder[]]): Drawing {
  const shown = shareLines(folders);
  const lines = linesOf(folders[0], shown, '');
  const entries = [...shown.values()].reduce((sum, count) => sum + count, 0);
  const truncated = missing(folders, entries);
  return { tree: lines.join('\n'), entries, ...(truncated !== '' && { truncated }) };
}

/** How many entries of each folder are shown. */
function shareLines(folders: readonly Folder[]): Map<Folder, number> {
  const shown = new Map<Folder, number>();
  const visible = new Set<Entry>(folders.slice(0, 1));
  let left = SHOWN;
  for (const share of [FIRST_SHARE, SHOWN]) {
    for (const folder of folders) {
      if (!visible.has(folder)) continue;
      const before = shown.get(folder) ?? 0;
      const now = Math.min(folder.entries.length, before + left, folder.depth === 0 ? SHOWN : Math.max(share, before));
      for (const entry of folder.entries.slice(before, now)) visible.add(entry);
      shown.set(folder, now);
      left -= now - before;
    }
  }
  return shown;
}

function linesOf(folder: Folder, shown: ReadonlyMap<Folder, number>, indent: string): string[] {
  const count = shown.get(folder) ?? 0;
  const lines = folder.entries.slice(0, count).flatMap((entry) => {
    if (entry.kind !== 'folder') return `${indent}${labelOf(entry)}`;
    const inside = (shown.get(entry) ?? 0) > 0;
    return [
      `${indent}${labelOf(entry)}${inside ? '' : markOf(entry)}`,
      ...(inside ? linesOf(entry, shown, `${indent}  `) : []),
    ];
  });
  const rest = folder.entries.length - count;
  if (folder.state === 'cut') lines.push(`${indent}… ${rest > 0 ? `at least ${rest} more` : 'and perhaps more'}`);
  else if (rest > 0) lines.push(`${indent}… ${rest} more`);
  return lines;
}

function labelOf(entry: Entry): string {
  const name = inOneLine(entry.name);
  const short = name.length <= NAME_LENGTH ? name : `${name.slice(0, NAME_LENGTH - 1)}…`;
  if (entry.kind === 'folder') return `${short}/`;
  return entry.kind === 'file' ? short : `${short} (${entry.kind})`;
}

/** For a folder that nothing is shown of. */
function markOf({ state, entries }: Folder): string {
  if (state === 'unreadable') return ' (cannot be read)';
  return state === 'read' && entries.length === 0 ? '' : ' …';
}

/** A name may hold a line break, and after it whatever it likes: what does not show or moves the line is written out. */
export function inOneLine(name: string): string {
  return name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (odd) => `\\u{${(odd.codePointAt(0) ?? 0).toString(16)}}`);
}

function missing(folders: readonly Folder[], shown: number): string {
  const found = folders.reduce((sum, { entries }) => sum + entries.length, 0);
  const count = (state: Folder['state']) => folders.filter((folder) => folder.state === state).length;
  const open = count('cut') + count('unread') > 0;
  const sentences: string[] = [];
  if (shown < found || open) sentences.push(`${shown} of ${open ? 'at least ' : ''}${found} entries are shown.`);
  if (count('unread') > 0) sentences.push(`${count('unread')} folders were not looked into.`);
  if (count('deep') > 0) sentences.push(`Nothing below depth ${DEPTH} is shown.`);
  return sentences.join(' ');
}
