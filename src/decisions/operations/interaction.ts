import * as z from 'zod';
import { type Context, operation } from '../../operations/operation.ts';
import { mask } from '../../service/secret.ts';
import type { EventDraft } from '../../store/store.ts';
import { cut, memoryWrite, namespace, success } from './shape.ts';

export const recordInteraction = operation({
  ...memoryWrite,
  name: 'record_interaction',
  shown: ['namespace'],
  description:
    'Keeps a prompt and its response as an event, as evidence for later reflection. Secrets are masked. The same pair in the same session is kept once.',
  toolsets: ['core', 'memory'],
  capability: 'propose',
  idempotent: true,
  input: z.strictObject({
    prompt: z.string().min(1).max(200_000).describe('What was asked.'),
    response: z.string().max(200_000).describe('What was answered.'),
    success: z.boolean().default(true).describe('Whether it went well, as you saw it.'),
    target: z.string().max(200).regex(/\S/).optional().describe('What it was about, if you know.'),
    session: z.string().max(200).optional().describe('Name of the conversation.'),
    namespace,
  }),
  output: success({ event_id: z.number(), new: z.boolean(), namespace: z.string() }),
  example: { input: { prompt: 'Which cache do we use?', response: 'Redis, see decisions.', success: true } },
  async run({ prompt, response, success: held, target, session, namespace: partition }, context) {
    const now = new Date().toISOString();
    const event: EventDraft = {
      namespace: partition,
      session: session === undefined ? sessionOf(context, now) : mask(session),
      kind: held ? 'interaction' : 'error',
      source: context.principal.name,
      subject: cut(mask(prompt)),
      detail: cut(mask(response)),
      targets: target === undefined ? [] : [mask(target.trim())],
      files: [],
      success: held,
      created: now,
    };
    const { id, added } = await context.write(async (change, audit) => {
      const stored = await change.events.add(event);
      if (stored.added) audit.subject(`event ${stored.id}`);
      else audit.skip();
      return stored;
    });
    return { status: 'success' as const, event_id: id, new: added, namespace: partition };
  },
});

/** Without a name, what one caller does on one day belongs together. */
function sessionOf({ principal }: Context, now: string): string {
  return `${principal.door} ${principal.name} ${now.slice(0, 10)}`;
}
