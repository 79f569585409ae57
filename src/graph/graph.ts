/** The one graph: what a key means and what lies beside a node, whatever kind of knowledge it is. */
import type { Store, View } from '../store/store.ts';
import { type KnowledgeType, knowledgeBeside, knowledgeCount, knowledgeNamed, knowledgePage } from './knowledge.ts';
import { mentionsBeside } from './mention-edges.ts';
import { type Direction, type GraphNode, type NodeType, nodeTypes, partsOf, type Step } from './node.ts';
import { placeNamed, placesBeside, placesOfType } from './places.ts';
import { locate, symbolNode, symbolsAfter, symbolsBeside } from './symbols.ts';
import { treesOf } from './tree.ts';
import { unresolvedNode, usersOfUnresolved, usesBeside } from './uses.ts';
import { Effort, type Wanted, type World } from './world.ts';

const FILES_LOOKED_AT = 3000;

export async function worldOf(
  store: Store,
  { documents, events }: Pick<View, 'documents' | 'events'>,
  namespace: string,
): Promise<World> {
  return { store, documents, events, namespace, effort: new Effort(FILES_LOOKED_AT), tree: await treesOf(store) };
}

export async function nodeAt(world: World, key: string): Promise<GraphNode | undefined> {
  const { type, name } = partsOf(key);
  switch (type) {
    case 'collection':
    case 'folder':
    case 'document':
      return placeNamed(world.documents, type, name);
    case 'symbol': {
      const found = await locate(world, name);
      return found && symbolNode(found.tree.collection, found.path, found.file, found.index);
    }
    case 'instruction':
    case 'category':
    case 'decision':
    case 'target':
    case 'event':
      return knowledgeNamed(world, type, name);
    case 'unresolved':
      return name === '' ? undefined : unresolvedNode(name);
    default:
      return undefined;
  }
}

/** In a fixed order: what holds together first, what was only named last. */
export async function* neighbours(
  world: World,
  node: GraphNode,
  direction: Direction,
  wanted: Wanted,
): AsyncGenerator<Step> {
  switch (node.type) {
    case 'collection':
    case 'folder':
      yield* placesBeside(world, node, direction, wanted);
      return;
    case 'document':
      yield* placesBeside(world, node, direction, wanted);
      yield* symbolsBeside(world, node, direction, wanted);
      yield* usesBeside(world, node, direction, wanted);
      break;
    case 'symbol':
      yield* symbolsBeside(world, node, direction, wanted);
      yield* usesBeside(world, node, direction, wanted);
      break;
    case 'unresolved':
      if (direction === 'in') yield* usersOfUnresolved(world, node, wanted);
      return;
    default:
      yield* knowledgeBeside(world, node, direction, wanted);
  }
  yield* mentionsBeside(world, node, direction, wanted);
}

export async function nodesOfType(world: World, type: NodeType, limit: number, offset: number): Promise<GraphNode[]> {
  if (isKnowledge(type)) return knowledgePage(world, type, limit, offset);
  if (type === 'symbol') return firstOf(symbolsAfter(world, world.store.graph, offset), limit, 0);
  return firstOf(placesOfType(world.documents, type), limit, offset);
}

async function firstOf(nodes: AsyncIterable<GraphNode>, limit: number, offset: number): Promise<GraphNode[]> {
  const found: GraphNode[] = [];
  let passed = 0;
  for await (const node of nodes) {
    if (found.length >= limit) break;
    if (passed >= offset) found.push(node);
    passed += 1;
  }
  return found;
}

export async function countsByType(world: World): Promise<{ type: NodeType; count: number }[]> {
  const counts: { type: NodeType; count: number }[] = [];
  for (const type of nodeTypes) counts.push({ type, count: await countOf(world, type) });
  return counts.filter(({ count }) => count > 0);
}

async function countOf(world: World, type: NodeType): Promise<number> {
  if (isKnowledge(type)) return knowledgeCount(world, type);
  if (type === 'symbol') return world.store.graph.symbolCount();
  if (type === 'document') return world.documents.count({});
  if (type === 'collection') return (await world.documents.collections()).length;
  let folders = 0;
  for await (const _ of placesOfType(world.documents, 'folder')) folders++;
  return folders;
}

function isKnowledge(type: NodeType): type is KnowledgeType {
  return ['instruction', 'category', 'decision', 'target', 'event'].includes(type);
}

export function isNodeType(type: string): type is NodeType {
  return nodeTypes.some((known) => known === type);
}
