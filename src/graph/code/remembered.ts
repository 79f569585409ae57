/** A tree that asks each question once. For the time of one piece of work: what changes meanwhile is not seen. */
import { baseOf, type Tree } from './tree.ts';

const remembered = new WeakSet<Tree>();
const work = new WeakMap<Tree, Map<string, Promise<unknown>>>();
/** More paths than this are not looked through for a name. */
const MOST_PATHS = 100_000;

export function remembering(tree: Tree): Tree {
  if (remembered.has(tree)) return tree;
  const { named } = tree;
  const known: Tree = {
    has: memo((path) => tree.has(path)),
    outline: memo((path) => tree.outline(path)),
    text: memo((path) => tree.text(path)),
    below: (folder, limit) => once(known, `below ${limit} ${folder}`, () => tree.below(folder, limit)),
    ...(named !== undefined && { named: memo((base) => named.call(tree, base)) }),
  };
  remembered.add(known);
  return known;
}

function memo<T>(ask: (path: string) => Promise<T>): (path: string) => Promise<T> {
  const answers = new Map<string, Promise<T>>();
  return (path) => {
    const known = answers.get(path) ?? ask(path);
    answers.set(path, known);
    return known;
  };
}

/** Does a piece of work once for a tree, under a name. */
export function once<T>(tree: Tree, name: string, run: () => Promise<T>): Promise<T> {
  const done = work.get(tree) ?? new Map<string, Promise<unknown>>();
  work.set(tree, done);
  const known = (done.get(name) as Promise<T> | undefined) ?? run();
  done.set(name, known);
  return known;
}

/** All paths whose last part is this one, upper and lower case alike as written. */
export async function pathsNamed(tree: Tree, base: string): Promise<readonly string[]> {
  if (tree.named !== undefined) return tree.named(base);
  const byName = await once(tree, 'paths by name', async () => {
    const names = new Map<string, string[]>();
    for (const path of await tree.below('', MOST_PATHS)) {
      const name = baseOf(path);
      const same = names.get(name);
      if (same === undefined) names.set(name, [path]);
      else same.push(path);
    }
    return names;
  });
  return byName.get(base) ?? [];
}

/** The one path that ends so; nothing when several do, for then it is a guess. */
export async function onlyPathEnding(tree: Tree, ending: string): Promise<string | undefined> {
  const paths = await pathsNamed(tree, baseOf(ending));
  const matching = paths.filter((path) => path === ending || path.endsWith(`/${ending}`));
  return matching.length === 1 ? matching[0] : undefined;
}
