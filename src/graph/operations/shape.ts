/** What the operations on the graph share: their parameters, and the graph as it is now. */
import * as z from 'zod';
import { currentLedger } from '../../decisions/operations/shape.ts';
import { followed } from '../../documents/follow.ts';
import { lettersOf } from '../../documents/letters.ts';
import { viewCatalog } from '../../instructions/operations/view.ts';
import type { Context } from '../../operations/operation.ts';
import { worldOf } from '../graph.ts';
import { relations } from '../node.ts';
import { outlined } from '../outlining.ts';
import type { World } from '../world.ts';

export const pending = z.number().optional().describe('Documents that are not read yet: edges may be missing.');
export const nodeKeyGiven = z.string().min(1).max(5000);

/** Which relation a caller means, whatever its case. */
export const relation = z
  .string()
  .max(50)
  .describe(`Only edges of this kind: ${relations.join(', ')}; any case.`);

/** How long an answer waits for documents that were added a moment ago, and for their outlines. */
const PATIENCE_MS = 2000;
const OUTLINE_PATIENCE_MS = 5000;

/** The graph of everything that was written until now, as far as it can be had in good time. */
export async function inGraph<T>(
  context: Context,
  namespace: string,
  work: (world: World) => Promise<T>,
): Promise<{ answer: T; pending: number }> {
  const { store, workers, log } = context;
  await viewCatalog(context);
  await currentLedger(context);
  const behind = await followed(context, PATIENCE_MS);
  const unread = await outlined({ store, workers, log, decode: lettersOf }, OUTLINE_PATIENCE_MS);
  const answer = await context.read(async (view) => work(await worldOf(store, view, namespace)));
  return { answer, pending: behind.pending + unread.pending };
}

export function saysPending(count: number): { pending?: number } {
  return count > 0 ? { pending: count } : {};
}
