/**
 * Writes a content into a folder of the file system. Threat: the folder may hold links that lead out of it, put there before or
 * meanwhile; the path of a document may have been made up elsewhere. So every folder on the way is looked at without following
 * links, and the file appears by a rename, which replaces a link instead of writing through it.
 */
import { randomBytes } from 'node:crypto';
import { createWriteStream, type Stats } from 'node:fs';
import { link, lstat, mkdir, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CairnError } from '../errors.ts';
import { isMissing } from '../store/file.ts';
import type { ObjectStore } from '../store/objects.ts';
import { faultOf } from './place.ts';

/** `false` where a file is there already and is not to be replaced. */
export async function writeContent(
  objects: ObjectStore,
  hash: string,
  target: string,
  { overwrite, signal }: { overwrite: boolean; signal: AbortSignal },
): Promise<boolean> {
  const staged = join(dirname(target), `.${basename(target).slice(0, 100)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await pipeline(objects.read(hash), createWriteStream(staged, { flags: 'wx' }), { signal });
    if (overwrite) await rename(staged, target);
    else await link(staged, target);
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw thrown;
  } finally {
    await unlink(staged).catch(() => {});
  }
}

/** What `placeBelow` and `writeContent` would do, without doing it. */
export async function wouldWrite(folder: string, path: string, overwrite: boolean): Promise<boolean> {
  const fault = faultOf(path);
  if (fault !== undefined) throw notWritten(path, fault);
  const parts = path.split('/');
  for (let depth = 1; depth < parts.length; depth++) {
    const stats = await seen(join(folder, ...parts.slice(0, depth)));
    if (stats === undefined) return true;
    if (!stats.isDirectory()) throw notWritten(path, `${parts.slice(0, depth).join('/')} is no folder of its own`);
  }
  return overwrite || (await seen(join(folder, ...parts))) === undefined;
}

async function seen(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw thrown;
  }
}

function notWritten(path: string, fault: string): CairnError {
  return new CairnError('permission_denied', `${path} is not written: ${fault}`, {
    suggestion: 'Choose an empty output_directory.',
  });
}

/** The file for a document below a folder, whose folders are made where they are missing. */
export async function placeBelow(folder: string, path: string): Promise<string> {
  const fault = faultOf(path);
  if (fault !== undefined) throw notWritten(path, fault);
  let at = folder;
  for (const name of path.split('/').slice(0, -1)) {
    at = join(at, name);
    await mkdir(at).catch((thrown: NodeJS.ErrnoException) => {
      if (thrown.code !== 'EEXIST') throw thrown;
    });
    const stats = await lstat(at);
    if (!stats.isDirectory()) throw notWritten(path, `${at} is no folder of its own`);
  }
  return join(folder, ...path.split('/'));
}
