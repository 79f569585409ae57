/** C#: a namespace is mostly spelled by folders, the first ones being the project's name. Only folders that fit in full or in their last parts count. */
import { once } from './remembered.ts';
import type { Resolve } from './specifier.ts';
import { folderOf, type Tree } from './tree.ts';

const MOST_PATHS = 100_000;

export const resolveSharp: Resolve = async ({ specifier }, { tree }) => {
  const parts = specifier.split('.');
  const folders = await foldersOf(tree);
  for (let from = 0; from < parts.length; from++) {
    const ending = parts.slice(from).join('/');
    const found = [...folders.keys()].filter((folder) => folder === ending || folder.endsWith(`/${ending}`));
    if (found.length > 1) return [];
    const files = folders.get(found[0] ?? '') ?? [];
    if (found.length === 1) return ofNamespace(tree, files, specifier);
  }
  return [];
};

/** The files that say they are of the namespace. */
async function ofNamespace(tree: Tree, files: readonly string[], namespace: string): Promise<string[]> {
  const matching: string[] = [];
  for (const file of files) if ((await tree.outline(file))?.namespace === namespace) matching.push(file);
  return matching;
}

function foldersOf(tree: Tree): Promise<Map<string, string[]>> {
  return once(tree, 'c# folders', async () => {
    const folders = new Map<string, string[]>();
    for (const path of await tree.below('', MOST_PATHS)) {
      if (!path.endsWith('.cs')) continue;
      const folder = folderOf(path);
      folders.set(folder, [...(folders.get(folder) ?? []), path]);
    }
    return folders;
  });
}
