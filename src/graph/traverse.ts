/** From node to node, the nearest first: each node once, every edge that was met on the way. */
import type { Direction, GraphEdge, GraphNode, Step } from './node.ts';

export type Neighbours = (node: GraphNode, direction: Direction) => AsyncIterable<Step>;

export interface Traversal {
  readonly directions: readonly Direction[];
  readonly depth: number;
  readonly limit: number;
  readonly resolvedOnly?: boolean;
}

export interface Reached extends GraphNode {
  /** Steps from where the search began. */
  readonly depth: number;
}

export interface Found {
  readonly nodes: readonly Reached[];
  readonly edges: readonly GraphEdge[];
  readonly truncated: boolean;
}

/** So many edges for each node: in a dense part of the graph there are more than anybody reads. */
const EDGES_A_NODE = 10;

/**
 * What could not be resolved leads nowhere and is often much, so it is shown behind all else, in the room that is left.
 * O(neighbours of the nodes that are reached before the last ring).
 */
export async function traverse(from: GraphNode, neighbours: Neighbours, how: Traversal): Promise<Found> {
  const gathered = new Gathering(from, how.limit);
  for (let ring: readonly GraphNode[] = [from], depth = 1; ring.length > 0 && depth <= how.depth; depth++) {
    const next: GraphNode[] = [];
    for (const node of ring) {
      for (const direction of how.directions) {
        for await (const step of neighbours(node, direction)) {
          if (gathered.take(step, depth)) next.push(step.node);
          if (gathered.full) return gathered.found();
        }
      }
    }
    ring = next;
  }
  if (how.resolvedOnly !== true) gathered.takeUnresolved();
  return gathered.found();
}

class Gathering {
  readonly #from: GraphNode;
  readonly #limit: number;
  readonly #nodes = new Map<string, Reached>();
  readonly #edges = new Map<string, GraphEdge>();
  readonly #unresolved: { step: Step; depth: number }[] = [];
  #truncated = false;
  #full = false;

  constructor(from: GraphNode, limit: number) {
    this.#from = from;
    this.#limit = limit;
  }

  /** There is more than the limit allows: no look further. */
  get full(): boolean {
    return this.#full;
  }

  /** Whether the node was not known before. */
  take(step: Step, depth: number): boolean {
    if (step.node.type === 'unresolved') {
      this.#unresolved.push({ step, depth });
      return false;
    }
    return this.#add(step, depth);
  }

  #add({ node, edge }: Step, depth: number): boolean {
    const isNew = node.key !== this.#from.key && !this.#nodes.has(node.key);
    if (isNew && this.#nodes.size >= this.#limit) {
      this.#truncated = true;
      this.#full = true;
      return false;
    }
    if (isNew) this.#nodes.set(node.key, { ...node, depth });
    const key = `${edge.source}\0${edge.relation}\0${edge.target}`;
    if (this.#edges.size < this.#limit * EDGES_A_NODE) {
      if (!this.#edges.has(key)) this.#edges.set(key, edge);
    } else this.#truncated = true;
    return isNew;
  }

  takeUnresolved(): void {
    for (const { step, depth } of this.#unresolved) this.#add(step, depth);
  }

  found(): Found {
    return { nodes: [...this.#nodes.values()], edges: [...this.#edges.values()], truncated: this.#truncated };
  }
}
