/** The shortest way between two nodes, looked for from both ends, a ring at a time on the side that has less to look at. */
import type { Direction, GraphEdge, GraphNode, Step } from './node.ts';

export interface PathSearch {
  /** Edges are followed in their own direction only. */
  readonly directed: boolean;
  readonly maxLength: number;
  /** So many nodes are looked at. */
  readonly maxNodes: number;
}

export type Beside = (node: GraphNode, direction: Direction) => AsyncIterable<Step>;

export interface PathFound {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export interface PathAnswer {
  readonly found?: PathFound;
  readonly visited: number;
  /** Why there may be a way although none was found. */
  readonly gaveUp?: string;
}

interface Visit {
  readonly node: GraphNode;
  readonly distance: number;
  /** Towards the end that this side began at. */
  readonly back?: { readonly edge: GraphEdge; readonly key: string };
}

class Side {
  readonly visits = new Map<string, Visit>();
  readonly directions: readonly Direction[];
  ring: readonly GraphNode[];
  depth = 0;

  constructor(start: GraphNode, directions: readonly Direction[]) {
    this.visits.set(start.key, { node: start, distance: 0 });
    this.ring = [start];
    this.directions = directions;
  }
}

export async function shortestPath(
  from: GraphNode,
  to: GraphNode,
  beside: Beside,
  how: PathSearch,
): Promise<PathAnswer> {
  if (from.key === to.key) return { found: { nodes: [from], edges: [] }, visited: 1 };
  const ahead = new Side(from, how.directed ? ['out'] : ['out', 'in']);
  const behind = new Side(to, how.directed ? ['in'] : ['out', 'in']);
  const visited = () => ahead.visits.size + behind.visits.size;
  while (ahead.ring.length > 0 && behind.ring.length > 0) {
    if (ahead.depth + behind.depth >= how.maxLength)
      return { visited: visited(), gaveUp: `No way of ${how.maxLength} steps or less was found` };
    const [near, far] = ahead.ring.length <= behind.ring.length ? [ahead, behind] : [behind, ahead];
    const room = how.maxNodes - visited();
    const { meeting, whole } = await widen(near, far, beside, room);
    if (meeting !== undefined) return { found: joined(ahead, behind, meeting), visited: visited() };
    if (!whole) return { visited: visited(), gaveUp: `More than ${how.maxNodes} nodes lie in between` };
  }
  return { visited: visited() };
}

/** One ring more on one side. The whole ring is looked at, because the first meeting need not be on the shortest way. */
async function widen(
  near: Side,
  far: Side,
  beside: Beside,
  room: number,
): Promise<{ meeting?: string; whole: boolean }> {
  const next: GraphNode[] = [];
  const distance = near.depth + 1;
  let best: { key: string; length: number } | undefined;
  let left = room;
  for (const node of near.ring) {
    for (const direction of near.directions) {
      for await (const { node: other, edge } of beside(node, direction)) {
        if (near.visits.has(other.key)) continue;
        near.visits.set(other.key, { node: other, distance, back: { edge, key: node.key } });
        next.push(other);
        const opposite = far.visits.get(other.key);
        const length = distance + (opposite?.distance ?? 0);
        if (opposite !== undefined && (best === undefined || length < best.length)) best = { key: other.key, length };
        left -= 1;
        if (left <= 0) return { ...(best !== undefined && { meeting: best.key }), whole: false };
      }
    }
  }
  near.ring = next;
  near.depth = distance;
  return { ...(best !== undefined && { meeting: best.key }), whole: true };
}

function joined(ahead: Side, behind: Side, meeting: string): PathFound {
  const first = wayBack(ahead, meeting);
  const second = wayBack(behind, meeting);
  return {
    nodes: [...first.nodes.toReversed(), ...second.nodes.slice(1)],
    edges: [...first.edges.toReversed(), ...second.edges],
  };
}

function wayBack({ visits }: Side, from: string): { nodes: GraphNode[]; edges: GraphEdge[] } {
  const nodes: GraphNode[] = [];
  const edges: GraphEdge[] = [];
  for (let visit = visits.get(from); visit !== undefined; ) {
    nodes.push(visit.node);
    if (visit.back !== undefined) edges.push(visit.back.edge);
    visit = visit.back && visits.get(visit.back.key);
  }
  return { nodes, edges };
}
