import * as z from 'zod';
import { CairnError } from '../../errors.ts';
import { operation } from '../../operations/operation.ts';
import type { DocumentShelf } from '../../store/documents.ts';
import { meant, notFound } from '../find.ts';
import {
  countsByType,
  documentNode,
  type GraphNode,
  isNodeType,
  nodeOf,
  nodesOfType,
  nodeTypes,
  traverse,
  unknownType,
} from '../graph.ts';
import { collection, documentRead, given, hash, path } from './shape.ts';

export const nodeShape = z.object({
  key: z.string(),
  type: z.enum(nodeTypes),
  label: z.string(),
  collection: z.string(),
  path: z.string().optional(),
  hash: z.string().optional(),
  depth: z.number().describe('Steps from the origin.'),
});
const relations = ['CONTAINS'];

const input = z.strictObject({
  hash: hash.optional(),
  name: path.optional().describe('Path of a document, or its end where that is unique.'),
  collection: collection.optional(),
  node_key: z.string().min(1).max(5000).optional().describe('Key of a node, as an answer gives it.'),
  list_types: z.boolean().default(false).describe('Types of nodes, with how many there are of each.'),
  list_type: z.string().max(50).optional().describe('All nodes of this type.'),
  relation: z.string().max(50).optional().describe('Only edges of this kind.'),
  depth: z.int().min(1).max(5).default(1),
  limit: z.int().min(1).max(1000).default(100),
  reverse: z.boolean().default(false).describe('Follow edges backwards.'),
});

export const graph = operation({
  ...documentRead,
  name: 'graph',
  description:
    'What a document, folder or collection is connected with. So far: which collection and folder contains what.',
  positional: ['name'],
  rest: 'Ask with a smaller limit or depth.',
  input,
  output: z.object({
    origin: nodeShape.optional(),
    nodes: z.array(nodeShape).optional(),
    edges: z.array(z.object({ source: z.string(), target: z.string(), relation: z.string() })).optional(),
    types: z.array(z.object({ type: z.string(), count: z.number() })).optional(),
    relations: z.array(z.string()).describe('Kinds of edges that are known.'),
    truncated: z.boolean().optional(),
  }),
  example: { given, input: { node_key: 'collection:default', depth: 2 } },
  async run({ list_types, list_type, relation, depth, limit, reverse, node_key, ...which }, context) {
    return context.read(async ({ documents }) => {
      if (list_types) return { types: await countsByType(documents), relations };
      if (list_type !== undefined) return { ...(await listed(documents, list_type, limit)), relations };
      const origin = node_key === undefined ? await documentMeant(documents, which) : await nodeOf(documents, node_key);
      if (origin === undefined) throw notFound(node_key ?? which.name ?? which.hash ?? '');
      if (relation !== undefined && !relations.includes(relation.toUpperCase()))
        return { origin, nodes: [], edges: [], relations };
      const direction = reverse ? 'in' : 'out';
      const { truncated, ...found } = await traverse(documents, origin, { direction, depth, limit });
      return { origin, ...found, relations, ...(truncated && { truncated }) };
    });
  },
});

async function listed(documents: DocumentShelf, type: string, limit: number) {
  if (!isNodeType(type)) throw unknownType(type);
  const nodes: GraphNode[] = [];
  for await (const node of nodesOfType(documents, type)) {
    if (nodes.length === limit) return { nodes, truncated: true };
    nodes.push(node);
  }
  return { nodes };
}

async function documentMeant(
  documents: DocumentShelf,
  which: { hash?: string | undefined; name?: string | undefined; collection?: string | undefined },
): Promise<GraphNode | undefined> {
  if (which.hash === undefined && which.name === undefined)
    throw new CairnError('validation_failed', 'Say where to begin: hash, name or node_key; or ask for list_types');
  const [found] = await meant(documents, which);
  return found && documentNode(found);
}
