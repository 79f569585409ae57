/**
 * The catalog as a graph (S1: graph/export): instructions, their categories and the edges between them. Pure; edges are
 * generated one by one in their final order, so that an answer costs what it holds and not what could be paired.
 */
import type { Head } from './entry.ts';

/** In the order in which edges of the same two nodes stand, as S1's example shows: `primary` before `belongs`. */
export const edgeTypes = ['primary', 'category', 'belongs'] as const;
export type EdgeType = (typeof edgeTypes)[number];

export interface GraphOptions {
  /** The allowlist of edge types, applied before `maxEdges`. Absent: all. Empty: none. */
  readonly includeEdgeTypes?: readonly EdgeType[] | undefined;
  readonly maxEdges?: number | undefined;
  /** Schema v2: nodes with their metadata. */
  readonly enrich?: boolean | undefined;
  /** Nodes for categories, which only schema v2 has. */
  readonly includeCategoryNodes?: boolean | undefined;
  /** Uses by id. Present when `includeUsage` is asked for; an id that is not in it counts 0. */
  readonly usage?: ReadonlyMap<string, number> | undefined;
  /** `GRAPH_INCLUDE_PRIMARY_EDGES` */
  readonly includePrimaryEdges: boolean;
  /** `GRAPH_LARGE_CATEGORY_CAP`: categories with more members give no pairwise edges. */
  readonly largeCategoryCap: number;
}

export interface PlainNode {
  readonly id: string;
}

export interface InstructionNode
  extends Pick<
    Head,
    | 'id'
    | 'categories'
    | 'primaryCategory'
    | 'priority'
    | 'priorityTier'
    | 'requirement'
    | 'owner'
    | 'status'
    | 'version'
    | 'createdAt'
    | 'updatedAt'
  > {
  readonly nodeType: 'instruction';
  readonly usageCount?: number;
}

export interface CategoryNode {
  readonly id: string;
  readonly nodeType: 'category';
}

export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly type: EdgeType;
}

export interface WeightedEdge extends Edge {
  readonly weight: 1;
}

interface GraphOf<Version extends 1 | 2, Node extends PlainNode, Link extends Edge> {
  readonly meta: {
    readonly graphSchemaVersion: Version;
    readonly nodeCount: number;
    readonly edgeCount: number;
    readonly truncated?: true;
    readonly notes?: readonly string[];
  };
  readonly nodes: readonly Node[];
  readonly edges: readonly Link[];
}

export type GraphV1 = GraphOf<1, PlainNode, Edge>;
export type GraphV2 = GraphOf<2, InstructionNode | CategoryNode, WeightedEdge>;
export type Graph = GraphV1 | GraphV2;

/**
 * No answer has more edges. Without `maxEdges` the category cap alone keeps the answer linear: a category of at most 50
 * members has 1,225 pairs, which is less than 25 for each membership, and an entry has at most 25 categories. The
 * ceiling holds where someone raised the cap, and for catalogs so large that linear is too much for one answer.
 */
export const EDGE_CEILING = 200_000;
const MOST_NOTES = 20;

export const defaultLargeCategoryCap = 50;

export function exportGraph(heads: readonly Head[], options: GraphOptions): Graph {
  const sorted = heads.toSorted((a, b) => compare(a.id, b.id));
  const categories = categoriesOf(sorted);
  const wanted = wantedTypes(options);
  const { edges, cut } = take(edgesOf(sorted, categories, wanted, options.largeCategoryCap), options.maxEdges);
  const notes = [
    ...(cut === 'ceiling'
      ? [`edges were cut at ${EDGE_CEILING}, the most one answer holds; narrow includeEdgeTypes`]
      : []),
    ...(wanted.has('category') ? capNotes(categories, options.largeCategoryCap) : []),
  ];
  const meta = <Version extends 1 | 2>(graphSchemaVersion: Version, nodes: readonly PlainNode[]) => ({
    graphSchemaVersion,
    nodeCount: nodes.length,
    edgeCount: edges.length,
    ...(cut === undefined ? {} : { truncated: true as const }),
    ...(notes.length === 0 ? {} : { notes }),
  });
  if (options.enrich !== true) {
    const nodes = sorted.map(({ id }) => ({ id }));
    return { meta: meta(1, nodes), nodes, edges };
  }
  const instructions = sorted.map((head) => instructionNode(head, options.usage));
  const nodes = options.includeCategoryNodes === true ? [...instructions, ...categoryNodes(categories)] : instructions;
  return {
    meta: meta(2, nodes),
    nodes,
    edges: edges.map(({ from, to, type }): WeightedEdge => ({ from, to, type, weight: 1 })),
  };
}

/** The one order of edges: from, to, then the type as `edgeTypes` lists it. */
export function compareEdges(a: Edge, b: Edge): number {
  return compare(a.from, b.from) || compare(a.to, b.to) || edgeTypes.indexOf(a.type) - edgeTypes.indexOf(b.type);
}

/** By code units, so that every machine and locale gives the same order. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** S1: `belongs` appears only in schema v2, with category nodes or when the filter names it. */
function wantedTypes(options: GraphOptions): ReadonlySet<EdgeType> {
  const wanted = new Set<EdgeType>(options.includeEdgeTypes ?? edgeTypes);
  const named = options.includeEdgeTypes !== undefined;
  if (!options.includePrimaryEdges) wanted.delete('primary');
  if (options.enrich !== true || !(named || options.includeCategoryNodes === true)) wanted.delete('belongs');
  return wanted;
}

interface Category {
  /** Places in the sorted list of entries, ascending. */
  readonly members: number[];
  /** How many of the members have had their turn as `from`: what follows are the partners of the next one. */
  passed: number;
}

function categoriesOf(sorted: readonly Head[]): Map<string, Category> {
  const found = new Map<string, Category>();
  const named = (name: string): Category => {
    const known = found.get(name) ?? { members: [], passed: 0 };
    found.set(name, known);
    return known;
  };
  for (const [place, { categories, primaryCategory }] of sorted.entries()) {
    for (const name of categories) named(name).members.push(place);
    // A primary category is one of the categories; an entry where it is not must still have a node to point at.
    if (primaryCategory !== undefined) named(primaryCategory);
  }
  return found;
}

function* edgesOf(
  sorted: readonly Head[],
  categories: ReadonlyMap<string, Category>,
  wanted: ReadonlySet<EdgeType>,
  cap: number,
): Generator<Edge> {
  for (const head of sorted) {
    const upward = topicEdges(head, wanted);
    let next = 0;
    for (const place of wanted.has('category') ? partners(head, categories, cap) : []) {
      const to = sorted[place]?.id ?? '';
      const edge: Edge = { from: head.id, to, type: 'category' };
      for (let topic = upward[next]; topic !== undefined && compareEdges(topic, edge) < 0; topic = upward[next]) {
        yield topic;
        next += 1;
      }
      yield edge;
    }
    yield* upward.slice(next);
  }
}

function topicEdges({ id, categories, primaryCategory }: Head, wanted: ReadonlySet<EdgeType>): readonly Edge[] {
  const edges: Edge[] = [];
  if (wanted.has('primary') && primaryCategory !== undefined) {
    edges.push({ from: id, to: categoryId(primaryCategory), type: 'primary' });
  }
  if (wanted.has('belongs')) {
    edges.push(...categories.map((name) => ({ from: id, to: categoryId(name), type: 'belongs' as const })));
  }
  return edges.sort(compareEdges);
}

/**
 * The entries after this one that share a category with it, ascending, each once: a merge of the categories' member
 * lists that reads only as far as it is asked to. Entries must come in their order, for `passed` to be right.
 */
function* partners(head: Head, categories: ReadonlyMap<string, Category>, cap: number): Generator<number> {
  const lists: { readonly members: readonly number[]; at: number }[] = [];
  for (const name of head.categories) {
    const category = categories.get(name);
    if (category === undefined || category.members.length > cap) continue;
    category.passed += 1;
    lists.push({ members: category.members, at: category.passed });
  }
  for (;;) {
    let least = Number.POSITIVE_INFINITY;
    for (const { members, at } of lists) least = Math.min(least, members[at] ?? least);
    if (least === Number.POSITIVE_INFINITY) return;
    yield least;
    for (const list of lists) if (list.members[list.at] === least) list.at += 1;
  }
}

/** Stops at the limit; one edge more is asked for, to know whether there was something to cut. */
function take(edges: Iterable<Edge>, maxEdges = Number.POSITIVE_INFINITY) {
  const limit = Math.min(maxEdges, EDGE_CEILING);
  const taken: Edge[] = [];
  for (const edge of edges) {
    if (taken.length >= limit) return { edges: taken, cut: maxEdges <= EDGE_CEILING ? 'maxEdges' : 'ceiling' } as const;
    taken.push(edge);
  }
  return { edges: taken, cut: undefined };
}

function capNotes(categories: ReadonlyMap<string, Category>, cap: number): readonly string[] {
  // A category of one has no pair to leave out, whatever the cap.
  const large = [...categories].filter(([, { members }]) => members.length > Math.max(cap, 1));
  const notes = large
    .sort(([a], [b]) => compare(a, b))
    .slice(0, MOST_NOTES)
    .map(
      ([name, { members }]) =>
        `category ${JSON.stringify(name)}: no pairwise edges, ${members.length} members are more than GRAPH_LARGE_CATEGORY_CAP=${cap}`,
    );
  return large.length > MOST_NOTES ? [...notes, `and ${large.length - MOST_NOTES} more`] : notes;
}

function instructionNode(head: Head, usage: ReadonlyMap<string, number> | undefined): InstructionNode {
  return {
    id: head.id,
    nodeType: 'instruction',
    categories: head.categories,
    ...(head.primaryCategory === undefined ? {} : { primaryCategory: head.primaryCategory }),
    priority: head.priority,
    priorityTier: head.priorityTier,
    requirement: head.requirement,
    owner: head.owner,
    status: head.status,
    version: head.version,
    createdAt: head.createdAt,
    updatedAt: head.updatedAt,
    ...(usage === undefined ? {} : { usageCount: usage.get(head.id) ?? 0 }),
  };
}

function categoryNodes(categories: ReadonlyMap<string, Category>): readonly CategoryNode[] {
  return [...categories.keys()].sort().map((name) => ({ id: categoryId(name), nodeType: 'category' }));
}

function categoryId(name: string): string {
  return `category:${name}`;
}
