/** What the graph is made of: nodes of every kind that Cairn keeps, by their keys, and the edges between them. */

export const nodeTypes = [
  'collection',
  'folder',
  'document',
  'symbol',
  'instruction',
  'category',
  'decision',
  'target',
  'event',
] as const;
export type NodeType = (typeof nodeTypes)[number];

export const relations = [
  'CONTAINS',
  'DEFINES',
  'IMPORTS',
  'CALLS',
  'INHERITS',
  'mentions',
  'primary',
  'belongs',
  'category',
  'depends_on',
  'superseded_by',
  'evidence',
] as const;
export type Relation = (typeof relations)[number];

/** `unresolved` stands for what a source file names and the store does not hold: a package, a built-in function. */
export type AnyType = NodeType | 'unresolved';

export interface GraphNode {
  /** `document:COLLECTION/PATH`, `symbol:COLLECTION/PATH#Outer.inner`, `decision:ID`, `target:NAMESPACE/TARGET`… */
  readonly key: string;
  readonly type: AnyType;
  readonly label: string;
  readonly collection?: string;
  readonly path?: string;
  /** Of the content; a symbol has that of its document. */
  readonly hash?: string;
  /** What sort of symbol, decision or event. */
  readonly kind?: string;
  readonly line?: number;
  readonly end_line?: number;
  readonly status?: string;
  readonly namespace?: string;
}

export interface GraphEdge {
  readonly source: string;
  readonly target: string;
  readonly relation: Relation;
  /** Where the source says so. */
  readonly line?: number;
  /** What is meant is not in the store, or cannot be known. */
  readonly resolved?: false;
}

export type Direction = 'out' | 'in';

/** A neighbour, and the edge that leads to it. */
export interface Step {
  readonly node: GraphNode;
  readonly edge: GraphEdge;
}

export function nodeKey(type: AnyType, name: string): string {
  return `${type}:${name}`;
}

export function partsOf(key: string): { type: string; name: string } {
  const cut = key.indexOf(':');
  return { type: key.slice(0, cut), name: key.slice(cut + 1) };
}

export function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
