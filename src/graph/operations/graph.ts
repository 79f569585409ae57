import * as z from 'zod';
import { namespace } from '../../decisions/operations/shape.ts';
import { collection, documentRead, given, hash, path } from '../../documents/operations/shape.ts';
import { CairnError } from '../../errors.ts';
import { operation } from '../../operations/operation.ts';
import { countsByType, isNodeType, neighbours, nodesOfType } from '../graph.ts';
import { nodeTypes, relations } from '../node.ts';
import { drawn, formats } from '../render.ts';
import { traverse } from '../traverse.ts';
import type { Wanted, World } from '../world.ts';
import { nodeMeant, relationMeant } from './meant.ts';
import { edgeShape, reachedShape } from './node-shape.ts';
import { inGraph, nodeKeyGiven, pending, relation, saysPending } from './shape.ts';

const input = z.strictObject({
  hash: hash.optional(),
  name: path
    .optional()
    .describe('Path of a document or the end of one, name of a symbol (Store.open), id of an instruction or decision.'),
  collection: collection.optional(),
  node_key: nodeKeyGiven.optional().describe('Key of a node, as an answer gives it.'),
  list_types: z.boolean().default(false).describe('Types of nodes, with how many there are of each.'),
  list_type: z.string().max(50).optional().describe('All nodes of this type.'),
  namespace,
  relation: relation.optional(),
  depth: z.int().min(1).max(5).default(1),
  limit: z.int().min(1).max(1000).default(100),
  offset: z.int().min(0).max(10_000_000).default(0).describe('With list_type: how many to pass over.'),
  reverse: z.boolean().default(false).describe('Follow edges backwards: who uses, calls, contains, mentions it.'),
  resolved_only: z.boolean().default(false).describe('Leave out imports and calls of what the store does not hold.'),
  format: z.enum(formats).default('json').describe('dot and mermaid answer with a drawing instead of nodes and edges.'),
});
type Input = z.infer<typeof input>;

export const graph = operation({
  ...documentRead,
  name: 'graph',
  description:
    'What a document, symbol, folder, instruction, decision, target or event is connected with: what it contains, defines, imports, calls, inherits, mentions or replaces; reverse for who does so with it.',
  positional: ['name'],
  rest: 'Ask with a smaller limit or depth, or go on with offset.',
  input,
  output: z.object({
    origin: reachedShape.optional(),
    nodes: z.array(reachedShape).optional(),
    edges: z.array(edgeShape).optional(),
    types: z.array(z.object({ type: z.string(), count: z.number() })).optional(),
    relations: z.array(z.string()).describe('Kinds of edges that are known.'),
    truncated: z.boolean().optional(),
    next_offset: z.number().optional().describe('Where the rest of a list_type begins.'),
    pending,
    format: z.string().optional(),
    dot: z.string().optional(),
    mermaid: z.string().optional(),
  }),
  example: { given, input: { node_key: 'collection:default', depth: 2 } },
  async run(wanted, context) {
    const { answer, pending: unread } = await inGraph(context, wanted.namespace, (world) => answerTo(world, wanted));
    return { ...answer, relations: [...relations], ...saysPending(unread) };
  },
});

async function answerTo(world: World, wanted: Input) {
  const { list_types, list_type, limit, offset, format } = wanted;
  if (list_types) return { types: await countsByType(world) };
  if (list_type !== undefined) return listed(world, list_type, limit, offset);
  const origin = { ...(await nodeMeant(world, wanted)), depth: 0 };
  const fits = wantedBy(wanted.relation);
  const beside = (node: Parameters<typeof neighbours>[1], direction: 'in' | 'out') =>
    neighbours(world, node, direction, fits);
  const { nodes, edges, truncated } = await traverse(origin, beside, {
    directions: [wanted.reverse ? 'in' : 'out'],
    depth: wanted.depth,
    limit,
    resolvedOnly: wanted.resolved_only,
  });
  const cut = truncated || world.effort.exhausted ? { truncated: true } : {};
  if (format === 'json') return { origin, nodes, edges, ...cut };
  return { origin, format, [format]: drawn({ nodes: [origin, ...nodes], edges }, format), ...cut };
}

/** Every two of a category are many edges that say little: they are shown to whoever asks for them. */
function wantedBy(given: string | undefined): Wanted {
  if (given === undefined) return (each) => each !== 'category';
  const only = relationMeant(given);
  return (each) => each === only;
}

async function listed(world: World, type: string, limit: number, offset: number) {
  if (!isNodeType(type))
    throw new CairnError('validation_failed', `No nodes are of type ${type}`, {
      suggestion: `Types are ${nodeTypes.join(', ')}.`,
    });
  const found = await nodesOfType(world, type, limit + 1, offset);
  const nodes = found.slice(0, limit).map((node) => ({ ...node, depth: 0 }));
  return { nodes, ...(found.length > limit && { truncated: true, next_offset: offset + limit }) };
}
