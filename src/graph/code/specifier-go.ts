/** Go: an import names a folder by the module of its go.mod, and means all files of the package in it. */
import { once, pathsNamed } from './remembered.ts';
import type { Resolve } from './specifier.ts';
import { filesIn, folderOf, join, type Tree } from './tree.ts';

export const resolveGo: Resolve = async ({ specifier }, { tree, path }) => {
  const modules = await modulesOf(tree);
  const matching = modules
    .filter(({ name }) => specifier === name || specifier.startsWith(`${name}/`))
    .sort((a, b) => b.name.length - a.name.length || Number(isAbove(b.folder, path)) - Number(isAbove(a.folder, path)));
  const [module] = matching;
  if (module === undefined) return [];
  const folder = join(module.folder, specifier.slice(module.name.length));
  return folder === undefined ? [] : packageFiles(tree, folder);
};

/** The files of a folder's package, without its tests. */
export async function packageFiles(tree: Tree, folder: string): Promise<string[]> {
  return (await filesIn(tree, folder, '.go', 5000)).filter((file) => !file.endsWith('_test.go'));
}

function isAbove(folder: string, path: string): boolean {
  return folder === '' || path.startsWith(`${folder}/`);
}

function modulesOf(tree: Tree): Promise<{ name: string; folder: string }[]> {
  return once(tree, 'go modules', async () => {
    const modules: { name: string; folder: string }[] = [];
    for (const path of await pathsNamed(tree, 'go.mod')) {
      const [, name] = /^\s*module\s+"?([^\s"]+)"?/m.exec((await tree.text(path)) ?? '') ?? [];
      if (name !== undefined) modules.push({ name, folder: folderOf(path) });
    }
    return modules;
  });
}
