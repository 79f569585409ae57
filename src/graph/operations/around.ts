/** What lies around one document, in both directions. */
import { DEFAULT_NAMESPACE } from '../../decisions/record.ts';
import type { Context } from '../../operations/operation.ts';
import type { DocumentRecord } from '../../store/documents.ts';
import { neighbours } from '../graph.ts';
import { documentNode } from '../places.ts';
import { type Reached, traverse } from '../traverse.ts';
import { inGraph } from './shape.ts';

export async function nodesAround(
  context: Context,
  document: DocumentRecord,
  depth: number,
  limit: number,
): Promise<readonly Reached[]> {
  const { answer } = await inGraph(context, DEFAULT_NAMESPACE, (world) =>
    traverse(
      documentNode(document),
      (node, direction) => neighbours(world, node, direction, (relation) => relation !== 'category'),
      { directions: ['in', 'out'], depth, limit, resolvedOnly: true },
    ),
  );
  return answer.nodes;
}
