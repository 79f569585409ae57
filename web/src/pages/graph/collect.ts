/** Nodes and edges for the explorer, from the two operations that answer them. */
import { call } from '../../data/call.ts';
import type { CatalogGraph, GraphAnswer, GraphEdge, GraphNode } from './answers.ts';

export interface Collected {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly truncated?: boolean;
}

const MOST_EDGES = 20_000;
const MOST_NODES = 1000;

/** All instructions and their categories. */
export async function catalogGraph(signal: AbortSignal): Promise<Collected> {
  const graph = await call<CatalogGraph>(
    'graph_export',
    {
      enrich: true,
      includeCategoryNodes: true,
      includeUsage: true,
      includeEdgeTypes: ['primary', 'belongs'],
      maxEdges: MOST_EDGES,
    },
    signal,
  );
  const keyOf = (id: string) => (id.startsWith('category:') ? id : `instruction:${id}`);
  const nodes = graph.nodes.map(({ id, nodeType = 'instruction' }) => ({
    key: keyOf(id),
    type: nodeType,
    label: id.replace(/^category:/, ''),
  }));
  const edges = graph.edges.map(({ from, to, type }) => ({ source: keyOf(from), target: keyOf(to), relation: type }));
  return { nodes, edges };
}

/** A node and what is around it, in both directions. */
export async function around(node_key: string, depth: number, signal?: AbortSignal): Promise<Collected> {
  const asked = { node_key, depth, limit: MOST_NODES, resolved_only: true };
  const [out, back] = await Promise.all([
    call<GraphAnswer>('graph', asked, signal),
    call<GraphAnswer>('graph', { ...asked, depth: 1, reverse: true }, signal),
  ]);
  const origin = out.origin === undefined ? [] : [out.origin];
  return {
    nodes: [...origin, ...(out.nodes ?? []), ...(back.nodes ?? [])],
    edges: [...(out.edges ?? []), ...(back.edges ?? [])],
    truncated: out.truncated === true || back.truncated === true,
  };
}
