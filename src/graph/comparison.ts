/** The command that shows what became of something cited. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { anchorOf } from './anchors.ts';
import type { Around } from './cited.ts';
import type { Finding } from './stale.ts';

/** Enough of a hash to be the only one. */
const SHORT = 16;

/** `undefined` where there is nothing to compare with: it was never there, only moved, or nobody kept what it was. */
export async function comparison(
  { store, config }: Pick<Around, 'store' | 'config'>,
  { ref, reason, kept, now }: Pick<Finding, 'ref' | 'reason' | 'kept' | 'now'>,
): Promise<string | undefined> {
  if (kept === undefined || kept.content === '' || reason === 'moved') return undefined;
  const { path } = anchorOf(ref);
  const then = kept.content.slice(0, SHORT);
  if ((await store.objects.size(kept.content)) !== undefined) {
    if (now === undefined) return `cairn content_diff ${then}`;
    return now.place === ''
      ? `cairn content_diff ${then} --file ${quoted(path)}`
      : `cairn content_diff ${then} ${now.content.slice(0, SHORT)}`;
  }
  // A file that was never stored: git may know what it was. The braces are for git, the quotes for every shell.
  return isInRepository(dirname(config.home)) ? `git diff "HEAD@{${kept.citedAt}}" -- ${quoted(path)}` : undefined;
}

function quoted(path: string): string {
  return /^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

function isInRepository(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return true;
    if (at === dirname(at)) return false;
  }
}
