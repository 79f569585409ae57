/** Where a file lies as a document: a path that means the same on every machine that has the project. */
import { basename, dirname, isAbsolute, relative, sep } from 'node:path';
import { CairnError } from '../errors.ts';

export const LONGEST = 1024;
/** What every file system in use can hold. */
const LONGEST_NAME = 255;

/** Below the project for what is in it; else below the folder that holds what was named. */
export function placeIn(project: string, named: string, file: string): string {
  const base = isWithin(named, project) ? project : dirname(named);
  return relative(base, file).split(sep).join('/') || basename(file);
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`);
}

/** A path that a caller makes up: relative, without steps upwards, one spelling for one place. */
export function checkedPath(given: string): string {
  const path = given.normalize('NFC').replace(/^(?:\.?\/)+/, '');
  const fault = faultOf(path);
  if (fault !== undefined) {
    throw new CairnError(
      'validation_failed',
      `${JSON.stringify(given.slice(0, 200))} cannot be the path of a document: ${fault}`,
    );
  }
  return path;
}

/** Also what keeps a restored file below its folder, on any system. */
export function faultOf(path: string): string | undefined {
  if (path === '') return 'it is empty';
  if (path.length > LONGEST) return `it has more than ${LONGEST} characters`;
  if (/[\p{Cc}\\]/u.test(path)) return 'it has a control character or a backslash';
  if (/\p{Cs}/u.test(path)) return 'it has half of a character';
  if (isAbsolute(path) || /^[A-Za-z]:/.test(path)) return 'it is absolute';
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..'))
    return 'it has an empty part or a step upwards';
  if (parts.some((part) => Buffer.byteLength(part) > LONGEST_NAME))
    return `a name in it has more than ${LONGEST_NAME} bytes`;
  return parts.some(isGit) ? 'it lies in .git' : undefined;
}

/**
 * Threat: a file that becomes part of a repository is run by git sooner or later. Windows drops dots and blanks at the end of a
 * name, cuts it at a colon and knows `git~1`; macOS looks past characters that are not shown.
 */
function isGit(name: string): boolean {
  const seen = name.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  return /^(?:\.git|git~1)[. ]*(?::.*)?$/i.test(seen);
}
