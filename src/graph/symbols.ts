/** Symbols of source files: a document defines those at its top, and each contains those that stand in it. */
import type { GraphIndex } from '../store/graph-index.ts';
import { type Direction, type GraphEdge, type GraphNode, nodeKey, type Step } from './node.ts';
import { documentNode } from './places.ts';
import type { CodeTree, ReadFile, SymbolRef } from './tree.ts';
import type { Wanted, World } from './world.ts';

export function symbolNode(collection: string, path: string, file: ReadFile, index: number): GraphNode | undefined {
  const symbol = file.outline.symbols[index];
  const name = file.names[index];
  if (symbol === undefined || name === undefined) return undefined;
  const { kind, line, endLine } = symbol;
  return {
    key: nodeKey('symbol', `${collection}/${path}#${name}`),
    type: 'symbol',
    label: name,
    collection,
    path,
    hash: file.hash,
    kind,
    line,
    end_line: endLine,
  };
}

export async function symbolAt(tree: CodeTree, { path, symbol }: SymbolRef): Promise<GraphNode | undefined> {
  const file = await tree.file(path);
  return file && symbolNode(tree.collection, path, file, symbol);
}

export interface Located {
  readonly tree: CodeTree;
  readonly path: string;
  readonly file: ReadFile;
  readonly index: number;
}

/** What a key means. Paths and names may hold the sign that parts them: the first reading that fits counts. */
export async function locate({ tree }: World, name: string): Promise<Located | undefined> {
  const slash = name.indexOf('/');
  if (slash < 1) return undefined;
  const own = tree(name.slice(0, slash));
  const rest = name.slice(slash + 1);
  for (let cut = rest.lastIndexOf('#'); cut > 0; cut = rest.lastIndexOf('#', cut - 1)) {
    const path = rest.slice(0, cut);
    const file = await own.file(path);
    const index = file?.names.indexOf(rest.slice(cut + 1)) ?? -1;
    if (file !== undefined && index >= 0) return { tree: own, path, file, index };
  }
  return undefined;
}

/** The symbols that a document defines or a symbol contains, and what defines or contains a symbol. */
export async function* symbolsBeside(
  world: World,
  node: GraphNode,
  direction: Direction,
  wanted: Wanted,
): AsyncGenerator<Step> {
  const { collection = '', path = '' } = node;
  const file = await world.tree(collection).file(path);
  if (file === undefined) return;
  const own = node.type === 'symbol' ? file.names.indexOf(node.label) : undefined;
  if (direction === 'in') {
    if (own !== undefined) yield* outerOf(collection, path, file, node, own, wanted);
    return;
  }
  if (!wanted(own === undefined ? 'DEFINES' : 'CONTAINS')) return;
  for (const [index, { parent }] of file.outline.symbols.entries()) {
    if (parent !== own) continue;
    const inner = symbolNode(collection, path, file, index);
    if (inner !== undefined) yield { node: inner, edge: edgeOf(node, inner) };
  }
}

function* outerOf(
  collection: string,
  path: string,
  file: ReadFile,
  node: GraphNode,
  own: number,
  wanted: Wanted,
): Generator<Step> {
  const parent = file.outline.symbols[own]?.parent;
  const outer =
    parent === undefined
      ? documentNode({ collection, path, hash: file.hash })
      : symbolNode(collection, path, file, parent);
  if (outer === undefined) return;
  const edge = edgeOf(outer, node);
  if (wanted(edge.relation)) yield { node: outer, edge };
}

function edgeOf(outer: GraphNode, inner: GraphNode): GraphEdge {
  return {
    source: outer.key,
    target: inner.key,
    relation: outer.type === 'document' ? 'DEFINES' : 'CONTAINS',
  };
}

const PAGE = 500;

/** All symbols in the order of collections, paths and lines, after the first so many; whole documents are passed over at once. */
export async function* symbolsAfter(world: World, index: GraphIndex, offset: number): AsyncGenerator<GraphNode> {
  let left = offset;
  for (let after: { collection: string; path: string } | undefined; ; ) {
    const page = await index.outlined(after, PAGE);
    for (const { collection, path, symbols } of page) {
      if (symbols <= left) {
        left -= symbols;
        continue;
      }
      const file = await world.tree(collection).file(path);
      for (let at = left; file !== undefined && at < symbols; at++) {
        const node = symbolNode(collection, path, file, at);
        if (node !== undefined) yield node;
      }
      left = 0;
    }
    if (page.length < PAGE) return;
    after = page.at(-1);
  }
}

const LOOKED_AT = 1000;
const ENOUGH = 50;

/** Symbols that are called so: `open`, or with what they stand in, `Store.open`. Exported ones first. */
export async function symbolsNamed(world: World, name: string, limit: number): Promise<GraphNode[]> {
  const own = name.split(/\.|::|#/).at(-1) ?? name;
  const wantedName = name.replace(/::|#/g, '.');
  const found: { node: GraphNode; exported: boolean }[] = [];
  for (const { collection, path } of await world.store.graph.defining(own, LOOKED_AT)) {
    const file = await world.tree(collection).file(path);
    for (const [index, symbol] of file?.outline.symbols.entries() ?? []) {
      if (file === undefined || symbol.name !== own) continue;
      const whole = file.names[index] ?? '';
      if (own !== name && whole !== wantedName && !whole.endsWith(`.${wantedName}`)) continue;
      const node = symbolNode(collection, path, file, index);
      if (node !== undefined) found.push({ node, exported: symbol.exported });
    }
    if (found.length > Math.max(limit, ENOUGH)) break;
  }
  return found
    .sort((a, b) => Number(b.exported) - Number(a.exported))
    .slice(0, limit)
    .map(({ node }) => node);
}
