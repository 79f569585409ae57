/** Schemas that several operations share: what an entry is when it comes in, and when it goes out. */
import * as z from 'zod';
import { anchorFault } from '../../graph/anchors.ts';
import { anchors } from '../../graph/operations/anchor-input.ts';
import { audiences, classifications, requirements, statuses, tiers } from '../entry.ts';
import { isTime } from '../file.ts';

/** What all operations that read the catalog have in common. */
export const catalogRead = {
  family: 'instructions',
  toolsets: ['instructions'],
  capability: 'read',
  writes: false,
} as const;

/** And all that change it: the capability and the mutation switch. */
export const catalogWrite = {
  family: 'instructions',
  toolsets: ['instructions'],
  capability: 'write',
  writes: true,
  mutation: true,
} as const;

export const id = z.string().min(1).max(200).describe('Id of the instruction.');
const texts = z.array(z.string().max(2000)).max(100);
const time = z.string().max(40).refine(isTime, 'must be a time like 2026-01-31T00:00:00Z');
const category = z
  .string()
  .max(200)
  .regex(/^\s*(?:[Ss][Cc][Oo][Pp][Ee]:(?:workspace|user|team):.+|[A-Za-z0-9][A-Za-z0-9:_-]{0,48})\s*$/);
const unlike = 'must be paths within the project, such as src/store.ts or src/store.ts#open';
const changeLog = z
  .array(z.strictObject({ version: z.string(), changedAt: z.string(), summary: z.string() }))
  .max(1000);

/** An entry as a caller sends it: every field is optional here, because `lax` and overwriting fill what is missing. */
export const entryInput = z.strictObject({
  id: z.string().min(1).max(200),
  title: z.string().max(200).regex(/\S/).optional(),
  body: z.string().max(1_100_000).optional(),
  description: z.string().max(10_000).optional(),
  rationale: z.string().max(10_000).optional(),
  priority: z.number().min(1).max(100).optional(),
  audience: z.enum(audiences).optional(),
  requirement: z.enum(requirements).optional(),
  categories: z.array(category).max(25).optional(),
  primaryCategory: z.string().max(49).optional(),
  tags: texts.optional(),
  examples: z.array(z.string().max(10_000)).max(100).optional(),
  dependencies: texts.optional(),
  version: z.string().max(40).optional(),
  status: z.enum(statuses).optional(),
  owner: z.string().max(200).regex(/\S/).optional(),
  classification: z.enum(classifications).optional(),
  priorityTier: z.enum(tiers).optional(),
  riskScore: z.number().optional(),
  reviewIntervalDays: z.int().min(1).max(3650).optional(),
  lastReviewedAt: time.optional(),
  nextReviewDue: time.optional(),
  changeLog: changeLog.optional(),
  supersedes: z.string().max(200).optional(),
  deprecatedBy: z.string().max(200).optional(),
  workspaceId: z.string().max(200).optional(),
  userId: z.string().max(200).optional(),
  teamIds: texts.optional(),
  appliesTo: texts.optional(),
  anchors: anchors.refine((refs) => refs.every((ref) => anchorFault(ref) === undefined), unlike).optional(),
  source: z.string().max(2000).optional(),
  semanticSummary: z.string().max(400).optional(),
  // Of exported entries: taken only by an import that preserves, else computed anew.
  createdAt: time.optional(),
  updatedAt: time.optional(),
  sourceHash: z.string().max(128).optional(),
  governanceHash: z.string().max(128).optional(),
  schemaVersion: z.string().max(20).optional(),
  usageCount: z.number().optional(),
  lastUsedAt: time.optional(),
  firstSeenTs: time.optional(),
});

export type EntryInput = z.infer<typeof entryInput>;

/** An entry as it is answered: as stored, with the counters of its use. */
export const entryOutput = z.record(z.string(), z.unknown());

export const listAnswer = z.object({
  hash: z.string(),
  count: z.number(),
  items: z.array(entryOutput),
});

/** An entry that examples of reads can find. */
export const given = [
  {
    op: 'instructions_add',
    params: {
      entry: {
        id: 'review-small',
        body: 'Keep a change small enough to review in one sitting.',
        categories: ['review'],
      },
      lax: true,
    },
  },
];
