/**
 * Which folders a call may name. Threat: an agent that is told to import `/etc` or somebody's `.ssh`, or a link in the
 * project that points there. Paths are resolved with all their links before they are compared; a person at a terminal
 * names what they like.
 */
import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { CairnError } from '../errors.ts';
import type { Config } from './config.ts';
import type { Principal } from './principal.ts';

export async function allowedPath(
  path: string,
  config: Pick<Config, 'home' | 'roots'>,
  principal: Principal,
): Promise<string> {
  const project = projectOf(config.home);
  const wanted = isAbsolute(path) ? path : resolve(project, path);
  const real = await realpath(wanted).catch(() => undefined);
  if (real !== undefined && (principal.human || (await isAllowed(real, config)))) return real;
  // Threat: two different answers would tell which files there are on all of the machine.
  if (real === undefined && (principal.human || (await isAllowed(await nearestReal(wanted), config))))
    throw new CairnError('not_found', `There is nothing at ${path}`);
  const roots = await Promise.all(rootsOf(config.roots, project).map(realOrSame));
  throw new CairnError('permission_denied', `${path} is outside the allowed folders`, {
    roots,
    suggestion: `Name a path inside ${roots.join(' or ') || 'a folder that CAIRN_ROOTS lists'}, or add its folder to CAIRN_ROOTS.`,
  });
}

async function isAllowed(real: string, { home, roots }: Pick<Config, 'home' | 'roots'>): Promise<boolean> {
  if (real.split(sep).includes('.git') || isWithin(real, await realOrSame(home))) return false;
  const allowed = await Promise.all(rootsOf(roots, projectOf(home)).map(realOrSame));
  return allowed.some((root) => isWithin(real, root));
}

/**
 * A file of the project by the path that the project gives it, with all links followed; nothing where there is none, or where
 * it is outside of the folders that a call may name. Asked for what is written in a knowledge base, so nobody is privileged.
 */
export async function projectFile(path: string, config: Pick<Config, 'home' | 'roots'>): Promise<string | undefined> {
  if (basename(config.home) !== '.cairn' || isAbsolute(path)) return undefined;
  const project = projectOf(config.home);
  try {
    const real = await realpath(resolve(project, path));
    const within = isWithin(real, await realOrSame(project)) && (await isAllowed(real, config));
    return within ? real : undefined;
  } catch {
    return undefined;
  }
}

/** The folder that holds `.cairn`, else the one the process runs in. */
function projectOf(home: string): string {
  return basename(home) === '.cairn' ? dirname(home) : process.cwd();
}

function rootsOf(setting: string, project: string): string[] {
  if (setting !== '') return setting.split(delimiter).filter((root) => root !== '');
  // A project that is the whole machine or everything of a user is no project.
  return project === dirname(project) || project === homedir() ? [] : [project];
}

function isWithin(path: string, root: string): boolean {
  const way = relative(root, path);
  return way === '' || (!way.startsWith(`..${sep}`) && way !== '..' && !isAbsolute(way));
}

/** The last folder on the way to a path that is there, with all links followed. */
async function nearestReal(path: string): Promise<string> {
  const above = dirname(path);
  if (above === path) return path;
  return realpath(above).catch(() => nearestReal(above));
}

async function realOrSame(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    return resolve(path);
  }
}
