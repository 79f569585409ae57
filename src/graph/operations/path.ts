import * as z from 'zod';
import { namespace } from '../../decisions/operations/shape.ts';
import { collection, documentRead } from '../../documents/operations/shape.ts';
import { operation } from '../../operations/operation.ts';
import { neighbours } from '../graph.ts';
import type { Direction, GraphNode, Step } from '../node.ts';
import { shortestPath } from '../path.ts';
import type { Wanted, World } from '../world.ts';
import { nodeNamed, relationMeant } from './meant.ts';
import { edgeShape, nodeShape } from './node-shape.ts';
import { inGraph, nodeKeyGiven, pending, relation, saysPending } from './shape.ts';

const MOST_NODES = 5000;

export const graphPath = operation({
  ...documentRead,
  name: 'graph_path',
  description:
    'The shortest way between two nodes of the graph, such as from a document to the one it reaches through imports, or from a decision to the code it is about.',
  positional: ['from', 'to'],
  input: z.strictObject({
    from: nodeKeyGiven.describe(
      'Key of a node, path of a document, name of a symbol, id of an instruction or decision.',
    ),
    to: nodeKeyGiven,
    collection: collection.optional().describe('Where documents and symbols are looked for.'),
    namespace,
    relation: relation.optional(),
    directed: z.boolean().default(false).describe('Follow edges in their own direction only.'),
    max_length: z.int().min(1).max(20).default(8),
  }),
  output: z.object({
    from: nodeShape,
    to: nodeShape,
    found: z.boolean(),
    length: z.number().optional(),
    nodes: z.array(nodeShape).describe('The way, both ends included.'),
    edges: z.array(edgeShape),
    visited: z.number().describe('How many nodes were looked at.'),
    gave_up: z.string().optional().describe('Why there may be a way although none was found.'),
    pending,
  }),
  example: {
    given: [
      { op: 'add', params: { name: 'src/store.ts', content: 'export function open() {}\n' } },
      { op: 'add', params: { name: 'src/main.ts', content: "import { open } from './store.ts';\n\nopen();\n" } },
    ],
    input: { from: 'src/main.ts', to: 'src/store.ts', directed: true },
  },
  async run({ from, to, collection: within, namespace: partition, relation: only, directed, max_length }, context) {
    const { answer, pending: unread } = await inGraph(context, partition, async (world) => {
      const ends = [await nodeNamed(world, from, within), await nodeNamed(world, to, within)] as const;
      const beside = connections(world, ends, only);
      const way = await shortestPath(...ends, beside, { directed, maxLength: max_length, maxNodes: MOST_NODES });
      return { ends, way, exhausted: world.effort.exhausted };
    });
    const { ends, way, exhausted } = answer;
    const gaveUp = way.gaveUp ?? (exhausted ? 'Too many files share a name with one on the way' : undefined);
    return {
      from: ends[0],
      to: ends[1],
      found: way.found !== undefined,
      ...(way.found !== undefined && { length: way.found.edges.length }),
      nodes: way.found?.nodes ?? [],
      edges: way.found?.edges ?? [],
      visited: way.visited,
      ...(way.found === undefined && gaveUp !== undefined && { gave_up: gaveUp }),
      ...saysPending(unread),
    };
  },
});

/**
 * Lying in the same folder, or using the same package, connects everything with everything: neither is a way, unless an end is a
 * place itself or the relation is asked for.
 */
function connections(world: World, ends: readonly GraphNode[], only: string | undefined) {
  const meant = only === undefined ? undefined : relationMeant(only);
  const throughPlaces = meant === 'CONTAINS' || ends.some(isPlace);
  const wanted: Wanted = (each) => (meant === undefined ? each !== 'category' : each === meant);
  return async function* (node: GraphNode, direction: Direction): AsyncGenerator<Step> {
    for await (const step of neighbours(world, node, direction, wanted)) {
      if (step.node.type === 'unresolved') continue;
      if (throughPlaces || !isPlace(step.node)) yield step;
    }
  };
}

function isPlace({ type }: GraphNode): boolean {
  return type === 'folder' || type === 'collection';
}
