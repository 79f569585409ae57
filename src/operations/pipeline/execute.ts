import * as z from 'zod';
import { CairnError, toCairnError } from '../../errors.ts';
import { type Context, operation } from '../operation.ts';
import { refused } from '../surface.ts';

const item = z.strictObject({
  op: z.string().min(1).max(100).describe('Name of a write operation.'),
  params: z.record(z.string(), z.unknown()).describe('Its arguments.'),
});
type Item = z.infer<typeof item>;

export const execute = operation({
  name: 'execute',
  description:
    'Writes: runs write operations in order, each whole or not at all, and stops at the first error unless continueOnError. {"steps":[{"op":"describe"}]} in query lists them.',
  family: 'documents',
  toolsets: ['core', 'documents'],
  capability: 'write',
  writes: true,
  destructive: true,
  kind: 'composite',
  input: z.strictObject({
    operations: z.array(item).min(1).max(100),
    continueOnError: z.boolean().default(false),
  }),
  output: z.object({
    results: z.array(z.record(z.string(), z.unknown())),
    totalOps: z.number(),
    succeeded: z.number(),
    failed: z.number(),
    notRun: z.number().optional().describe('Operations after the one that failed.'),
  }),
  example: {
    input: {
      operations: [
        {
          op: 'feedback_submit',
          params: { type: 'other', severity: 'low', title: 'Hello', description: 'A first note.' },
        },
      ],
    },
  },
  async run({ operations, continueOnError }, context) {
    for (const [index, each] of operations.entries()) await validate(each, index, context);
    const results: Record<string, unknown>[] = [];
    let failed = 0;
    for (const { op, params } of operations) {
      try {
        const result = (await context.call(op, params)) as Record<string, unknown>;
        const success = !refused(context.surface.resolve(op), result);
        results.push({ ...result, op, success });
        if (!success) failed++;
        if (!success && !continueOnError) break;
      } catch (thrown) {
        const { code, message, data } = toCairnError(thrown);
        results.push({ op, success: false, error: message, code, data });
        failed++;
        if (!continueOnError) break;
      }
      context.progress({ done: results.length, total: operations.length, message: op });
    }
    const notRun = operations.length - results.length;
    return {
      results,
      totalOps: operations.length,
      succeeded: results.length - failed,
      failed,
      ...(notRun > 0 && { notRun }),
    };
  },
});

/** Names are checked before anything is written; arguments when their turn comes, as S4's per-operation results want. */
async function validate({ op }: Item, index: number, context: Context): Promise<void> {
  const entry = context.surface.resolve(op);
  if (entry.kind !== 'composite' && entry.writes) return;
  const reason = entry.writes ? 'it cannot be part of another' : 'it only reads: use query';
  throw new CairnError('invalid_params', `Operation ${index}: ${entry.name} cannot run inside execute, ${reason}`, {
    method: 'execute',
    operationIndex: index,
  });
}
