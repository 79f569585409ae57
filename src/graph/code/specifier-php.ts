/** PHP: required files beside the file, and classes where composer.json (PSR-4) says that their namespace lies. */
import { readConfig } from './json-comments.ts';
import { onlyPathEnding } from './remembered.ts';
import type { Resolve } from './specifier.ts';
import { firstThere, folderOf, foldersUp, join, type Tree } from './tree.ts';

export const resolvePhp: Resolve = async ({ specifier }, { tree, path }) => {
  const folder = folderOf(path);
  if (/\.\w+$/.test(specifier) && !specifier.includes('\\')) {
    const found = await firstThere(tree, [
      join(folder, specifier),
      ...foldersUp(folder).map((up) => join(up, specifier)),
    ]);
    return found === undefined ? [] : [found];
  }
  const found = await classFile(tree, folder, specifier.replace(/^\\/, ''));
  return found === undefined ? [] : [found];
};

export async function classFile(tree: Tree, folder: string, name: string): Promise<string | undefined> {
  const mapped = await firstThere(tree, await placesOf(tree, folder, name));
  if (mapped !== undefined) return mapped;
  const parts = name.split('\\');
  for (const from of [0, 1]) {
    const ending = `${parts.slice(from).join('/')}.php`;
    const only = parts.length - from < 2 ? undefined : await onlyPathEnding(tree, ending);
    if (only !== undefined) return only;
  }
  return undefined;
}

async function placesOf(tree: Tree, folder: string, name: string): Promise<(string | undefined)[]> {
  for (const up of foldersUp(folder)) {
    const composer = readConfig(await tree.text(join(up, 'composer.json') ?? ''));
    if (composer === undefined) continue;
    return ['autoload', 'autoload-dev']
      .flatMap((field) => Object.entries(tableOf(tableOf(composer[field])['psr-4'])))
      .filter(([prefix]) => name.startsWith(prefix))
      .sort(([a], [b]) => b.length - a.length)
      .flatMap(([prefix, folders]) =>
        [folders].flat().map((base) => {
          const inner = name.slice(prefix.length).replaceAll('\\', '/');
          return join(up, `${String(base)}/${inner}.php`);
        }),
      );
  }
  return [];
}

function tableOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
