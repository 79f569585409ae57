/** Ruby: files beside the file (`require_relative`, written with a leading dot here), or below a `lib` of the tree. */
import { onlyPathEnding } from './remembered.ts';
import type { Resolve } from './specifier.ts';
import { firstThere, folderOf, foldersUp, join } from './tree.ts';

export const resolveRuby: Resolve = async ({ specifier }, { tree, path }) => {
  const file = specifier.endsWith('.rb') ? specifier : `${specifier}.rb`;
  const folder = folderOf(path);
  if (/^\.{1,2}\//.test(specifier)) {
    const near = await firstThere(tree, [join(folder, file)]);
    return near === undefined ? [] : [near];
  }
  const places = foldersUp(folder).flatMap((up) => [join(up, `lib/${file}`), join(up, file)]);
  const found = (await firstThere(tree, places)) ?? (await onlyPathEnding(tree, `lib/${file}`));
  return found === undefined ? [] : [found];
};
