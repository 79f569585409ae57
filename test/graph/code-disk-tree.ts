/** The files of a folder as a tree to resolve in. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Outline } from '../../src/graph/code/outline.ts';
import { outlineOf } from '../../src/graph/code/parse.ts';
import { remembering, type Tree } from '../../src/graph/code/resolve.ts';

export interface DiskTree extends Tree {
  readonly paths: readonly string[];
}

/** Paths are relative to the folder. */
export function diskTree(folder: string, wanted: (path: string) => boolean = () => true): DiskTree {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
    .filter(wanted)
    .sort();
  const known = new Set(paths);
  const text = (path: string) => readFileSync(join(folder, path), 'utf8');
  const tree = remembering({
    has: async (path) => known.has(path),
    text: async (path) => (known.has(path) ? text(path) : undefined),
    outline: async (path): Promise<Outline | undefined> => (known.has(path) ? outlineOf(path, text(path)) : undefined),
    below: async (below, limit) => paths.filter((path) => below === '' || path.startsWith(`${below}/`)).slice(0, limit),
  });
  return Object.assign(tree, { paths });
}
