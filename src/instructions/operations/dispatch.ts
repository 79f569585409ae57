import * as z from 'zod';
import { CairnError, toCairnError } from '../../errors.ts';
import { fold, nearest } from '../../operations/names.ts';
import type { Context } from '../../operations/operation.ts';
import { operation } from '../../operations/operation.ts';
import { actions } from './actions.ts';
import { given as existing } from './shape.ts';

const MAX_BATCH = 100;
const byFoldedName = new Map(Object.entries(actions).map(([action, name]) => [fold(action), name]));

/**
 * S1's one door to the catalog: an action and its parameters side by side. It only finds the operation; the gate, the
 * schema and the audit are those of the operation itself.
 */
export const dispatch = operation({
  name: 'instructions_dispatch',
  description:
    "The team's instructions: how we work. {action: 'search', q} finds them, {action: 'get', id} reads one, {action: 'add', entry} writes one; also list, query, diff, governanceHash, inspect, groom and more ({action: 'capabilities'}), and batch with operations.",
  family: 'instructions',
  toolsets: ['core', 'instructions'],
  spellings: ['instructions/dispatch'],
  capability: 'read',
  // What it runs may write; then that operation is asked whether it may.
  writes: false,
  kind: 'composite',
  rest: 'Ask with limit and offset, or go on with the cursor.',
  // S1 puts the parameters of an action beside it, so this schema alone stays open; the operation checks them.
  input: z.looseObject({
    action: z.string().min(1).max(60).describe('list, get, search, query, add, remove…'),
    params: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Parameters of the action; they may also stand beside it.'),
  }),
  output: z.record(z.string(), z.unknown()),
  example: { given: existing, input: { action: 'search', q: 'small change', limit: 5 } },
  async run({ action, params, ...beside }, context) {
    const given = { ...beside, ...params };
    if (fold(action) === 'batch') return batch(given, context);
    return (await context.call(operationOf(action), given)) as Record<string, unknown>;
  },
});

function operationOf(action: string): string {
  const name = byFoldedName.get(fold(action));
  if (name !== undefined) return name;
  const near = nearest(action, byFoldedName.keys());
  throw new CairnError('unknown_operation', `Unknown action: ${action}`, {
    action,
    nearest: near,
    suggestion: near.length > 0 ? `Did you mean ${near.join(', ')}?` : 'See {"action":"capabilities"}.',
  });
}

const batchShape = z.strictObject({ operations: z.array(z.record(z.string(), z.unknown())).min(1).max(MAX_BATCH) });

/** Each on its own: one that fails says so in its place, and the others go on. */
async function batch(params: Record<string, unknown>, context: Context) {
  const parsed = batchShape.safeParse(params);
  if (!parsed.success) {
    throw new CairnError(
      'invalid_params',
      `batch needs operations: a list of 1 to ${MAX_BATCH} objects with an action`,
    );
  }
  const results: unknown[] = [];
  for (const { action, params: inner, ...beside } of parsed.data.operations) {
    try {
      if (typeof action !== 'string' || fold(action) === 'batch')
        throw new CairnError('invalid_params', 'Each operation needs an action, and none may be batch');
      results.push(await context.call(operationOf(action), { ...beside, ...(typeof inner === 'object' ? inner : {}) }));
    } catch (thrown) {
      const { code, message, data } = toCairnError(thrown);
      results.push({ error: { code, message, data } });
    }
    context.progress({ done: results.length, total: parsed.data.operations.length });
  }
  return { results };
}
