/**
 * What the texts of instructions and decisions name. A mention is an edge where it means one thing: a path that is the end of
 * several, or a name that several symbols have, is none.
 */
import type { KeptMention, MentioningKind } from '../store/mentions.ts';
import { knowledgeNamed } from './knowledge.ts';
import { type Direction, type GraphEdge, type GraphNode, nodeKey, partsOf, type Step } from './node.ts';
import { documentNode } from './places.ts';
import { symbolNode, symbolsNamed } from './symbols.ts';
import type { Wanted, World } from './world.ts';

export async function* mentionsBeside(
  world: World,
  node: GraphNode,
  direction: Direction,
  wanted: Wanted,
): AsyncGenerator<Step> {
  if (!wanted('mentions')) return;
  const item = itemOf(node);
  if (direction === 'in') yield* mentioning(world, node);
  else if (item !== undefined) {
    const seen = new Set<string>();
    for (const mention of await world.store.mentions.of(item.kind, item.id)) {
      for (const target of await meantBy(world, mention)) {
        if (seen.has(target.key) || target.key === node.key) continue;
        seen.add(target.key);
        yield { node: target, edge: edgeOf(node.key, target.key) };
      }
    }
  }
}

function itemOf({ type, key }: GraphNode): { kind: MentioningKind; id: string } | undefined {
  return type === 'instruction' || type === 'decision' ? { kind: type, id: partsOf(key).name } : undefined;
}

function edgeOf(source: string, target: string): GraphEdge {
  return { source, target, relation: 'mentions' };
}

async function meantBy(world: World, { type, value, symbol, collection }: KeptMention): Promise<GraphNode[]> {
  if (type === 'symbol') {
    const [only, ...others] = await symbolsNamed(world, value, 2);
    return only === undefined || others.length > 0 ? [] : [only];
  }
  if (type === 'id') {
    const named = [await knowledgeNamed(world, 'instruction', value), await knowledgeNamed(world, 'decision', value)];
    return named.filter((node) => node !== undefined);
  }
  const [first, ...others] = await world.documents.ending(value, collection, 2);
  if (first === undefined || (others.length > 0 && (first.path !== value || others[0]?.path === value))) return [];
  const file = symbol === undefined ? undefined : await world.tree(first.collection).file(first.path);
  const at = file?.names.indexOf(symbol ?? '') ?? -1;
  const named = file && at >= 0 ? symbolNode(first.collection, first.path, file, at) : undefined;
  return [documentNode(first), ...(named === undefined ? [] : [named])];
}

/** Those that hold one of its names, each looked at to know whether it means this one. */
async function* mentioning(world: World, node: GraphNode): AsyncGenerator<Step> {
  const { mentions } = world.store;
  const seen = new Set([node.key]);
  for (const { type, values } of namesOf(node)) {
    for (const { kind, id } of await mentions.naming(type, values)) {
      const key = nodeKey(kind, id);
      if (seen.has(key)) continue;
      if (!world.effort.spend()) return;
      const fitting = (await mentions.of(kind, id)).filter((each) => each.type === type && values.includes(each.value));
      if (!(await means(world, fitting, node.key))) continue;
      seen.add(key);
      const item = await knowledgeNamed(world, kind, id);
      if (item !== undefined) yield { node: item, edge: edgeOf(key, node.key) };
    }
  }
}

async function means(world: World, mentions: readonly KeptMention[], key: string): Promise<boolean> {
  for (const mention of mentions) if ((await meantBy(world, mention)).some((node) => node.key === key)) return true;
  return false;
}

/** What a text can call a node. */
function namesOf({ type, key, label, path = '' }: GraphNode): { type: 'path' | 'symbol' | 'id'; values: string[] }[] {
  const paths = { type: 'path', values: tailsOf(path, '/') } as const;
  if (type === 'document') return [paths];
  if (type === 'symbol') return [{ type: 'symbol', values: tailsOf(label.replace(/~\d+$/, ''), '.') }, paths];
  if (type === 'instruction' || type === 'decision') return [{ type: 'id', values: [partsOf(key).name] }];
  return [];
}

/** `a/b/c`, `b/c`, `c`. */
function tailsOf(name: string, separator: string): string[] {
  const parts = name.split(separator);
  return parts.map((_, at) => parts.slice(at).join(separator));
}
