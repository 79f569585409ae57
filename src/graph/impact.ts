/**
 * What depends on a node, and why. Of a document or folder the answer is in documents: what imports it, or uses its symbols without
 * an import. Of a symbol it is in symbols: who calls or inherits it, and documents that take it for something else.
 */
import { neighbours } from './graph.ts';
import { type GraphEdge, type GraphNode, partsOf, type Relation } from './node.ts';
import { documentNode, documentsBelow } from './places.ts';
import { symbolNode, symbolsBeside } from './symbols.ts';
import { reachesByImport, usesBeside } from './uses.ts';
import type { World } from './world.ts';

export interface Dependant {
  readonly node: GraphNode;
  readonly distance: number;
  /** From the dependant to the origin, step by step. */
  readonly path: readonly GraphEdge[];
}

export interface Impact {
  readonly dependants: readonly Dependant[];
  readonly truncated: boolean;
}

interface Dependence {
  readonly node: GraphNode;
  readonly edge: GraphEdge;
}

/** Whoever is the source of such an edge depends on its target. */
const depending: ReadonlySet<string> = new Set<Relation>([
  'IMPORTS',
  'CALLS',
  'INHERITS',
  'mentions',
  'depends_on',
  'superseded_by',
  'belongs',
]);

/** A folder with more documents is answered for by its first ones. */
const MOST_DOCUMENTS = 500;

export async function impactOf(
  world: World,
  origin: GraphNode,
  { depth, limit }: { depth: number; limit: number },
): Promise<Impact> {
  const { wholes, cut } = await partsOfOrigin(world, origin);
  const known = new Map<string, readonly GraphEdge[]>(wholes.map(({ key }) => [key, []]));
  const dependants: Dependant[] = [];
  for (let ring: readonly GraphNode[] = wholes, distance = 1; ring.length > 0 && distance <= depth; distance++) {
    const next: GraphNode[] = [];
    for (const node of ring) {
      for await (const { node: other, edge } of dependantsOf(world, node, distance === 1)) {
        if (known.has(other.key)) continue;
        if (dependants.length >= limit) return { dependants, truncated: true };
        const path = [edge, ...(known.get(node.key) ?? [])];
        known.set(other.key, path);
        dependants.push({ node: other, distance, path });
        next.push(other);
      }
    }
    ring = next;
  }
  return { dependants, truncated: cut || world.effort.exhausted };
}

/** What is asked about when a whole is: a folder's documents, a class with its methods. */
async function partsOfOrigin(world: World, origin: GraphNode): Promise<{ wholes: GraphNode[]; cut: boolean }> {
  const wholes = [origin];
  if (origin.type === 'collection' || origin.type === 'folder')
    for await (const document of documentsBelow(world.documents, origin)) {
      if (wholes.length > MOST_DOCUMENTS) return { wholes, cut: true };
      wholes.push(document);
    }
  else if (origin.type === 'symbol')
    for (let at = 0; at < wholes.length; at++)
      for await (const { node } of symbolsBeside(world, wholes[at] ?? origin, 'out', (each) => each === 'CONTAINS'))
        wholes.push(node);
  return { wholes, cut: false };
}

async function* dependantsOf(world: World, node: GraphNode, isOrigin: boolean): AsyncGenerator<Dependence> {
  if (node.type === 'document') {
    yield* neighbours(world, node, 'in', (relation) => depending.has(relation));
    yield* dependantsOfParts(world, node, isOrigin);
  } else if (node.type === 'symbol') yield* dependantsOfSymbol(world, node);
  else if (node.type === 'event') yield* neighbours(world, node, 'out', (relation) => relation === 'evidence');
  else yield* neighbours(world, node, 'in', (relation) => depending.has(relation));
}

/** Whoever mentions a symbol means what is asked about; further away that would be too much. */
async function* dependantsOfParts(world: World, document: GraphNode, isOrigin: boolean): AsyncGenerator<Dependence> {
  const { collection = '', path = '' } = document;
  const file = await world.tree(collection).file(path);
  const needsUses = file !== undefined && !reachesByImport.has(file.outline.language);
  if (!needsUses && !isOrigin) return;
  for (const index of file?.outline.symbols.keys() ?? []) {
    const symbol = file && symbolNode(collection, path, file, index);
    if (symbol === undefined) continue;
    const wanted = (relation: string) =>
      (isOrigin && relation === 'mentions') || (needsUses && depending.has(relation));
    for await (const { node, edge } of neighbours(world, symbol, 'in', wanted))
      yield { node: await documentOf(node), edge };
  }
}

async function documentOf(node: GraphNode): Promise<GraphNode> {
  const { type, collection = '', path = '', hash = '' } = node;
  return type === 'symbol' ? documentNode({ collection, path, hash }) : node;
}

async function* dependantsOfSymbol(world: World, symbol: GraphNode): AsyncGenerator<Dependence> {
  const users = new Set<string>();
  const documents: Dependence[] = [];
  for await (const step of neighbours(world, symbol, 'in', (relation) => depending.has(relation))) {
    if (step.node.type === 'symbol') users.add(`${step.node.path}`);
    // A call at the top of a file has no other caller than the document.
    if (step.node.type === 'document') documents.push(step);
    else yield step;
  }
  for (const step of documents) if (!users.has(`${step.node.path}`)) yield step;
  for (const step of documents) users.add(`${step.node.path}`);
  yield* takers(world, symbol, users);
}

/** Documents that import the symbol by its name and neither call nor inherit it: a type, a constant. */
async function* takers(world: World, symbol: GraphNode, users: ReadonlySet<string>): AsyncGenerator<Dependence> {
  const { collection = '', path = '', hash = '', label, key } = symbol;
  const document = documentNode({ collection, path, hash });
  const tree = world.tree(collection);
  for await (const { node } of usesBeside(world, document, 'in', (relation) => relation === 'IMPORTS')) {
    if (users.has(`${node.path}`)) continue;
    const found = (await tree.imports(node.path ?? '')).find(
      ({ paths, names }) => paths.includes(path) && names.includes(label),
    );
    if (found !== undefined)
      yield { node, edge: { source: node.key, target: key, relation: 'IMPORTS', line: found.line } };
  }
}

/** The documents among the dependants, and those that their symbols stand in. */
export function documentsIn(dependants: readonly Dependant[]): string[] {
  const keys = dependants.flatMap(({ node: { type, key, collection, path } }) =>
    type === 'document' || type === 'symbol' ? [path === undefined ? partsOf(key).name : `${collection}/${path}`] : [],
  );
  return [...new Set(keys)].sort();
}
