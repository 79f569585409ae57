/**
 * The folder of the history (a bare repository) and whether git may be let into it.
 *
 * Threat: a cloned project may bring a `history.git` of its own: a config or hooks that start programs, files that lead git
 * to another repository (commondir, alternates), links through which our housekeeping would delete somebody's objects.
 * Rule: git runs only where everything that steers it is byte for byte ours and everything it changes is a real file or
 * folder. What else is found moves to a folder beside it, which git never reads; nothing is deleted.
 */
import { randomBytes } from 'node:crypto';
import { type Dirent, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CairnError } from '../errors.ts';
import {
  isMissing,
  makeFolder,
  readIfPresent,
  renameIfPresent,
  stagedName,
  syncFolder,
  writeFileAtomically,
} from './file.ts';

export const BRANCH = 'refs/heads/main';

/** `fsync`: an acknowledged commit survives a power cut. No reflog: what is forgotten must not be kept by one. */
const ours = {
  HEAD: `ref: ${BRANCH}\n`,
  config: `[core]
	repositoryformatversion = 0
	bare = true
	logAllRefUpdates = false
	fsync = all
	filesRefLockTimeout = 1000
	packedRefsTimeout = 1000
	commitGraph = false
[gc]
	autoDetach = false
	writeCommitGraph = false
[repack]
	updateServerInfo = false
`,
} as const;

/** What git leaves in the folder while it works or when it dies. It steers nothing. */
const leftBehind = /^(fast_import_crash_\d+|gc\.(pid|log)|(gc\.pid|HEAD|config|packed-refs)\.lock|packed-refs\.new)$/;

/** `false` where there is no history yet. Afterwards git may run there. */
export async function openHistory(folder: string): Promise<boolean> {
  if (!isThere(folder)) return false;
  if (leadsAway(folder)) {
    await setAside(folder);
    return false;
  }
  await moveAside(folder, await foreign(folder));
  for (const name of ['objects', 'refs']) mkdirSync(join(folder, name), { recursive: true });
  await placeOurs(folder);
  return true;
}

/** The cheap look before every later run: the folder is still there, and still under our config. */
export async function isStillOurs(folder: string): Promise<boolean> {
  return isThere(folder) && (await readIfPresent(join(folder, 'config'))) === ours.config;
}

/** Appears whole or not at all; whoever comes second takes what is there. */
export async function createHistory(folder: string): Promise<void> {
  const staged = `${folder}.${randomBytes(6).toString('hex')}.new`;
  await makeFolder(join(staged, 'objects', 'pack'));
  await makeFolder(join(staged, 'refs', 'heads'));
  await placeOurs(staged);
  try {
    renameSync(staged, folder);
    await syncFolder(dirname(folder));
  } catch (thrown) {
    rmSync(staged, { recursive: true, force: true });
    if (!isThere(folder)) throw thrown;
  }
}

/** Out of the way, under a name that says why. Resolves to that name. */
export async function setAside(folder: string): Promise<string> {
  const aside = asideOf(folder);
  renameSync(folder, aside);
  await syncFolder(dirname(folder));
  return aside;
}

/** The commit that the branch points to, read without git. */
export async function readTip(folder: string): Promise<string | undefined> {
  const loose = await readIfPresent(join(folder, BRANCH));
  if (loose !== undefined) return toSha(loose.trim());
  const packed = (await readIfPresent(join(folder, 'packed-refs'))) ?? '';
  const line = packed.split('\n').find((each) => each.endsWith(` ${BRANCH}`));
  return line === undefined ? undefined : toSha(line.slice(0, -BRANCH.length - 1));
}

/** A killed import leaves its pack marked as not to be touched; the mark of a living one is younger. */
export function removeStaleKeeps(folder: string, beforeMs: number): void {
  const packs = join(folder, 'objects', 'pack');
  for (const { name } of list(packs).filter((entry) => entry.name.endsWith('.keep'))) {
    const path = join(packs, name);
    if ((lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? beforeMs) < beforeMs) rmSync(path, { force: true });
  }
}

/** An import that failed leaves a report that names paths. */
export function removeCrashReports(folder: string): void {
  const reports = list(folder).filter(({ name }) => name.startsWith('fast_import_crash_'));
  for (const { name } of reports) rmSync(join(folder, name), { force: true });
}

function toSha(text: string): string {
  if (/^[0-9a-f]{40}$/.test(text)) return text;
  throw new CairnError('integrity_error', `The history is damaged: ${BRANCH} holds no commit`, {
    suggestion: 'Move history.git away; Cairn starts a new history with the next write.',
  });
}

async function placeOurs(folder: string): Promise<void> {
  for (const [name, text] of Object.entries(ours)) {
    const path = join(folder, name);
    if ((await readIfPresent(path)) !== text) await writeFileAtomically(path, text);
  }
}

function isThere(folder: string): boolean {
  try {
    if (lstatSync(folder).isDirectory()) return true;
  } catch (thrown) {
    if (isMissing(thrown)) return false;
    throw thrown;
  }
  throw new CairnError('permission_denied', `The history is not used: ${folder} is a link or a file, not a folder`, {
    suggestion: 'Move it away; Cairn starts a new history with the next write.',
  });
}

/** Whether git would follow a link out of the folder when it reads or tidies objects and refs. */
function leadsAway(folder: string): boolean {
  const isOdd = (entry: Dirent) => !entry.isDirectory() && !entry.isFile();
  const top = list(folder).filter(({ name }) => name === 'objects' || name === 'refs');
  if (top.some((entry) => !entry.isDirectory())) return true;
  if (list(join(folder, 'objects')).some(isOdd) || list(join(folder, 'objects', 'pack')).some(isOdd)) return true;
  return list(join(folder, 'refs'), true).some(isOdd);
}

/** Everything else that is neither a repository's plain data nor ours. */
async function foreign(folder: string): Promise<string[]> {
  const names: string[] = [];
  for (const entry of list(folder)) {
    const { name } = entry;
    if (name === 'objects' || name === 'refs') continue;
    const known = name === 'packed-refs' || leftBehind.test(name) || stagedName.test(name);
    const trusted =
      name in ours ? (await readIfPresent(join(folder, name))) === ours[name as keyof typeof ours] : known;
    if (!trusted || !entry.isFile()) names.push(name);
  }
  return list(join(folder, 'objects', 'info')).length > 0 ? [...names, join('objects', 'info')] : names;
}

async function moveAside(folder: string, names: readonly string[]): Promise<void> {
  const aside = asideOf(folder);
  for (const name of names) {
    mkdirSync(join(aside, dirname(name)), { recursive: true });
    // Gone means that another process moved it first.
    await renameIfPresent(join(folder, name), join(aside, name));
  }
}

function list(folder: string, recursive = false): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive });
  } catch (thrown) {
    if (isMissing(thrown)) return [];
    throw thrown;
  }
}

function asideOf(folder: string): string {
  const time = new Date().toISOString().replaceAll(/[:.]/g, '-');
  return `${folder}.untrusted-${time}-${randomBytes(3).toString('hex')}`;
}
