/** `paths` and `baseUrl` of the nearest tsconfig.json or jsconfig.json. */
import { readConfig } from './json-comments.ts';
import { firstThere, folderOf, foldersUp, join, type Tree } from './tree.ts';

interface Mapping {
  /** Where `paths` are relative to. */
  readonly base: string;
  readonly baseUrl?: string;
  readonly paths: Readonly<Record<string, unknown>>;
}

const DEEPEST_EXTENDS = 5;

/** The files and folders that a specifier may stand for, the best first. */
export async function mappedBy(tree: Tree, folder: string, specifier: string): Promise<string[]> {
  const mapping = await mappingOf(tree, folder);
  if (mapping === undefined) return [];
  const matches = Object.entries(mapping.paths)
    .flatMap(([pattern, targets]) => {
      const [before = '', after] = pattern.split('*');
      if (after === undefined)
        return pattern === specifier ? [{ rank: Number.MAX_SAFE_INTEGER, targets, star: '' }] : [];
      if (!specifier.startsWith(before) || !specifier.endsWith(after)) return [];
      return [{ rank: before.length, targets, star: specifier.slice(before.length, specifier.length - after.length) }];
    })
    .sort((a, b) => b.rank - a.rank);
  const targets = matches
    .slice(0, 1)
    .flatMap(({ targets, star }) =>
      (Array.isArray(targets) ? targets : []).map((target) => join(mapping.base, String(target).replace('*', star))),
    );
  if (mapping.baseUrl !== undefined) targets.push(join(mapping.baseUrl, specifier));
  return targets.filter((target) => target !== undefined);
}

async function mappingOf(tree: Tree, folder: string): Promise<Mapping | undefined> {
  for (const up of foldersUp(folder)) {
    const path = await firstThere(tree, [join(up, 'tsconfig.json'), join(up, 'jsconfig.json')]);
    if (path !== undefined) return readMapping(tree, path, 0);
  }
  return undefined;
}

async function readMapping(tree: Tree, path: string, depth: number): Promise<Mapping | undefined> {
  const config = readConfig(await tree.text(path));
  if (config === undefined) return undefined;
  const folder = folderOf(path);
  const inherited = depth < DEEPEST_EXTENDS ? await readExtended(tree, folder, config.extends, depth) : undefined;
  const options = (config.compilerOptions ?? {}) as Readonly<Record<string, unknown>>;
  const baseUrl = typeof options.baseUrl === 'string' ? join(folder, options.baseUrl) : inherited?.baseUrl;
  const own = typeof options.paths === 'object' && options.paths !== null;
  return {
    base: own ? (baseUrl ?? folder) : (inherited?.base ?? folder),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    paths: own ? (options.paths as Mapping['paths']) : (inherited?.paths ?? {}),
  };
}

/** Only files of the tree: a configuration from a package is not in it. Of several, the last one that has a say wins. */
async function readExtended(
  tree: Tree,
  folder: string,
  extended: unknown,
  depth: number,
): Promise<Mapping | undefined> {
  let found: Mapping | undefined;
  for (const specifier of [extended].flat()) {
    if (typeof specifier !== 'string' || !specifier.startsWith('.')) continue;
    const path = join(folder, specifier);
    const file = path === undefined ? undefined : await firstThere(tree, [path, `${path}.json`]);
    if (file !== undefined) found = (await readMapping(tree, file, depth + 1)) ?? found;
  }
  return found;
}
