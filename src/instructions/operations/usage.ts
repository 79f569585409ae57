import * as z from 'zod';
import { CairnError } from '../../errors.ts';
import type { Context } from '../../operations/operation.ts';
import { operation } from '../../operations/operation.ts';
import { usageOf } from '../usage.ts';
import { given } from './shape.ts';
import { viewCatalog } from './view.ts';

const counts = { family: 'usage', toolsets: ['instructions'], capability: 'read', writes: true } as const;

const trackInput = z.strictObject({
  id: z.string().min(1).max(200).optional().describe('The instruction that was used.'),
  instructionId: z.string().min(1).max(200).optional().describe('The same, under its other documented name.'),
  context: z
    .strictObject({
      userId: z.string().max(200).optional(),
      workspaceId: z.string().max(200).optional(),
      sessionId: z.string().max(200).optional(),
      timestamp: z.string().max(200).optional(),
    })
    .optional(),
  metrics: z
    .strictObject({
      executionTime: z.number().optional(),
      success: z.boolean().optional(),
      errorCode: z.string().max(200).optional(),
    })
    .optional(),
});
type Track = z.infer<typeof trackInput>;

const tracked = z.object({
  id: z.string().optional(),
  usageCount: z.number().optional(),
  firstSeenTs: z.string().optional(),
  lastUsedAt: z.string().optional(),
  rateLimited: z.boolean().optional(),
  notFound: z.boolean().optional(),
  tracked: z.boolean().optional(),
  sessionId: z.string().optional(),
  aggregatedCount: z.number().optional(),
});

export const track = operation({
  ...counts,
  name: 'usage_track',
  description:
    'Counts one use of an instruction. Call it when an instruction was followed, not when it was merely read.',
  spellings: ['usage/track'],
  positional: ['id'],
  input: trackInput,
  output: tracked,
  example: { given, input: { id: 'review-small' } },
  async run(input, context) {
    return trackOne(context, input);
  },
});

export const trackBatch = operation({
  ...counts,
  name: 'usage_track_batch',
  description: 'Counts uses of several instructions in one call.',
  input: z.strictObject({ uses: z.array(trackInput).min(1).max(1000) }),
  output: z.object({ results: z.array(tracked) }),
  example: { given, input: { uses: [{ id: 'review-small' }, { id: 'review-small' }] } },
  async run({ uses }, context) {
    const results = [];
    for (const use of uses) results.push(await trackOne(context, use));
    return { results };
  },
});

async function trackOne(context: Context, { id, instructionId, context: where }: Track) {
  const wanted = id ?? instructionId;
  if (wanted === undefined) throw new CairnError('invalid_params', 'usage_track needs id (or instructionId)');
  const { shelf } = await viewCatalog(context);
  if (!shelf.has(wanted)) return { notFound: true, id: wanted, tracked: false };
  const { usage, limited } = await usageOf(context.store, context.config).count(wanted);
  return {
    id: wanted,
    usageCount: usage.count,
    firstSeenTs: usage.firstSeenTs,
    lastUsedAt: usage.lastUsedAt,
    ...(limited && { rateLimited: true }),
    tracked: !limited,
    sessionId: where?.sessionId ?? '',
    aggregatedCount: usage.count,
  };
}

export const hotset = operation({
  name: 'usage_hotset',
  description: 'The instructions used most, then most recently.',
  family: 'usage',
  toolsets: ['instructions'],
  spellings: ['usage/hotset'],
  capability: 'read',
  writes: false,
  input: z.strictObject({ limit: z.int().min(1).max(100).default(10) }),
  output: z.object({
    hash: z.string(),
    count: z.number(),
    limit: z.number(),
    items: z.array(z.object({ id: z.string(), usageCount: z.number(), lastUsedAt: z.string() })),
  }),
  example: { given, input: { limit: 5 } },
  async run({ limit }, context) {
    await usageOf(context.store, context.config).flush();
    const { shelf } = await viewCatalog(context);
    // Entries that were removed by hand left their counters behind.
    const hottest = await context.read((view) => view.usage.hottest(limit * 2 + 100));
    const items = hottest
      .filter(({ id }) => shelf.has(id))
      .slice(0, limit)
      .map(({ id, count, lastUsedAt }) => ({ id, usageCount: count, lastUsedAt }));
    return { hash: shelf.hash, count: items.length, limit, items };
  },
});

export const flush = operation({
  ...counts,
  name: 'usage_flush',
  description: 'Writes the uses that are still being gathered, at once.',
  spellings: ['usage/flush'],
  mutation: true,
  idempotent: true,
  input: z.strictObject({}),
  output: z.object({ flushed: z.boolean() }),
  example: { input: {} },
  async run(_input, context) {
    await usageOf(context.store, context.config).flush();
    return { flushed: true };
  },
});
