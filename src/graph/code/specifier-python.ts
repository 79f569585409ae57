/** Python: relative dots, packages, and modules below the folder that holds the outermost package (or its `src`). */
import type { Import } from './outline.ts';
import type { Resolve } from './specifier.ts';
import { baseOf, firstThere, folderOf, foldersUp, join, type Tree } from './tree.ts';

export const resolvePython: Resolve = async (wanted, { tree, path }) => {
  const [, dots = '', rest = ''] = /^(\.*)(.*)$/.exec(wanted.specifier) ?? [];
  const inner = rest.replaceAll('.', '/');
  if (dots !== '') {
    const folder = join(folderOf(path), '../'.repeat(dots.length - 1));
    return folder === undefined ? [] : inFolder(tree, join(folder, inner) ?? '', wanted);
  }
  for (const root of await roots(tree, folderOf(path))) {
    const found = await inFolder(tree, join(root, inner) ?? '', wanted);
    if (found.length > 0) return found;
  }
  return [];
};

/** Folders that are no packages themselves, upwards; each with its `src`. */
async function roots(tree: Tree, folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const up of foldersUp(folder)) {
    if (await tree.has(up === '' ? '__init__.py' : `${up}/__init__.py`)) continue;
    found.push(up, up === '' ? 'src' : `${up}/src`);
  }
  return found;
}

/** The module itself, and those of the names taken from it that are modules below it. */
async function inFolder(tree: Tree, module: string, { names }: Import): Promise<string[]> {
  const itself = await moduleFile(tree, module);
  const modules: string[] = [];
  let others = names.length === 0;
  for (const { name } of names) {
    const inner = name === '*' ? undefined : await moduleFile(tree, module === '' ? name : `${module}/${name}`);
    if (inner !== undefined) modules.push(inner);
    else others = true;
  }
  return others && itself !== undefined ? [itself, ...modules] : modules;
}

function moduleFile(tree: Tree, module: string): Promise<string | undefined> {
  const files = module === '' ? [] : [`${module}.py`, `${module}.pyi`];
  return firstThere(tree, [...files, join(module, '__init__.py'), join(module, '__init__.pyi')]);
}

/** What others call the module of a path: its file, or the folder of an `__init__`. */
export function pythonModuleName(path: string): string {
  const base = baseOf(path).replace(/\.pyi?$/, '');
  return base === '__init__' ? baseOf(folderOf(path)) : base;
}
