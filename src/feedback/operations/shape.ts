import * as z from 'zod';
import { severities, statuses, types } from '../record.ts';

export const type = z.enum(types);
export const severity = z.enum(severities);
export const status = z.enum(statuses);
export const tags = z.array(z.string().min(1).max(50)).max(10);
export const facts = z.record(z.string(), z.unknown());
export const id = z.string().min(1).max(100).describe('Id of the feedback entry.');

export const entry = z.object({
  id: z.string(),
  type: z.string(),
  severity: z.string(),
  status: z.string(),
  title: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  context: facts.optional(),
  metadata: facts.optional(),
  submittedBy: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
});

/** A first entry, for examples that need one to exist. */
export const given = [
  {
    op: 'feedback_submit',
    params: {
      type: 'bug-report',
      severity: 'medium',
      title: 'List is slow',
      description: 'Listing takes two seconds.',
    },
  },
];
