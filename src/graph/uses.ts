/**
 * What source files take from each other: imports, calls and inheritance, resolved when they are asked for. Who uses something is
 * found by names and keys in the index, then checked by resolving those files: a question costs as many as share the name, and
 * no look at the others.
 */
import type { Language } from './code/outline.ts';
import { type Direction, type GraphNode, nodeKey, type Relation, type Step } from './node.ts';
import { documentNode } from './places.ts';
import { symbolAt, symbolNode } from './symbols.ts';
import { type CodeTree, lastPart, MOST_CANDIDATES, type NameUse, type ReadFile } from './tree.ts';
import type { Wanted, World } from './world.ts';

export async function* usesBeside(
  world: World,
  node: GraphNode,
  direction: Direction,
  wanted: Wanted,
): AsyncGenerator<Step> {
  const { collection = '', path = '' } = node;
  const tree = world.tree(collection);
  const file = await tree.file(path);
  if (file === undefined) return;
  if (node.type === 'document') {
    if (wanted('IMPORTS')) yield* direction === 'out' ? imported(tree, node) : importers(tree, node);
    if (wanted('CALLS') && direction === 'out') yield* used(tree, node, 'CALLS', await tree.calls(path));
    return;
  }
  const own = file.names.indexOf(node.label);
  for (const relation of ['CALLS', 'INHERITS'] as const) {
    if (!wanted(relation)) continue;
    if (direction === 'in') yield* users(world, tree, node, file, own, relation);
    else {
      const uses = await (relation === 'CALLS' ? tree.calls(path) : tree.bases(path));
      yield* used(
        tree,
        node,
        relation,
        uses.filter(({ from }) => from === own),
      );
    }
  }
}

async function* imported(tree: CodeTree, node: GraphNode): AsyncGenerator<Step> {
  const missing: Step[] = [];
  for (const { specifier, line, paths } of await tree.imports(node.path ?? '')) {
    for (const path of paths) {
      const document = await tree.document(path);
      if (document !== undefined) yield step(node, documentNode(document), 'IMPORTS', line);
    }
    if (paths.length === 0) missing.push(unresolvedStep(node, specifier, 'IMPORTS', line));
  }
  yield* missing;
}

/** Each target once, at the first line that uses it; what could not be resolved comes last. */
async function* used(
  tree: CodeTree,
  node: GraphNode,
  relation: Relation,
  uses: readonly NameUse[],
): AsyncGenerator<Step> {
  const seen = new Set<string>();
  const missing: Step[] = [];
  for (const { name, line, target } of uses) {
    const key = target === undefined ? name : `${target.path}#${target.symbol}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const other = target === undefined ? undefined : await symbolAt(tree, target);
    if (other !== undefined) yield step(node, other, relation, line);
    else missing.push(unresolvedStep(node, relation === 'CALLS' ? `${name}()` : name, relation, line));
  }
  yield* missing;
}

async function* importers(tree: CodeTree, node: GraphNode): AsyncGenerator<Step> {
  for (const { path, line } of await tree.importers(node.path ?? '')) {
    const document = await tree.document(path);
    if (document !== undefined) yield step(documentNode(document), node, 'IMPORTS', line, true);
  }
}

/** Symbols that call or inherit this one; the documents of calls too, whatever symbol they stand in. */
async function* users(
  world: World,
  tree: CodeTree,
  node: GraphNode,
  file: ReadFile,
  own: number,
  relation: 'CALLS' | 'INHERITS',
): AsyncGenerator<Step> {
  const { path = '' } = node;
  const candidates = tree.candidates.of(node.key, () => candidatesFor(world, tree, path, file, own));
  for (const candidate of await candidates) {
    if (!tree.hasCalls(candidate) && !world.effort.spend()) return;
    const uses = await (relation === 'CALLS' ? tree.calls(candidate) : tree.bases(candidate));
    const fitting = uses.filter(({ target }) => target?.path === path && target.symbol === own);
    const user = fitting.length === 0 ? undefined : await tree.file(candidate);
    if (user === undefined) continue;
    for (const each of usersIn(tree, candidate, user, fitting)) yield step(each.node, node, relation, each.line, true);
    const [first] = fitting;
    if (relation !== 'CALLS' || first === undefined) continue;
    const document = documentNode({ collection: tree.collection, path: candidate, hash: user.hash });
    yield step(document, node, relation, first.line, true);
  }
}

/** The symbols that some calls or bases stand in, each once. */
function* usersIn(
  tree: CodeTree,
  path: string,
  file: ReadFile,
  uses: readonly NameUse[],
): Generator<{ node: GraphNode; line: number }> {
  const seen = new Set<number>();
  for (const { from, line } of uses) {
    if (from === undefined || seen.has(from)) continue;
    seen.add(from);
    const node = symbolNode(tree.collection, path, file, from);
    if (node !== undefined) yield { node, line };
  }
}

/** Files that may use a symbol: its own, those that hold its name or one it is given on under, and importers of a default. */
async function candidatesFor(
  world: World,
  tree: CodeTree,
  path: string,
  file: ReadFile,
  own: number,
): Promise<string[]> {
  const { graph } = world.store;
  const symbol = file.outline.symbols[own];
  if (symbol === undefined) return [];
  const outer = symbol.parent === undefined ? undefined : file.outline.symbols[symbol.parent];
  // A constructor is called by the name of its class.
  const called = [symbol.name, ...(outer !== undefined && constructors.has(symbol.name) ? [outer.name] : [])];
  const given = (file.outline.exports ?? []).filter(({ local }) => called.includes(local)).map(({ name }) => name);
  const names = new Set([...called, ...given.filter((name) => name !== 'default')]);
  const found = new Set([path]);
  for (let fresh = [...names]; fresh.length > 0; ) {
    for (const candidate of await graph.using(tree.collection, fresh, MOST_CANDIDATES)) found.add(candidate);
    const others = await namesGivenOn(world, tree, fresh);
    fresh = others.filter((name) => !names.has(name)).slice(0, MOST_NAMES);
    for (const name of fresh) names.add(name);
    if (names.size > MOST_NAMES) break;
  }
  if (given.includes('default')) for (const importer of await tree.importers(path)) found.add(importer.path);
  const prunes = found.size > FEW && reachesByImport.has(file.outline.language);
  const reachers = prunes ? await tree.reachers(path) : undefined;
  return [...found]
    .filter((candidate) => candidate === path || reachers === undefined || reachers.has(candidate))
    .sort((a, b) => Number(b === path) - Number(a === path) || (a < b ? -1 : 1));
}

/** In these languages a file uses another only if it imports it, or a file that does: the others need not be looked at. */
export const reachesByImport: ReadonlySet<Language> = new Set(['typescript', 'tsx', 'javascript', 'python', 'rust']);

/** So many are sooner resolved than it is known which of them can mean it. */
const FEW = 200;

const constructors = new Set(['constructor', '__init__', 'initialize', '__construct', 'new']);
const MOST_NAMES = 20;

/** Names that files give on what they import as: `export { open as start } from`. */
async function namesGivenOn({ store }: World, tree: CodeTree, names: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const path of await store.graph.using(tree.collection, names.map(givenOnKey), MOST_CANDIDATES)) {
    const outline = await tree.outline(path);
    for (const { names: taken, reexported } of outline?.imports ?? [])
      for (const { name, local } of reexported ? taken : []) if (names.includes(name)) found.add(local);
  }
  return [...found];
}

/** By which a file is found that gives something on under another name. */
export function givenOnKey(name: string): string {
  return `>${name}`;
}

/** By which an import is found as it is written, whether it means a document or not. */
export function specifierKey(specifier: string): string {
  return `=${specifier}`;
}

/** Who imports, calls or inherits something that is not in the store. */
export async function* usersOfUnresolved(world: World, node: GraphNode, wanted: Wanted): AsyncGenerator<Step> {
  const { label } = node;
  const call = label.endsWith('()') ? label.slice(0, -2) : undefined;
  for (const { collection } of await world.documents.collections()) {
    const tree = world.tree(collection);
    const paths = new Set([
      ...(await world.store.graph.importing(collection, [specifierKey(label)], MOST_CANDIDATES)),
      ...(await world.store.graph.using(collection, [lastPart(call ?? label)], MOST_CANDIDATES)),
    ]);
    for (const path of [...paths].sort()) {
      if (!world.effort.spend()) return;
      const file = await tree.file(path);
      if (file !== undefined) yield* unresolvedIn(tree, path, file, node, wanted);
    }
  }
}

async function* unresolvedIn(
  tree: CodeTree,
  path: string,
  file: ReadFile,
  node: GraphNode,
  wanted: Wanted,
): AsyncGenerator<Step> {
  const document = documentNode({ collection: tree.collection, path, hash: file.hash });
  if (wanted('IMPORTS')) {
    const use = (await tree.imports(path)).find(
      ({ specifier, paths }) => paths.length === 0 && specifier === node.label,
    );
    if (use !== undefined) yield { ...step(document, node, 'IMPORTS', use.line, true, false) };
  }
  for (const relation of ['CALLS', 'INHERITS'] as const) {
    if (!wanted(relation)) continue;
    const uses = await (relation === 'CALLS' ? tree.calls(path) : tree.bases(path));
    const called = ({ name, target }: NameUse) =>
      target === undefined && (relation === 'CALLS' ? `${name}()` : name) === node.label;
    const fitting = uses.filter(called);
    for (const user of usersIn(tree, path, file, fitting))
      yield step(user.node, node, relation, user.line, true, false);
    if (relation === 'CALLS' && fitting[0] !== undefined)
      yield step(document, node, relation, fitting[0].line, true, false);
  }
}

export function unresolvedNode(name: string): GraphNode {
  return { key: nodeKey('unresolved', name), type: 'unresolved', label: name };
}

function unresolvedStep(source: GraphNode, name: string, relation: Relation, line: number): Step {
  return step(source, unresolvedNode(name), relation, line, false, false);
}

/** `back`: the neighbour is the source of the edge. */
function step(
  source: GraphNode,
  target: GraphNode,
  relation: Relation,
  line: number,
  back = false,
  resolved = true,
): Step {
  return {
    node: back ? source : target,
    edge: { source: source.key, target: target.key, relation, line, ...(!resolved && { resolved: false }) },
  };
}
