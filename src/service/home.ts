/** Which folder is the home: named, else the nearest `.cairn` upwards, else at the root of the repository, else the user's. */
import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CairnError } from '../errors.ts';

export interface HomeChoice {
  readonly path: string;
  readonly source: string;
}

export function findHome(
  flag: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
  workingFolder: string,
  userFolder: string,
): HomeChoice {
  // `--home "$UNSET"` must not turn the working folder into a home.
  if (flag === '') throw new CairnError('bad_configuration', '--home is ""; allowed is a folder.');
  if (flag !== undefined) return { path: resolve(workingFolder, flag), source: '--home' };
  if (env.CAIRN_HOME) return { path: resolve(workingFolder, env.CAIRN_HOME), source: 'CAIRN_HOME' };
  let repository: string | undefined;
  for (const folder of upwards(workingFolder)) {
    const candidate = join(folder, '.cairn');
    if (isFolder(candidate)) return { path: candidate, source: `nearest .cairn, in ${folder}` };
    if (repository === undefined && existsSync(join(folder, '.git'))) repository = folder;
  }
  if (repository !== undefined)
    return { path: join(repository, '.cairn'), source: `root of the repository ${repository}` };
  return { path: join(userFolder, '.cairn'), source: 'the user’s folder' };
}

function* upwards(start: string): Generator<string> {
  for (let folder = resolve(start); ; folder = dirname(folder)) {
    yield folder;
    if (folder === dirname(folder)) return;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
