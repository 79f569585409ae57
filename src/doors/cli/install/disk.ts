/**
 * Reading other programs' files. Links are written through, modes are kept.
 *
 * Threat: a project that is somebody else's may bring `.vscode` or `.mcp.json` as a link to a file of the user outside of
 * it; installing into that project would then write there. What is to be written in a project must really be in it.
 */
import { lstatSync, readFileSync, realpathSync, rmdirSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { CairnError } from '../../../errors.ts';
import { isMissing } from '../../../store/file.ts';

export interface FileState {
  /** The file that is read and written, behind all links. */
  readonly target: string;
  readonly bytes?: Buffer;
  readonly mode: number;
}

/** No configuration is as large. */
const LARGEST = 32 * 1024 * 1024;

export function readState(path: string, within?: string): FileState {
  const target = targetOf(path);
  if (within !== undefined && !isInside(target, within)) {
    throw new CairnError('permission_denied', `${path} leads out of the project, to ${target}. Nothing was changed.`, {
      suggestion: 'Remove the link, or install for the user with --scope user.',
    });
  }
  const found = statSync(target, { throwIfNoEntry: false });
  // A new file of the user is for nobody else: clients come to keep keys in it.
  if (found === undefined) return { target, mode: within === undefined ? 0o600 : 0o644 };
  if (!found.isFile() || found.size > LARGEST) {
    throw new CairnError('validation_failed', `${path} is no file that can be changed. Nothing was changed.`, {
      suggestion: 'Move it away, then try again.',
    });
  }
  return { target, bytes: readFileSync(target), mode: found.mode & 0o777 };
}

/** The text of a file; what is no UTF-8 is not touched, because it would not come back as it was. */
export function textOf(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CairnError('validation_failed', `${path} is not UTF-8. Nothing was changed.`, {
      suggestion: 'Save it as UTF-8, then try again.',
    });
  }
}

function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown;
  }
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) {
    throw new CairnError('validation_failed', `${path} is a link that leads nowhere. Nothing was changed.`, {
      suggestion: 'Remove the link or make what it points to, then try again.',
    });
  }
  return dirname(path) === path ? path : join(targetOf(dirname(path)), basename(path));
}

function isInside(target: string, folder: string): boolean {
  const way = relative(targetOf(folder), target);
  return way !== '..' && !way.startsWith(`..${sep}`);
}

/** Folders that writing a file will make, outermost first. */
export function missingFolders(target: string): string[] {
  const folder = dirname(target);
  if (folder === target || statSync(folder, { throwIfNoEntry: false }) !== undefined) return [];
  return [...missingFolders(folder), folder];
}

export function removeFolderIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Somebody put something there, or it is gone: both are fine.
  }
}
