import * as z from 'zod';
import { CairnError, toCairnError } from '../../errors.ts';
import { type Context, operation } from '../operation.ts';
import { refersToPrevious, substitute } from './reference.ts';

const step = z.strictObject({
  op: z.string().min(1).max(100).describe('Name of a read operation.'),
  params: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Its arguments; "$prev.field[0].sub" refers to the result before.'),
});
type Step = z.infer<typeof step>;

export const query = operation({
  name: 'query',
  description:
    'Reads: runs one or more read operations in order, each able to use the result of the one before as $prev. Start with {"steps":[{"op":"describe"}]} to see what there is; describe with a target gives parameters and an example.',
  family: 'documents',
  toolsets: ['core', 'documents'],
  capability: 'read',
  writes: false,
  kind: 'composite',
  rest: 'Ask for less in each step (limit, offset), or one step at a time.',
  input: z.strictObject({ steps: z.array(step).min(1).max(50) }),
  output: z.record(z.string(), z.unknown()),
  example: { input: { steps: [{ op: 'describe', params: { target: 'query' } }] } },
  async run({ steps }, context) {
    for (const [index, each] of steps.entries()) await validate(each, index, context);
    const [only] = steps;
    if (steps.length === 1 && only !== undefined) {
      return (await context.call(only.op, substitute(only.params ?? {}, {}))) as Record<string, unknown>;
    }
    return runAll(steps, context);
  },
});

/** Every step is checked before any runs; arguments that depend on a result are checked when it is there. */
async function validate({ op, params }: Step, index: number, context: Context): Promise<void> {
  const entry = context.surface.resolve(op);
  if (entry.kind === 'composite' || entry.writes) {
    const reason = entry.writes ? 'it writes: use execute' : 'it cannot be a step of another';
    throw new CairnError('invalid_params', `Step ${index}: ${entry.name} cannot run inside query, ${reason}`, {
      method: 'query',
      stepIndex: index,
    });
  }
  if (!refersToPrevious(params)) await context.check(op, substitute(params ?? {}, {}));
}

async function runAll(steps: readonly Step[], context: Context) {
  const done: Record<string, unknown>[] = [];
  let previous: unknown = {};
  for (const [stepIndex, { op, params }] of steps.entries()) {
    try {
      previous = await context.call(op, substitute(params ?? {}, previous));
      done.push({ stepIndex, op, result: previous });
    } catch (thrown) {
      const { code, message, data } = toCairnError(thrown);
      done.push({ stepIndex, op, error: { code, message, data } });
      return { steps: done, totalSteps: steps.length, completedSteps: stepIndex };
    }
    context.progress({ done: stepIndex + 1, total: steps.length, message: op });
  }
  return { steps: done, totalSteps: steps.length, completedSteps: steps.length };
}
