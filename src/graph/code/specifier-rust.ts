/** Rust: paths of modules, from the root of the crate, from the module of the file, or from another crate of the workspace. */
import type { Import } from './outline.ts';
import { once, pathsNamed } from './remembered.ts';
import type { Resolve } from './specifier.ts';
import { baseOf, firstThere, folderOf, foldersUp, join, type Tree } from './tree.ts';

const roots = /^(lib|main|mod)\.rs$/;

export const resolveRust: Resolve = async (wanted, { tree, path }) => {
  const [first = '', ...rest] = wanted.specifier.split('::');
  const start = await startOf(tree, path, first);
  if (start === undefined) return [];
  let module = start.file;
  for (const [place, part] of [...start.inner, ...rest].entries()) {
    if (part === 'super' && place < rest.length + start.inner.length) {
      const outer = await outerModule(tree, module);
      if (outer === undefined) return [];
      module = outer;
      continue;
    }
    const inner = await innerModule(tree, module, part);
    // From here on the path goes through things inside the file.
    if (inner === undefined) return start.sure || place > 0 ? [module] : [];
    module = inner;
  }
  return namedModules(tree, module, wanted);
};

async function startOf(
  tree: Tree,
  path: string,
  first: string,
): Promise<{ file: string; inner: string[]; sure: boolean } | undefined> {
  if (first === 'self' || first === 'Self') return { file: path, inner: [], sure: true };
  if (first === 'super') {
    const outer = await outerModule(tree, path);
    return outer === undefined ? undefined : { file: outer, inner: [], sure: true };
  }
  if (first === 'crate') {
    const root = await crateRoot(tree, path);
    return root === undefined ? undefined : { file: root, inner: [], sure: true };
  }
  const other = (await cratesOf(tree)).get(first);
  if (other !== undefined) return { file: other, inner: [], sure: true };
  return { file: path, inner: [first], sure: false };
}

/** The module itself, and the modules below it that are taken by name. */
async function namedModules(tree: Tree, module: string, { names }: Import): Promise<string[]> {
  const found: string[] = [];
  let others = names.length === 0;
  for (const { name } of names) {
    const inner = name === '*' ? undefined : await innerModule(tree, module, name);
    if (inner === undefined) others = true;
    else found.push(inner);
  }
  return others ? [module, ...found] : found;
}

function innerModule(tree: Tree, file: string, name: string): Promise<string | undefined> {
  const base = baseOf(file);
  const folder = roots.test(base) ? folderOf(file) : join(folderOf(file), base.slice(0, -'.rs'.length));
  return firstThere(tree, [join(folder ?? '', `${name}.rs`), join(folder ?? '', `${name}/mod.rs`)]);
}

async function outerModule(tree: Tree, file: string): Promise<string | undefined> {
  const folder = baseOf(file) === 'mod.rs' ? folderOf(folderOf(file)) : folderOf(file);
  const inFolder = ['mod.rs', 'lib.rs', 'main.rs'].map((base) => join(folder, base)).filter((path) => path !== file);
  return firstThere(tree, [...inFolder, `${folder}.rs`]);
}

async function crateRoot(tree: Tree, path: string): Promise<string | undefined> {
  for (const up of foldersUp(folderOf(path))) {
    if (!(await tree.has(join(up, 'Cargo.toml') ?? ''))) continue;
    if (/^(?:.*\/)?src\/bin\/[^/]+\.rs$/.test(path)) return path;
    return rootIn(tree, up);
  }
  for (const up of foldersUp(folderOf(path))) {
    const root = await firstThere(tree, [join(up, 'lib.rs'), join(up, 'main.rs')]);
    if (root !== undefined) return root;
  }
  return undefined;
}

function rootIn(tree: Tree, crate: string): Promise<string | undefined> {
  return firstThere(tree, [join(crate, 'src/lib.rs'), join(crate, 'src/main.rs')]);
}

function cratesOf(tree: Tree): Promise<Map<string, string>> {
  return once(tree, 'rust crates', async () => {
    const crates = new Map<string, string>();
    for (const path of await pathsNamed(tree, 'Cargo.toml')) {
      const [, name] = /^\[package\][^[]*?^name\s*=\s*"([^"]+)"/ms.exec((await tree.text(path)) ?? '') ?? [];
      const root = name === undefined ? undefined : await rootIn(tree, folderOf(path));
      if (name !== undefined && root !== undefined) crates.set(name.replaceAll('-', '_'), root);
    }
    return crates;
  });
}
