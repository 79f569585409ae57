/**
 * Writes a content into a folder of the file system. Threat: the folder may hold links that lead out of it, put there before or
 * meanwhile; the path of a document may have been made up elsewhere. So every folder on the way is looked at without following
 * links, and the file appears by a rename, which replaces a link instead of writing through it.
 */
import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { link, lstat, mkdir, open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CairnError } from '../errors.ts';
import { isMissing } from '../store/file.ts';
import type { ObjectStore } from '../store/objects.ts';
import { contentOf } from './content.ts';
import { faultOf } from './place.ts';
import { liesAt, removeOpened } from './same-file.ts';

/** `false` where a file is there already and is not to be replaced. */
export async function writeContent(
  objects: ObjectStore,
  hash: string,
  target: string,
  { overwrite, signal }: { overwrite: boolean; signal: AbortSignal },
): Promise<boolean> {
  // Not by the name of the file, which may be as long as names can be.
  const staged = join(dirname(target), `.cairn.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await fill(staged, contentOf(objects, hash), signal);
    if (overwrite) await rename(staged, target);
    else await link(staged, target);
    return true;
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'EEXIST' && !overwrite) return false;
    throw code === 'EISDIR' ? folderInPlace(basename(target)) : thrown;
  } finally {
    await unlink(staged).catch(() => {});
  }
}

/** Nothing is written before it is sure that the file lies where it should. */
async function fill(staged: string, content: AsyncIterable<Buffer>, signal: AbortSignal): Promise<void> {
  const file = await open(staged, 'wx');
  try {
    if (!liesAt(staged, file.fd)) {
      removeOpened(file.fd);
      throw notWritten(basename(staged), 'its folder was swapped for a link');
    }
    await pipeline(content, file.createWriteStream(), { signal });
  } finally {
    await file.close();
  }
}

/** The folder that documents are written below, and the home, into which nothing is. Both without links. */
export interface Destination {
  readonly folder: string;
  readonly home: string;
}

/** What `placeBelow` and `writeContent` would do, without doing it; `written` are the paths that come before. */
export async function wouldWrite(
  destination: Destination,
  path: string,
  overwrite: boolean,
  written: ReadonlySet<string>,
): Promise<boolean> {
  check(destination, path);
  const parts = path.split('/');
  for (let depth = 1; depth < parts.length; depth++) {
    const above = parts.slice(0, depth);
    const stats = await seen(join(destination.folder, ...above));
    if (written.has(above.join('/')) || stats?.isDirectory() === false) throw noFolder(path, above.join('/'));
  }
  const stats = await seen(join(destination.folder, ...parts));
  if (overwrite && stats?.isDirectory()) throw folderInPlace(basename(path));
  return overwrite || stats === undefined;
}

/** The file for a document below a folder, whose folders are made where they are missing. */
export async function placeBelow(destination: Destination, path: string): Promise<string> {
  check(destination, path);
  const { folder } = destination;
  let at = folder;
  for (const name of path.split('/').slice(0, -1)) {
    at = join(at, name);
    await mkdir(at).catch((thrown: NodeJS.ErrnoException) => {
      if (thrown.code !== 'EEXIST') throw thrown;
    });
    const stats = await lstat(at);
    if (!stats.isDirectory()) throw noFolder(path, relative(folder, at).split(sep).join('/'));
  }
  return join(folder, ...path.split('/'));
}

/** Threat: documents below `.cairn/` that a restore into the project would make instructions, decisions or settings of ours. */
function check({ folder, home }: Destination, path: string): void {
  const target = join(folder, ...path.split('/')).toLowerCase();
  const ours = home.toLowerCase();
  const inHome = target === ours || target.startsWith(`${ours}${sep}`);
  const fault = faultOf(path) ?? (inHome ? 'it lies in the home of the store' : undefined);
  if (fault !== undefined) throw notWritten(path, fault);
}

async function seen(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw thrown;
  }
}

function noFolder(path: string, above: string): CairnError {
  return notWritten(path, `${above} is no folder of its own`);
}

function notWritten(path: string, fault: string): CairnError {
  return new CairnError('permission_denied', `${path} is not written: ${fault}`, {
    suggestion: 'Choose an empty output_directory.',
  });
}

function folderInPlace(name: string): CairnError {
  return new CairnError('conflict', `${name} is not written: a folder is there`, {
    suggestion: 'Choose another place; a folder is never replaced.',
  });
}
