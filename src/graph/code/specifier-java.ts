/** Java: the name of a class is its path below a source root, and which folder that is shows in the packages of the tree. */
import { onlyPathEnding, pathsNamed } from './remembered.ts';
import type { Resolve } from './specifier.ts';
import { filesIn, folderOf, join, type Tree } from './tree.ts';

export const resolveJava: Resolve = async ({ specifier, names }, { tree, path, outline }) => {
  const parts = specifier.split('.');
  const own = rootOf(path, outline.namespace);
  if (names.some(({ name }) => name === '*')) {
    const files = await packageFiles(tree, own, parts.join('/'));
    if (files.length > 0) return files;
  }
  // A nested class lies in the file of the class around it.
  for (let length = parts.length; length > Math.max(0, parts.length - 3); length--) {
    const file = `${parts.slice(0, length).join('/')}.java`;
    const near = own === undefined ? undefined : join(own, file);
    if (near !== undefined && (await tree.has(near))) return [near];
    const only = await onlyPathEnding(tree, file);
    if (only !== undefined && length > 1) return [only];
  }
  return [];
};

/** The source root of a file: its folder without the folders of its package. */
function rootOf(path: string, namespace: string | undefined): string | undefined {
  const folder = folderOf(path);
  const inner = namespace?.replaceAll('.', '/');
  if (inner === undefined) return folder;
  if (folder === inner) return '';
  return folder.endsWith(`/${inner}`) ? folder.slice(0, -inner.length - 1) : undefined;
}

async function packageFiles(tree: Tree, root: string | undefined, inner: string): Promise<string[]> {
  const folder = root === undefined ? undefined : join(root, inner);
  return folder === undefined ? [] : filesIn(tree, folder, '.java', 5000);
}

/** The class of that name in the same package: the same folder, or the same package under another source root. */
export async function javaNeighbour(tree: Tree, path: string, namespace: string | undefined, name: string) {
  const near = join(folderOf(path), `${name}.java`);
  if (near !== undefined && (await tree.has(near))) return near;
  const inner = namespace?.replaceAll('.', '/');
  const paths = inner === undefined ? [] : await pathsNamed(tree, `${name}.java`);
  const matching = paths.filter((other) => other.endsWith(`${inner}/${name}.java`));
  return matching.length === 1 ? matching[0] : undefined;
}
