import * as z from 'zod';
import { CairnError } from '../../errors.ts';
import { operation } from '../../operations/operation.ts';
import { questionOf } from '../../search/question.ts';
import { snippetOf } from '../../search/snippet.ts';
import { mask } from '../../service/secret.ts';
import { type Change, eventKinds } from '../../store/store.ts';
import { readFrom } from '../ledger.ts';
import { plainId, publicId } from '../record.ts';
import { missing } from '../rules.ts';
import { decisionId, given, memoryRead, memoryWrite, namespace, success } from './shape.ts';

export const linkInteraction = operation({
  ...memoryWrite,
  name: 'link_interaction_to_decision',
  description: 'Makes an event evidence for a decision. An event may be evidence for several.',
  capability: 'supersede',
  idempotent: true,
  positional: ['event_id', 'decision_id'],
  input: z.strictObject({ event_id: z.int().min(1), decision_id: decisionId }),
  output: success({ message: z.string(), namespace: z.string() }),
  example: {
    given: [{ op: 'record_interaction', params: { prompt: 'Which cache?', response: 'Redis.' } }, ...given],
    input: { event_id: 1, decision_id: '$prev.decision_id' },
  },
  async run({ event_id, decision_id }, context) {
    const partition = await context.write(async (change, audit) => {
      const { decision, event } = await bothEnds(change, event_id, decision_id);
      if (event.namespace !== decision.namespace) {
        throw new CairnError(
          'validation_failed',
          `Event ${event_id} belongs to namespace '${event.namespace}', ${publicId(decision.id)} to '${decision.namespace}'`,
        );
      }
      const linked = await change.events.link(event_id, decision.id, new Date().toISOString());
      if (linked) audit.subject(publicId(decision.id), `event ${event_id}`);
      else audit.skip();
      return decision.namespace;
    });
    const message = `Linked event ${event_id} to ${publicId(plainId(decision_id))}`;
    return { status: 'success' as const, message, namespace: partition };
  },
});

const fields = { searched: ['subject'], narrowing: [] };

export const eventSearch = operation({
  ...memoryRead,
  name: 'event_search',
  description: 'Finds events of the memory by the words of what happened: interactions, commits, errors and decisions.',
  positional: ['query'],
  rest: 'Ask with a smaller limit.',
  input: z.strictObject({
    query: z.string().max(2000).regex(/\S/).describe('Question or words; "phrases", prefix* and -excluded narrow it.'),
    kind: z.enum(eventKinds).optional(),
    limit: z.int().min(1).max(200).default(10),
    namespace,
  }),
  output: success({
    events: z.array(
      z.object({
        event_id: z.number(),
        kind: z.string(),
        subject: z.string(),
        preview: z.string(),
        success: z.boolean(),
        created: z.string(),
        score: z.number(),
      }),
    ),
    searched: z.object({ namespace: z.string(), events: z.number() }),
  }),
  example: {
    given: [{ op: 'record_interaction', params: { prompt: 'Which cache do we use?', response: 'Redis.' } }],
    input: { query: 'cache' },
  },
  async run({ query, kind, limit, namespace: partition }, context) {
    const question = questionOf(query, fields);
    const filter = { namespace: partition, ...(kind && { kind }) };
    return context.read(async ({ events }) => {
      const found = await events.matching(question.words, filter, limit, question);
      return {
        status: 'success' as const,
        events: found.map(({ event, score }) => {
          const { text } = snippetOf(event.detail, question.words);
          return {
            event_id: event.id,
            kind: event.kind,
            subject: event.subject.slice(0, 300),
            preview: mask(text),
            success: event.success,
            created: event.created,
            score: Math.round((score / (1 + score)) * 10_000) / 10_000,
          };
        }),
        searched: { namespace: partition, events: await events.count(filter) },
      };
    });
  },
});

async function bothEnds({ files, events }: Change, eventId: number, given: string) {
  const decision = await readFrom(files, plainId(given));
  if (decision === undefined) throw missing(given);
  const event = await events.get(eventId);
  if (event === undefined) throw new CairnError('not_found', `No event has the id ${eventId}`);
  return { decision, event };
}

export const eventList = operation({
  ...memoryRead,
  name: 'event_list',
  description: 'Events of the memory, newest first: interactions, commits, errors and decisions.',
  rest: 'Ask with a smaller limit, or go on with offset.',
  input: z.strictObject({
    kind: z.enum(eventKinds).optional(),
    limit: z.int().min(1).max(200).default(20),
    offset: z.int().min(0).max(1_000_000).default(0),
    namespace,
  }),
  output: success({
    events: z.array(
      z.object({
        event_id: z.number(),
        kind: z.string(),
        source: z.string(),
        subject: z.string(),
        success: z.boolean(),
        created: z.string(),
        targets: z.array(z.string()).optional(),
        files: z.number().optional().describe('How many files it touched.'),
        linked_to: z.array(z.string()),
      }),
    ),
    total: z.number(),
    namespace: z.string(),
  }),
  example: { input: { kind: 'commit', limit: 5 } },
  async run({ kind, limit, offset, namespace: partition }, context) {
    const filter = { namespace: partition, ...(kind && { kind }) };
    return context.read(async ({ events }) => {
      const found = await events.list(filter, limit, offset);
      const shown = [];
      for (const event of found) {
        const links = await events.links({ event: event.id });
        shown.push({
          event_id: event.id,
          kind: event.kind,
          source: event.source,
          subject: event.subject.slice(0, 300),
          success: event.success,
          created: event.created,
          ...(event.targets.length > 0 && { targets: event.targets }),
          ...(event.files.length > 0 && { files: event.files.length }),
          linked_to: links.map(({ decision }) => publicId(decision)),
        });
      }
      return { status: 'success' as const, events: shown, total: await events.count(filter), namespace: partition };
    });
  },
});
