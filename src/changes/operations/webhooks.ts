import * as z from 'zod';
import { operation } from '../../operations/operation.ts';
import { hookOf } from '../webhooks/hook.ts';

const webhookShape = z.object({
  id: z.string(),
  address: z.string().describe('The URL without credentials, query and long parts of its path.'),
  configured: z.boolean().describe('Whether the process that answers serves it.'),
  cursor: z.number().describe('The last entry of the audit trail that is done with.'),
  waiting: z.number().describe('Entries of the trail after that.'),
  attempts: z.number().describe('How often the next one was tried in vain.'),
  nextAttempt: z.string().optional(),
  delivered: z.number(),
  failures: z.number(),
  lastError: z.string().optional(),
  lastDelivered: z.string().optional(),
});

const letterShape = z.object({
  id: z.number(),
  webhook: z.string(),
  seq: z.number().describe('The entry of the audit trail; audit_list {"after": seq - 1, "limit": 1} shows it.'),
  time: z.string(),
  error: z.string(),
  retry: z.boolean().describe('Whether it will be tried again.'),
});

export const webhookList = operation({
  name: 'webhook_list',
  description: 'The webhooks: how far each was served, what failed, and the events that were given up (dead letters).',
  family: 'service',
  toolsets: ['admin'],
  capability: 'read',
  writes: false,
  rest: 'Ask with a smaller limit.',
  input: z.strictObject({ limit: z.int().min(1).max(1000).default(50).describe('How many dead letters.') }),
  output: z.object({
    webhooks: z.array(webhookShape),
    deadLetters: z.array(letterShape),
    deadCount: z.number(),
  }),
  example: { input: {} },
  async run({ limit }, { config, read }) {
    const configured = new Set(config.webhooks.map((url) => hookOf(url).id));
    return read(async ({ webhooks, audit }) => {
      const newest = (await audit.recent(1))[0]?.seq ?? 0;
      const states = await webhooks.list();
      return {
        webhooks: states.map(({ dueMs, created: _created, ...state }) => ({
          ...state,
          configured: configured.has(state.id),
          waiting: Math.max(0, newest - state.cursor),
          ...(dueMs > 0 && { nextAttempt: new Date(dueMs).toISOString() }),
        })),
        deadLetters: await webhooks.deadLetters(limit),
        deadCount: await webhooks.deadCount(),
      };
    });
  },
});

export const webhookRetry = operation({
  name: 'webhook_retry',
  description: 'Has dead letters of webhooks sent once more: one by its id, those of one webhook, or all.',
  family: 'service',
  toolsets: ['admin'],
  capability: 'purge',
  writes: true,
  idempotent: true,
  input: z.strictObject({
    id: z.int().min(1).optional().describe('A dead letter, as webhook_list shows it.'),
    webhook: z.string().min(1).max(100).optional().describe('The id of a webhook.'),
  }),
  output: z.object({ retried: z.number() }),
  example: { input: {} },
  async run({ id, webhook }, context) {
    const which = { ...(id !== undefined && { id }), ...(webhook !== undefined && { webhook }) };
    const retried = await context.write(async (change, audit) => {
      const count = await change.webhooks.retry(which);
      audit.note(`${count} dead letters`);
      if (count === 0) audit.skip();
      return count;
    });
    return { retried };
  },
});
