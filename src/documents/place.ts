/** Where a file lies as a document: a path that means the same on every machine that has the project. */
import { basename, dirname, isAbsolute, relative, sep } from 'node:path';
import { CairnError } from '../errors.ts';

const LONGEST = 1024;

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
  if (isAbsolute(path) || /^[A-Za-z]:/.test(path)) return 'it is absolute';
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..'))
    return 'it has an empty part or a step upwards';
  return parts.some((part) => part.toLowerCase() === '.git') ? 'it lies in .git' : undefined;
}
