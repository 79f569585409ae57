/** Specifiers of JavaScript and TypeScript: relative ones, those that tsconfig maps, and packages that lie in the tree themselves. */
import { readConfig } from './json-comments.ts';
import { once, pathsNamed } from './remembered.ts';
import type { Resolve } from './specifier.ts';
import { mappedBy } from './specifier-mapping.ts';
import { firstThere, folderOf, foldersUp, join, type Tree } from './tree.ts';

const ENDINGS = ['.ts', '.tsx', '.mts', '.cts', '.d.ts', '.d.mts', '.d.cts', '.js', '.jsx', '.mjs', '.cjs', '.json'];
/** A compiled name in the specifier means the source that it comes from. */
const sourcesOf: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx', '.d.ts', '.jsx'],
  '.jsx': ['.tsx', '.d.ts'],
  '.mjs': ['.mts', '.d.mts'],
  '.cjs': ['.cts', '.d.cts'],
};
/** How many package.json files of a workspace are read. */
const MOST_PACKAGES = 1000;

export const resolveModule: Resolve = async ({ specifier }, { tree, path }) => {
  // Bundlers let a query follow the name: `./logo.svg?raw`.
  const found = await moduleAt(tree, folderOf(path), specifier.replace(/\?.*$/, ''));
  return found === undefined ? [] : [found];
};

async function moduleAt(tree: Tree, folder: string, specifier: string): Promise<string | undefined> {
  if (/^\.{1,2}(\/|$)/.test(specifier)) return fileOrFolder(tree, join(folder, specifier));
  if (specifier.startsWith('/') || /^[a-z]+:/.test(specifier)) return undefined;
  if (specifier.startsWith('#')) return privateImport(tree, folder, specifier);
  return (await mapped(tree, folder, specifier)) ?? (await packageFile(tree, folder, specifier));
}

/** `store` for store.ts, store/index.ts; `store.js` for store.ts. A file as it is named comes first. */
async function fileOrFolder(tree: Tree, path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const file = await firstThere(tree, candidates(path));
  if (file !== undefined) return file;
  const main = await packageMain(tree, path);
  return (
    main ??
    firstThere(
      tree,
      ENDINGS.map((ending) => join(path, `index${ending}`)),
    )
  );
}

function* candidates(path: string): Generator<string> {
  yield path;
  const [ending = ''] = /\.[cm]?jsx?$/.exec(path) ?? [];
  for (const source of sourcesOf[ending] ?? []) yield path.slice(0, -ending.length) + source;
  for (const added of ENDINGS) yield path + added;
}

async function mapped(tree: Tree, folder: string, specifier: string): Promise<string | undefined> {
  for (const target of await mappedBy(tree, folder, specifier)) {
    const found = await fileOrFolder(tree, target);
    if (found !== undefined) return found;
  }
  return undefined;
}

interface Package {
  readonly folder: string;
  readonly manifest: Readonly<Record<string, unknown>>;
}

async function packageAt(tree: Tree, folder: string): Promise<Package | undefined> {
  const path = join(folder, 'package.json');
  const manifest = path === undefined ? undefined : readConfig(await tree.text(path));
  return manifest === undefined ? undefined : { folder, manifest };
}

async function packageAround(tree: Tree, folder: string): Promise<Package | undefined> {
  for (const up of foldersUp(folder)) {
    const found = await packageAt(tree, up);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function privateImport(tree: Tree, folder: string, specifier: string): Promise<string | undefined> {
  const around = await packageAround(tree, folder);
  const target = around && entryTarget(around.manifest.imports, specifier);
  return target === undefined ? undefined : builtFile(tree, around?.folder ?? '', target);
}

/** A package of this tree: the one that the file is of, or a neighbour in the workspace. */
async function packageFile(tree: Tree, folder: string, specifier: string): Promise<string | undefined> {
  const [name = ''] = /^(@[^/]+\/[^/]+|[^/]+)/.exec(specifier) ?? [];
  const found = await packageNamed(tree, folder, name);
  if (found === undefined) return undefined;
  const inner = specifier.slice(name.length + 1);
  const exported = entryTarget(found.manifest.exports, inner === '' ? '.' : `./${inner}`);
  if (exported !== undefined) return builtFile(tree, found.folder, exported);
  return fileOrFolder(tree, inner === '' ? found.folder : join(found.folder, inner));
}

async function packageNamed(tree: Tree, folder: string, name: string): Promise<Package | undefined> {
  const around = await packageAround(tree, folder);
  if (around?.manifest.name === name) return around;
  for (const up of foldersUp(folder)) {
    const root = await packageAt(tree, up);
    const workspace = root !== undefined && (root.manifest.workspaces !== undefined || (await isWorkspace(tree, up)));
    if (!workspace) continue;
    const found = await packageBelow(tree, up, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function isWorkspace(tree: Tree, folder: string): Promise<boolean> {
  return (await firstThere(tree, [join(folder, 'pnpm-workspace.yaml'), join(folder, 'lerna.json')])) !== undefined;
}

async function packageBelow(tree: Tree, folder: string, name: string): Promise<Package | undefined> {
  const packages = await once(tree, `packages below ${folder}`, () => packagesBelow(tree, folder));
  return packages.get(name);
}

async function packagesBelow(tree: Tree, folder: string): Promise<Map<string, Package>> {
  const packages = new Map<string, Package>();
  const paths = await pathsNamed(tree, 'package.json');
  const inside = paths.filter(
    (path) => (folder === '' || path.startsWith(`${folder}/`)) && !path.includes('node_modules/'),
  );
  for (const path of inside.slice(0, MOST_PACKAGES)) {
    const found = await packageAt(tree, folderOf(path));
    const name = found?.manifest.name;
    if (found !== undefined && typeof name === 'string' && !packages.has(name)) packages.set(name, found);
  }
  return packages;
}

/** The file that `exports` or `imports` names, by conditions in their order; the one for types last. */
function entryTarget(entries: unknown, key: string): string | undefined {
  if (typeof entries === 'string') return key === '.' ? entries : undefined;
  if (typeof entries !== 'object' || entries === null) return undefined;
  const table = entries as Readonly<Record<string, unknown>>;
  const keyed = Object.keys(table).some((name) => name.startsWith('.') || name.startsWith('#'));
  if (!keyed) return key === '.' ? conditional(table) : undefined;
  if (key in table) return conditional(table[key]);
  for (const [pattern, value] of Object.entries(table)) {
    const [before = '', after] = pattern.split('*');
    if (after === undefined || !key.startsWith(before) || !key.endsWith(after)) continue;
    return conditional(value)?.replace('*', key.slice(before.length, key.length - after.length));
  }
  return undefined;
}

function conditional(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(conditional).find((target) => target !== undefined);
  if (typeof value !== 'object' || value === null) return undefined;
  const table = value as Readonly<Record<string, unknown>>;
  for (const name of ['source', 'development', 'import', 'node', 'require', 'default', 'types']) {
    const target = conditional(table[name]);
    if (target !== undefined) return target;
  }
  return undefined;
}

async function packageMain(tree: Tree, folder: string): Promise<string | undefined> {
  const manifest = (await packageAt(tree, folder))?.manifest;
  for (const field of ['source', 'module', 'main', 'types']) {
    const value = manifest?.[field];
    if (typeof value !== 'string') continue;
    const found = await builtFile(tree, folder, value);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A manifest mostly names what is built, which is not in the tree: the source with the same name is meant. */
async function builtFile(tree: Tree, folder: string, file: string): Promise<string | undefined> {
  const inner = join('', file);
  if (inner === undefined) return undefined;
  const source = inner
    .replace(/^(dist|lib|build|out)\/(?:(?:esm|cjs|es)\/)?/, 'src/')
    .replace(/\.d\.([cm]?)ts$/, '.$1js');
  const beside = source.replace(/^src\//, '');
  return firstThere(
    tree,
    [inner, source, beside].flatMap((path) => [...candidates(path)]).map((path) => join(folder, path)),
  );
}
