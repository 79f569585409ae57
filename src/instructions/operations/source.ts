/** The files of a folder or the one file that an import names: links are left out, and so is what no reader takes. */
import { lstat, readdir, readFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { filesIn } from '../../documents/walk.ts';
import { CairnError, toCairnError } from '../../errors.ts';
import type { Context } from '../../operations/operation.ts';
import { allowedPath } from '../../service/roots.ts';
import type { ForeignCatalog, ForeignFile, ForeignKind } from '../foreign/catalog.ts';
import { dottedRules, isRuleFile } from '../foreign/kind.ts';

const MAX_FILES = 20_000;
const MAX_BYTES = 5 * 1024 * 1024 + 1;

export interface SourceOptions {
  readonly kind?: ForeignKind | undefined;
  /** Of a folder only what coding agents read, without what `.gitignore` leaves out. */
  readonly rules?: boolean;
}

/** The readers of other tools' files, with the YAML parser they need, load only when something is read. */
export async function readSource(
  source: string,
  context: Context,
  { kind, rules = false }: SourceOptions = {},
): Promise<ForeignCatalog> {
  const { config, principal, signal } = context;
  const { readForeign } = await import('../foreign/read.ts');
  const path = await allowedPath(source, config, principal);
  const files = await filesAt(path, (folder) => (rules ? rulesBelow(folder, signal) : below(folder, config.home)));
  return readForeign(files, { kind });
}

async function filesAt(path: string, namesBelow: (folder: string) => Promise<string[]>): Promise<ForeignFile[]> {
  const stats = await lstat(path);
  if (!stats.isDirectory() && !stats.isFile())
    throw new CairnError('validation_failed', 'The source is neither a folder nor a file');
  const paths = stats.isDirectory() ? await namesBelow(path) : [path];
  const files: ForeignFile[] = [];
  for (const file of paths) {
    const name = stats.isDirectory() ? relative(path, file) : basename(file);
    try {
      const { size } = await lstat(file);
      // An oversized file is not read, only reported: the reader names its limit.
      files.push({ path: name, text: size > MAX_BYTES ? ' '.repeat(MAX_BYTES) : await readFile(file, 'utf8') });
    } catch (thrown) {
      throw new CairnError('not_found', `${name} cannot be read: ${toCairnError(thrown).detail.message}`);
    }
  }
  return files;
}

async function rulesBelow(folder: string, signal: AbortSignal): Promise<string[]> {
  const found: string[] = [];
  for await (const { path } of filesIn(folder, signal)) {
    if (isRuleFile(path) && !path.split('/').includes('node_modules')) found.push(join(folder, path));
    if (found.length > MAX_FILES) throw tooMany();
  }
  return found;
}

/** Cairn's own home is no source: what is in it is here already. */
async function below(folder: string, home: string): Promise<string[]> {
  const found: string[] = [];
  const own = resolve(home);
  const queue = [folder];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const entry of await readdir(next, { withFileTypes: true })) {
      const path = join(next, entry.name);
      if (['node_modules', '.git', '.cairn'].includes(entry.name) || path === own) continue;
      if (entry.isDirectory()) queue.push(path);
      else if (entry.isFile() && (/\.(json|md|mdc)$/i.test(entry.name) || dottedRules.test(entry.name)))
        found.push(path);
      if (found.length > MAX_FILES) throw tooMany();
    }
  }
  return found.sort();
}

function tooMany(): CairnError {
  return new CairnError('limit_exceeded', `The folder holds more than ${MAX_FILES} files`);
}
