import * as z from 'zod';
import { CairnError } from '../../errors.ts';
import { operation } from '../../operations/operation.ts';
import { fingerprint, revised, submitted } from '../record.ts';
import { entry, facts, given, id, severity, status, tags, type } from './shape.ts';

export const feedbackSubmit = operation({
  name: 'feedback_submit',
  description:
    'Reports a problem, a wish or an observation about the instructions or the server to the people who keep them.',
  family: 'feedback',
  toolsets: ['instructions'],
  spellings: ['feedback/submit'],
  capability: 'read',
  writes: true,
  input: z.strictObject({
    type,
    severity,
    title: z.string().min(1).max(200),
    description: z.string().min(1).max(10_000),
    context: facts.optional().describe('Where it happened: client, version, session, tool.'),
    metadata: facts.optional(),
    tags: tags.default([]),
  }),
  output: z.object({ success: z.boolean(), feedbackId: z.string(), status: z.string(), timestamp: z.string() }),
  example: {
    input: { type: 'bug-report', severity: 'medium', title: 'List is slow', description: 'Listing takes two seconds.' },
  },
  async run(input, context) {
    const now = new Date().toISOString();
    const record = submitted(input, context.principal.name, now);
    await context.write(async (change, audit) => {
      audit.subject(record.id);
      audit.hashes(undefined, fingerprint(record));
      await change.feedback.put(record);
    });
    return { success: true, feedbackId: record.id, status: record.status, timestamp: now };
  },
});

export const feedbackUpdate = operation({
  name: 'feedback_update',
  description: 'Changes the status, severity, tags or metadata of a feedback entry.',
  family: 'feedback',
  toolsets: ['instructions'],
  spellings: ['feedback/update'],
  capability: 'read',
  writes: true,
  idempotent: true,
  positional: ['id'],
  input: z.strictObject({
    id,
    status: status.optional(),
    severity: severity.optional(),
    tags: tags.optional(),
    metadata: facts.optional().describe('Merged into what is there.'),
  }),
  output: z.object({ success: z.boolean(), feedbackId: z.string(), entry }),
  example: { given, input: { id: '$prev.feedbackId', status: 'acknowledged' } },
  async run({ id: wanted, ...revision }, context) {
    const changed = await context.write(async (change, audit) => {
      audit.subject(wanted);
      const record = await change.feedback.get(wanted);
      if (record === undefined) throw new CairnError('not_found', `No feedback entry has the id ${wanted}`);
      const next = revised(record, revision, new Date().toISOString());
      audit.hashes(fingerprint(record), fingerprint(next));
      await change.feedback.put(next);
      return next;
    });
    return { success: true, feedbackId: wanted, entry: changed };
  },
});
