/** C and C++: an included file lies beside the file that includes it, or is the only one of the tree whose path ends so. */
import { pathsNamed } from './remembered.ts';
import type { Resolve } from './specifier.ts';
import { baseOf, folderOf, foldersUp, join } from './tree.ts';

export const resolveInclude: Resolve = async ({ specifier }, { tree, path }) => {
  const near = join(folderOf(path), specifier);
  if (near !== undefined && (await tree.has(near))) return [near];
  const bare = specifier.replace(/^(\.{1,2}\/)+/, '');
  const all = await pathsNamed(tree, baseOf(bare));
  const matching = all.filter((other) => other === bare || other.endsWith(`/${bare}`));
  if (matching.length <= 1) return matching;
  // Of several, the one that shares the nearest folder with the file, if only one does.
  for (const up of foldersUp(folderOf(path))) {
    const inside = matching.filter((other) => up === '' || other.startsWith(`${up}/`));
    if (inside.length > 0) return inside.length === 1 ? inside : [];
  }
  return [];
};
