/**
 * Collections hold folders, folders hold folders and documents. Derived from the paths when asked for, so it is never out of
 * date; each neighbour costs one look into the index of paths, however large a folder is.
 */
import type { DocumentRecord, DocumentShelf } from '../store/documents.ts';
import { baseOf, type Direction, type GraphEdge, type GraphNode, nodeKey, type Step } from './node.ts';
import type { Wanted, World } from './world.ts';

export function documentNode({
  collection,
  path,
  hash,
}: Pick<DocumentRecord, 'collection' | 'path' | 'hash'>): GraphNode {
  return {
    key: nodeKey('document', `${collection}/${path}`),
    type: 'document',
    label: baseOf(path),
    collection,
    path,
    hash,
  };
}

function folderNode(collection: string, path: string): GraphNode {
  return { key: nodeKey('folder', `${collection}/${path}`), type: 'folder', label: baseOf(path), collection, path };
}

function collectionNode(collection: string): GraphNode {
  return { key: nodeKey('collection', collection), type: 'collection', label: collection, collection };
}

/** `name` is what follows the type in the key. */
export async function placeNamed(
  documents: DocumentShelf,
  type: 'collection' | 'folder' | 'document',
  name: string,
): Promise<GraphNode | undefined> {
  const [, collection = '', path] = /^([^/]+)(?:\/(.+))?$/s.exec(name) ?? [];
  if (type === 'document') {
    const found = path === undefined ? undefined : await documents.at(collection, path);
    return found && documentNode(found);
  }
  const below = type === 'folder' && path !== undefined ? `${path}/` : '';
  if ((type === 'folder') !== (below !== '')) return undefined;
  const [first] = await documents.page(collection, below, 1);
  if (first === undefined || !first.path.startsWith(below)) return undefined;
  return below === '' ? collectionNode(collection) : folderNode(collection, path ?? '');
}

export async function* placesBeside(
  { documents }: World,
  node: GraphNode,
  direction: Direction,
  wanted: Wanted,
): AsyncGenerator<Step> {
  if (!wanted('CONTAINS')) return;
  if (direction === 'in') {
    const parent = parentOf(node);
    if (parent !== undefined) yield { node: parent, edge: contains(parent, node) };
  } else for await (const child of childrenOf(documents, node)) yield { node: child, edge: contains(node, child) };
}

function contains(source: GraphNode, target: GraphNode): GraphEdge {
  return { source: source.key, target: target.key, relation: 'CONTAINS' };
}

function parentOf({ type, collection = '', path = '' }: GraphNode): GraphNode | undefined {
  if (type === 'collection') return undefined;
  const cut = path.lastIndexOf('/');
  return cut < 0 ? collectionNode(collection) : folderNode(collection, path.slice(0, cut));
}

const BEHIND_ALL = '\u{10ffff}';

async function* childrenOf(documents: DocumentShelf, { type, collection = '', path }: GraphNode) {
  if (type === 'document') return;
  const prefix = type === 'folder' ? `${path}/` : '';
  for (let after = prefix; ; ) {
    const [found] = await documents.page(collection, after, 1);
    if (found === undefined || !found.path.startsWith(prefix)) return;
    const rest = found.path.slice(prefix.length);
    const cut = rest.indexOf('/');
    const child = cut < 0 ? documentNode(found) : folderNode(collection, prefix + rest.slice(0, cut));
    yield child;
    // A folder is passed over as a whole, whatever is in it.
    after = cut < 0 ? found.path : `${child.path}/${BEHIND_ALL}`;
  }
}

const PAGE = 2000;

/** The documents of a folder or collection, however deep. */
export async function* documentsBelow(documents: DocumentShelf, { type, collection = '', path }: GraphNode) {
  const prefix = type === 'folder' ? `${path}/` : '';
  for (let after = prefix; ; ) {
    const page = await documents.page(collection, after, PAGE);
    for (const document of page) {
      if (!document.path.startsWith(prefix)) return;
      yield documentNode(document);
    }
    if (page.length < PAGE) return;
    after = page.at(-1)?.path ?? '';
  }
}

/** Every node of a type, in the order of their paths. Folders show between the paths of two neighbours. */
export async function* placesOfType(
  documents: DocumentShelf,
  type: 'collection' | 'folder' | 'document',
): AsyncGenerator<GraphNode> {
  for (const { collection } of await documents.collections()) {
    const whole = collectionNode(collection);
    if (type === 'collection') yield whole;
    else if (type === 'document') yield* documentsBelow(documents, whole);
    else yield* foldersIn(documents, whole);
  }
}

async function* foldersIn(documents: DocumentShelf, collection: GraphNode) {
  let open: string[] = [];
  for await (const { path = '' } of documentsBelow(documents, collection)) {
    const folders = path.split('/').slice(0, -1);
    const known = folders.findIndex((name, at) => open[at] !== name);
    for (let at = known < 0 ? folders.length : known; at < folders.length; at++)
      yield folderNode(collection.label, folders.slice(0, at + 1).join('/'));
    open = folders;
  }
}
