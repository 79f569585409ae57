import * as z from 'zod';
import { namespace } from '../../decisions/operations/shape.ts';
import { collection, documentRead, hash, path } from '../../documents/operations/shape.ts';
import { operation } from '../../operations/operation.ts';
import { documentsIn, impactOf } from '../impact.ts';
import { nodeMeant } from './meant.ts';
import { edgeShape, nodeShape } from './node-shape.ts';
import { inGraph, nodeKeyGiven, pending, saysPending } from './shape.ts';

export const graphImpact = operation({
  ...documentRead,
  name: 'graph_impact',
  description:
    'What depends on a document, symbol, folder, instruction or decision, directly and through others, with the chain of edges that makes it so. Ask before you change something.',
  positional: ['name'],
  rest: 'Ask with a smaller limit or depth.',
  input: z.strictObject({
    name: path.optional().describe('Path of a document, name of a symbol, id of an instruction or decision.'),
    hash: hash.optional(),
    collection: collection.optional(),
    node_key: nodeKeyGiven.optional().describe('Key of a node, as an answer gives it.'),
    namespace,
    depth: z.int().min(1).max(10).default(3).describe('How many steps away.'),
    limit: z.int().min(1).max(1000).default(50),
  }),
  output: z.object({
    origin: nodeShape,
    dependants: z.array(
      nodeShape.extend({
        distance: z.number(),
        why: z.array(edgeShape).describe('From it to the origin, step by step.'),
      }),
    ),
    total: z.number(),
    documents: z.array(z.string()).describe('Documents that are affected.'),
    truncated: z.boolean().optional(),
    pending,
  }),
  example: {
    given: [
      { op: 'add', params: { name: 'src/store.ts', content: 'export function open() {}\n' } },
      {
        op: 'add',
        params: { name: 'src/main.ts', content: "import { open } from './store.ts';\n\nopen();\n" },
      },
    ],
    input: { name: 'src/store.ts' },
  },
  async run({ depth, limit, namespace: partition, ...which }, context) {
    const { answer, pending: unread } = await inGraph(context, partition, async (world) => {
      const origin = await nodeMeant(world, which);
      return { origin, ...(await impactOf(world, origin, { depth, limit })) };
    });
    const { origin, dependants, truncated } = answer;
    return {
      origin,
      dependants: dependants.map(({ node, distance, path: why }) => ({ ...node, distance, why })),
      total: dependants.length,
      documents: documentsIn(dependants),
      ...(truncated && { truncated: true }),
      ...saysPending(unread),
    };
  },
});
