/** Names that a file of a shelf may have: one path segment, and nothing that a file system reads otherwise. */
import { CairnError } from '../errors.ts';

/** Bytes, so that the longest name and the suffix of its staged file fit into the 255 that file systems allow. */
const LONGEST_NAME = 200;

/** The databases live in the home but are no files of it; opening one here and closing it would even drop SQLite's locks. */
const ownName = /^(state|index)\.db(-\w+)?$/i;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here
const misread = /^\.|[/\\:\x00-\x1f]/;

export function isShelfName(name: string): boolean {
  return name !== '' && !misread.test(name) && !ownName.test(name) && Buffer.byteLength(name) <= LONGEST_NAME;
}

export function requireShelfName(name: string): void {
  if (isShelfName(name)) return;
  throw new CairnError('validation_failed', `${JSON.stringify(name)} cannot be the name of a file`, {
    suggestion: `Use one name of up to ${LONGEST_NAME} bytes without slashes, colons, control characters or a leading dot.`,
  });
}
