import * as z from 'zod';
import { nothing, operation } from '../../operations/operation.ts';
import type { FeedbackFilter } from '../../store/store.ts';
import { entry, facts, given, id, severity, status, tags, type } from './shape.ts';

const time = z.iso.datetime({ offset: true }).describe('ISO 8601 time.');

export const feedbackList = operation({
  name: 'feedback_list',
  description: 'Lists feedback entries, newest first, narrowed by type, severity, status, time and tags.',
  family: 'feedback',
  toolsets: ['instructions'],
  spellings: ['feedback/list'],
  capability: 'read',
  writes: false,
  rest: 'Ask again with offset = the number of entries you got.',
  input: z.strictObject({
    type: type.optional(),
    severity: severity.optional(),
    status: status.optional(),
    since: time.optional(),
    tags: tags.optional().describe('Entries that carry all of them.'),
    limit: z.int().min(1).max(200).default(20),
    offset: z.int().min(0).default(0),
  }),
  output: z.object({ entries: z.array(entry), total: z.number(), hasMore: z.boolean() }),
  example: { given, input: { severity: 'medium', limit: 5 } },
  async run({ limit, offset, ...wanted }, context) {
    const filter = filterOf(wanted);
    return context.read(async (view) => {
      const entries = await view.feedback.list(filter, limit, offset);
      const total = await view.feedback.count(filter);
      return { entries, total, hasMore: offset + entries.length < total };
    });
  },
});

export const feedbackGet = operation({
  name: 'feedback_get',
  description: 'One feedback entry by its id.',
  family: 'feedback',
  toolsets: ['instructions'],
  spellings: ['feedback/get'],
  capability: 'read',
  writes: false,
  positional: ['id'],
  input: z.strictObject({ id }),
  output: z.object({ entry: entry.optional(), notFound: z.boolean().optional(), id: z.string().optional() }),
  example: { given, input: { id: '$prev.feedbackId' } },
  async run({ id: wanted }, context) {
    const found = await context.read((view) => view.feedback.get(wanted));
    return found === undefined ? { notFound: true, id: wanted } : { entry: found };
  },
});

export const feedbackStats = operation({
  name: 'feedback_stats',
  description: 'Counts feedback by type, severity and status, and of the last day, week and month.',
  family: 'feedback',
  toolsets: ['instructions'],
  spellings: ['feedback/stats'],
  capability: 'read',
  writes: false,
  input: z.strictObject({ since: time.optional() }),
  output: z.object({ stats: facts }),
  example: { given, input: {} },
  async run({ since }, context) {
    const filter = filterOf({ since });
    return context.read(async ({ feedback }) => {
      const ago = (days: number) => ({ since: new Date(Date.now() - days * 86_400_000).toISOString() });
      return {
        stats: {
          total: await feedback.count(filter),
          byType: await feedback.tally('type', filter),
          bySeverity: await feedback.tally('severity', filter),
          byStatus: await feedback.tally('status', filter),
          recentActivity: {
            last24h: await feedback.count(ago(1)),
            last7d: await feedback.count(ago(7)),
            last30d: await feedback.count(ago(30)),
          },
        },
      };
    });
  },
});

export const feedbackHealth = operation({
  name: 'feedback_health',
  description: 'Says whether the feedback store can be read and written, and how much is in it.',
  family: 'feedback',
  toolsets: ['instructions'],
  spellings: ['feedback/health'],
  capability: 'read',
  writes: false,
  input: nothing,
  output: z.object({
    status: z.string(),
    timestamp: z.string(),
    storage: z.object({ accessible: z.boolean(), writable: z.boolean(), path: z.string() }),
    total: z.number(),
    problems: z.array(z.string()),
  }),
  example: { input: {} },
  async run(_input, context) {
    const state = await context.store.inspect();
    const total = await context.read((view) => view.feedback.count({}));
    return {
      status: state.problems.length === 0 ? 'healthy' : 'degraded',
      timestamp: new Date().toISOString(),
      storage: { accessible: true, writable: state.writable, path: state.location },
      total,
      problems: [...state.problems],
    };
  },
});

type Wanted = { [K in keyof FeedbackFilter]?: FeedbackFilter[K] | undefined };

function filterOf({ type: kind, severity: weight, status: state, since, tags: labels }: Wanted): FeedbackFilter {
  return {
    ...(kind && { type: kind }),
    ...(weight && { severity: weight }),
    ...(state && { status: state }),
    // Stored times are UTC; an offset in the question must not change which entries it means.
    ...(since && { since: new Date(since).toISOString() }),
    ...(labels && { tags: labels }),
  };
}
