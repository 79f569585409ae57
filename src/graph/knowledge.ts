/** Instructions and their categories, decisions, their targets and the events that speak for them. */
import type { InstructionFacts } from '../store/graph-index.ts';
import type { DecisionFacts, EventRecord } from '../store/store.ts';
import { type Direction, type GraphEdge, type GraphNode, nodeKey, partsOf, type Relation, type Step } from './node.ts';
import type { Wanted, World } from './world.ts';

/** More neighbours of one node than anybody reads. */
const MOST = 2000;
/** Of a larger category every two members are not neighbours: S1's cap. */
const LARGE_CATEGORY = 50;

export function instructionNode({ id, title, status, hash }: InstructionFacts): GraphNode {
  return { key: nodeKey('instruction', id), type: 'instruction', label: title, status, hash };
}

export function decisionNode({ id, title, kind, status, namespace }: DecisionFacts): GraphNode {
  return { key: nodeKey('decision', id), type: 'decision', label: title, kind, status, namespace };
}

function categoryNode(key: string): GraphNode {
  return { key, type: 'category', label: partsOf(key).name };
}

function targetNode({ namespace, target, targetKey }: Pick<DecisionFacts, 'namespace' | 'target' | 'targetKey'>) {
  const key = nodeKey('target', `${namespace}/${targetKey}`);
  return { key, type: 'target', label: target, namespace } satisfies GraphNode;
}

function eventNode({ id, kind, subject, namespace }: EventRecord): GraphNode {
  return { key: nodeKey('event', String(id)), type: 'event', label: subject, kind, namespace };
}

export type KnowledgeType = 'instruction' | 'category' | 'decision' | 'target' | 'event';

/** `name` is what follows the type in the key. */
export async function knowledgeNamed(world: World, type: KnowledgeType, name: string): Promise<GraphNode | undefined> {
  const { graph } = world.store;
  if (type === 'instruction') {
    const found = await graph.instruction(name);
    return found && instructionNode(found);
  }
  if (type === 'category') {
    const key = nodeKey('category', name);
    return (await graph.links(key, 'in', 'belongs', 1)).length > 0 ? categoryNode(key) : undefined;
  }
  if (type === 'decision') {
    const found = (await world.store.decisions.get([name])).get(name);
    return found?.namespace === world.namespace ? decisionNode(found) : undefined;
  }
  if (type === 'event') {
    const found = /^\d{1,15}$/.test(name) ? await world.events.get(Number(name)) : undefined;
    return found?.namespace === world.namespace ? eventNode(found) : undefined;
  }
  const [newest] = await ofTarget(world, name, 1);
  return newest && targetNode(newest);
}

/** Decisions of a target, newest first. */
async function ofTarget({ store, namespace }: World, name: string, limit: number): Promise<DecisionFacts[]> {
  const own = `${namespace}/`;
  return name.startsWith(own) ? store.decisions.list({ namespace, targetKey: name.slice(own.length) }, limit, 0) : [];
}

export async function* knowledgeBeside(
  world: World,
  node: GraphNode,
  direction: Direction,
  wanted: Wanted,
): AsyncGenerator<Step> {
  for (const relation of ['primary', 'belongs', 'depends_on', 'superseded_by'] as const)
    if (wanted(relation)) yield* linked(world, node, direction, relation);
  if (node.type === 'instruction' && wanted('category')) yield* companions(world, node, direction);
  if (node.type === 'decision') yield* besideDecision(world, node, direction, wanted);
  if (node.type === 'target' && direction === 'in' && wanted('belongs'))
    for (const decision of await ofTarget(world, partsOf(node.key).name, MOST))
      yield stepTo(decisionNode(decision), node, 'belongs', direction);
  if (node.type === 'event' && direction === 'out' && wanted('evidence'))
    for (const { decision } of await world.events.links({ event: Number(partsOf(node.key).name) })) {
      const other = await knowledgeNamed(world, 'decision', decision);
      if (other !== undefined) yield stepTo(other, node, 'evidence', direction);
    }
}

async function* linked(world: World, node: GraphNode, direction: Direction, relation: Relation): AsyncGenerator<Step> {
  for (const { source, target } of await world.store.graph.links(node.key, direction, relation, MOST)) {
    const { type, name } = partsOf(direction === 'out' ? target : source);
    const other = await knowledgeNamed(world, type as KnowledgeType, name);
    // A link to what is not there (any more) leads nowhere.
    if (other !== undefined) yield stepTo(other, node, relation, direction);
  }
}

async function* besideDecision(
  world: World,
  node: GraphNode,
  direction: Direction,
  wanted: Wanted,
): AsyncGenerator<Step> {
  const id = partsOf(node.key).name;
  if (direction === 'out' && wanted('belongs')) {
    const facts = (await world.store.decisions.get([id])).get(id);
    if (facts !== undefined) yield stepTo(targetNode(facts), node, 'belongs', direction);
  }
  if (direction === 'in' && wanted('evidence'))
    for (const event of await world.events.of(id))
      if (event.namespace === world.namespace) yield stepTo(eventNode(event), node, 'evidence', direction);
}

/** Instructions that share a category, each pair once: from the one that comes first by its id to the other, as S1 draws them. */
async function* companions(world: World, node: GraphNode, direction: Direction): AsyncGenerator<Step> {
  const { graph } = world.store;
  const seen = new Set<string>();
  for (const { target } of await graph.links(node.key, 'out', 'belongs', MOST)) {
    const members = await graph.links(target, 'in', 'belongs', LARGE_CATEGORY + 1);
    if (members.length > LARGE_CATEGORY) continue;
    for (const { source } of members) {
      const onward = direction === 'out' ? source > node.key : source < node.key;
      if (!onward || seen.has(source)) continue;
      seen.add(source);
      const other = await knowledgeNamed(world, 'instruction', partsOf(source).name);
      if (other !== undefined) yield stepTo(other, node, 'category', direction);
    }
  }
}

function stepTo(other: GraphNode, node: GraphNode, relation: Relation, direction: Direction): Step {
  const [source, target] = direction === 'out' ? [node, other] : [other, node];
  const edge: GraphEdge = { source: source.key, target: target.key, relation };
  return { node: other, edge };
}

export async function knowledgePage(
  world: World,
  type: KnowledgeType,
  limit: number,
  offset: number,
): Promise<GraphNode[]> {
  const { graph, decisions } = world.store;
  const { namespace } = world;
  switch (type) {
    case 'instruction':
      return (await graph.instructions(limit, offset)).map(instructionNode);
    case 'category':
      return (await graph.categories(limit, offset)).map(categoryNode);
    case 'decision':
      return (await decisions.list({ namespace }, limit, offset)).map(decisionNode);
    case 'target':
      return (await decisions.targets(namespace)).slice(offset, offset + limit).map(targetNode);
    case 'event':
      return (await world.events.list({ namespace }, limit, offset)).map(eventNode);
  }
}

export async function knowledgeCount(world: World, type: KnowledgeType): Promise<number> {
  const { graph, decisions } = world.store;
  const { namespace } = world;
  switch (type) {
    case 'instruction':
      return graph.instructionCount();
    case 'category':
      return graph.categoryCount();
    case 'decision':
      return decisions.count({ namespace });
    case 'target':
      return decisions.targetCount(namespace);
    case 'event':
      return world.events.count({ namespace });
  }
}
