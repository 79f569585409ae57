/**
 * The files of a LedgerMind folder. Threat: a folder that somebody else prepared. Links are never followed, so that nothing
 * outside of it is read; depth, count and size are limited.
 */
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { CairnError } from '../../errors.ts';
import type { ForeignText } from '../foreign/ledgermind.ts';
import type { Skipped } from './move-in-plan.ts';

const MAX_FILES = 20_000;
const MAX_BYTES = 1024 ** 2;
const DEEPEST = 5;

export interface FoundFiles {
  readonly texts: readonly (ForeignText & { readonly modified: string })[];
  readonly skipped: readonly Skipped[];
  /** The database of events, where there is one. */
  readonly events?: string;
}

/** As it is documented, and as it is found in projects; else the folder itself holds the files. */
const places = ['semantic', 'ledgermind/semantic', '.ledgermind/semantic', 'memory/semantic', 'decisions'];

export async function ledgermindFiles(folder: string): Promise<FoundFiles> {
  if (!(await isFolder(folder))) throw new CairnError('validation_failed', 'The source is no folder');
  const texts: (ForeignText & { modified: string })[] = [];
  const skipped: Skipped[] = [];
  const semantic = await firstFolder(folder);
  await gather(folder, semantic, 0, texts, skipped);
  const events = await databaseIn([folder, join(semantic, '..')], folder);
  return { texts, skipped, ...(events !== undefined && { events }) };
}

async function firstFolder(folder: string): Promise<string> {
  for (const place of places) {
    // Step by step: a link on the way would lead elsewhere.
    const steps = place.split('/').map((_, at, all) => join(folder, ...all.slice(0, at + 1)));
    const real = await Promise.all(steps.map(isFolder));
    if (real.every(Boolean)) return join(folder, place);
  }
  return folder;
}

async function gather(
  root: string,
  folder: string,
  depth: number,
  texts: (ForeignText & { modified: string })[],
  skipped: Skipped[],
): Promise<void> {
  const entries = (await readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const name = relative(root, path);
    if (entry.name.startsWith('.')) continue;
    if (entry.isSymbolicLink()) skipped.push({ item: name, reason: 'it is a link, and links are not followed' });
    else if (entry.isDirectory()) {
      if (depth < DEEPEST) await gather(root, path, depth + 1, texts, skipped);
      else skipped.push({ item: name, reason: `it lies deeper than ${DEEPEST} folders` });
    } else if (entry.isFile() && /\.md$/i.test(entry.name)) {
      if (texts.length >= MAX_FILES)
        throw new CairnError('limit_exceeded', `The folder holds more than ${MAX_FILES} files`);
      const { size, mtime } = await lstat(path);
      if (size > MAX_BYTES) skipped.push({ item: name, reason: 'it is larger than 1 MiB' });
      else texts.push({ path: name, text: await readFile(path, 'utf8'), modified: mtime.toISOString() });
    }
  }
}

async function databaseIn(folders: readonly string[], root: string): Promise<string | undefined> {
  for (const folder of folders) {
    const path = join(folder, 'episodic.db');
    if (relative(root, path).startsWith('..')) continue;
    const found = await lstat(path).catch(() => undefined);
    if (found?.isFile()) return path;
  }
  return undefined;
}

async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isDirectory() ?? false;
}
