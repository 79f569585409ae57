/**
 * Documents as a graph: collections hold folders, folders hold folders and documents. Derived from the paths when asked for,
 * so it is never out of date; each neighbour costs one look into the index of paths, however large a folder is.
 */
import { CairnError } from '../errors.ts';
import type { DocumentRecord, DocumentShelf } from '../store/documents.ts';

export const nodeTypes = ['collection', 'folder', 'document'] as const;
export type NodeType = (typeof nodeTypes)[number];

export interface GraphNode {
  /** `document:COLLECTION/PATH`, `folder:COLLECTION/PATH`, `collection:NAME`. */
  readonly key: string;
  readonly type: NodeType;
  readonly label: string;
  readonly collection: string;
  readonly path?: string;
  readonly hash?: string;
  /** Steps from where the search began. */
  readonly depth: number;
}

export interface GraphEdge {
  readonly source: string;
  readonly target: string;
  readonly relation: 'CONTAINS';
}

export interface Traversal {
  readonly direction: 'out' | 'in' | 'both';
  readonly depth: number;
  readonly limit: number;
}

export function documentNode({ collection, path, hash }: DocumentRecord, depth = 0): GraphNode {
  return {
    key: `document:${collection}/${path}`,
    type: 'document',
    label: baseOf(path),
    collection,
    path,
    hash,
    depth,
  };
}

function folderNode(collection: string, path: string, depth: number): GraphNode {
  return { key: `folder:${collection}/${path}`, type: 'folder', label: baseOf(path), collection, path, depth };
}

function collectionNode(collection: string, depth: number): GraphNode {
  return { key: `collection:${collection}`, type: 'collection', label: collection, collection, depth };
}

export async function nodeOf(documents: DocumentShelf, key: string): Promise<GraphNode | undefined> {
  const [, type, collection = '', path] = /^(collection|folder|document):([^/]+)(?:\/(.+))?$/s.exec(key) ?? [];
  if (type === 'document' && path !== undefined) {
    const found = await documents.at(collection, path);
    return found && documentNode(found);
  }
  const below = type === 'folder' && path !== undefined ? `${path}/` : '';
  const [first] = type === undefined ? [] : await documents.page(collection, below, 1);
  if (first === undefined || !first.path.startsWith(below)) return undefined;
  return below === '' ? collectionNode(collection, 0) : folderNode(collection, path ?? '', 0);
}

/** Breadth first; each node once, the nearest way. */
export async function traverse(documents: DocumentShelf, from: GraphNode, { direction, depth, limit }: Traversal) {
  const nodes = new Map<string, GraphNode>();
  const edges: GraphEdge[] = [];
  let truncated = false;
  for (let ring = [from], distance = 1; ring.length > 0 && distance <= depth; distance++) {
    const next: GraphNode[] = [];
    for (const node of ring) {
      for await (const { neighbour, edge } of neighbours(documents, node, direction, distance)) {
        if (neighbour.key === from.key || nodes.has(neighbour.key)) continue;
        truncated = nodes.size >= limit;
        if (truncated) return { nodes: [...nodes.values()], edges, truncated };
        nodes.set(neighbour.key, neighbour);
        edges.push(edge);
        next.push(neighbour);
      }
    }
    ring = next;
  }
  return { nodes: [...nodes.values()], edges, truncated };
}

async function* neighbours(
  documents: DocumentShelf,
  node: GraphNode,
  direction: Traversal['direction'],
  depth: number,
) {
  const parent = direction === 'out' ? undefined : parentOf(node, depth);
  if (parent !== undefined) yield { neighbour: parent, edge: contains(parent, node) };
  if (direction === 'in') return;
  for await (const child of childrenOf(documents, node, depth)) yield { neighbour: child, edge: contains(node, child) };
}

function contains(source: GraphNode, target: GraphNode): GraphEdge {
  return { source: source.key, target: target.key, relation: 'CONTAINS' };
}

function parentOf({ type, collection, path = '' }: GraphNode, depth: number): GraphNode | undefined {
  if (type === 'collection') return undefined;
  const cut = path.lastIndexOf('/');
  return cut < 0 ? collectionNode(collection, depth) : folderNode(collection, path.slice(0, cut), depth);
}

const BEHIND_ALL = '\u{10ffff}';

async function* childrenOf(documents: DocumentShelf, { type, collection, path }: GraphNode, depth: number) {
  if (type === 'document') return;
  const prefix = type === 'folder' ? `${path}/` : '';
  for (let after = prefix; ; ) {
    const [found] = await documents.page(collection, after, 1);
    if (found === undefined || !found.path.startsWith(prefix)) return;
    const rest = found.path.slice(prefix.length);
    const cut = rest.indexOf('/');
    const child = cut < 0 ? documentNode(found, depth) : folderNode(collection, prefix + rest.slice(0, cut), depth);
    yield child;
    // A folder is passed over as a whole, whatever is in it.
    after = cut < 0 ? found.path : `${child.path}/${BEHIND_ALL}`;
  }
}

/** Every node of a type, in the order of their paths. Folders show between the paths of two neighbours. */
export async function* nodesOfType(documents: DocumentShelf, type: NodeType): AsyncGenerator<GraphNode> {
  for (const { collection } of await documents.collections()) {
    if (type === 'collection') yield collectionNode(collection, 0);
    else yield* nodesIn(documents, collection, type);
  }
}

const PAGE = 2000;

async function* nodesIn(documents: DocumentShelf, collection: string, type: 'folder' | 'document') {
  let open: string[] = [];
  for (let after = '', more = true; more; ) {
    const page = await documents.page(collection, after, PAGE);
    for (const document of page) {
      if (type === 'document') yield documentNode(document);
      else {
        const folders = document.path.split('/').slice(0, -1);
        const known = folders.findIndex((name, at) => open[at] !== name);
        for (let at = known < 0 ? folders.length : known; at < folders.length; at++)
          yield folderNode(collection, folders.slice(0, at + 1).join('/'), 0);
        open = folders;
      }
    }
    after = page.at(-1)?.path ?? '';
    more = page.length === PAGE;
  }
}

export async function countsByType(documents: DocumentShelf): Promise<{ type: NodeType; count: number }[]> {
  let folders = 0;
  for await (const _ of nodesOfType(documents, 'folder')) folders++;
  return [
    { type: 'collection', count: (await documents.collections()).length },
    { type: 'folder', count: folders },
    { type: 'document', count: await documents.count({}) },
  ];
}

export function isNodeType(type: string): type is NodeType {
  return nodeTypes.some((known) => known === type);
}

export function unknownType(type: string): CairnError {
  return new CairnError('validation_failed', `No nodes are of type ${type}`, {
    suggestion: `Types are ${nodeTypes.join(', ')}.`,
  });
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
