/** What resolution needs to know of the documents around a source: one collection, by path, with `/` between folders. */
import type { Outline } from './outline.ts';

export interface Tree {
  has(path: string): Promise<boolean>;
  outline(path: string): Promise<Outline | undefined>;
  text(path: string): Promise<string | undefined>;
  /** Paths anywhere below a folder (`''` is the top), at most so many. */
  below(folder: string, limit: number): Promise<string[]>;
  /** Paths whose last part is this one, where they can be had without a look at all. */
  named?(base: string): Promise<string[]>;
}

export function folderOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}

export function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** A path put together and freed of `.` and `..`; nothing when it leads out of the tree. */
export function join(folder: string, path: string): string | undefined {
  const parts: string[] = [];
  for (const part of `${folder}/${path}`.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}

/** The folder, the one around it, and so on to the top. */
export function foldersUp(folder: string): string[] {
  const folders = [folder];
  for (let at = folder; at !== ''; ) {
    at = folderOf(at);
    folders.push(at);
  }
  return folders;
}

/** The first of some paths that exists. */
export async function firstThere(tree: Tree, paths: Iterable<string | undefined>): Promise<string | undefined> {
  for (const path of paths) if (path !== undefined && path !== '' && (await tree.has(path))) return path;
  return undefined;
}

/** Files of one folder itself, by ending. */
export async function filesIn(tree: Tree, folder: string, ending: string, limit = 500): Promise<string[]> {
  const paths = await tree.below(folder, limit);
  return paths.filter((path) => path.endsWith(ending) && folderOf(path) === folder);
}
