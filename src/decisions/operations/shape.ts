/** What the operations of decision memory share: facts, schemas, and how a decision looks in an answer. */
import * as z from 'zod';
import type { Context } from '../../operations/operation.ts';
import { confidenceNow, type Evidence } from '../confidence.ts';
import { type DecisionHead, ledgerOf } from '../ledger.ts';
import { DEFAULT_NAMESPACE, type Provenance, publicId } from '../record.ts';

export const memoryRead = {
  family: 'memory',
  toolsets: ['memory'],
  capability: 'read',
  writes: false,
  envelope: true,
} as const;

export const memoryWrite = { family: 'memory', toolsets: ['memory'], writes: true, envelope: true } as const;

export const namespace = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,99}$/)
  .default(DEFAULT_NAMESPACE)
  .describe('Logical partition; decisions of others are neither seen nor touched.');
export const decisionId = z
  .string()
  .min(1)
  .max(200)
  .describe('Id of the decision, with or without "decisions/" and ".md".');
export const title = z.string().max(200).regex(/\S/).describe('Short, descriptive title.');
export const target = z.string().max(200).regex(/\S/).describe('The system or area that the decision is about.');
export const consequences = z
  .array(z.string().max(2000).regex(/\S/))
  .max(50)
  .default([])
  .describe('Rules or effects that follow from it.');
export const rationale = (least: number) => z.string().min(least).max(50_000);

/** `{status: "success", …}`; what is refused has the same form, see call.ts. */
export function success<S extends z.ZodRawShape>(shape: S) {
  return z.object({ status: z.literal('success'), ...shape });
}

export function provenanceOf({ principal }: Context): Provenance {
  return { origin: principal.human ? 'human' : 'agent', agent: principal.name, door: principal.door };
}

/** The index, equal to the files: a one-shot command looks at them all, a server has been told what changed. */
export async function currentLedger(context: Context) {
  const ledger = ledgerOf(context.store);
  await ledger.current(context.principal.door === 'cli');
  return ledger;
}

export const decisionShape = z.object({
  id: z.string(),
  kind: z.string(),
  status: z.string(),
  title: z.string(),
  target: z.string(),
  namespace: z.string(),
  confidence: z.number(),
  origin: z.string(),
  created: z.string(),
  anchors: z.array(z.string()).optional(),
  supersedes: z.array(z.string()).optional(),
  superseded_by: z.string().optional(),
});

export function shown(head: DecisionHead, evidence: readonly Evidence[]) {
  const { anchors: cited = [], supersedes, supersededBy } = head;
  return {
    id: publicId(head.id),
    kind: head.kind,
    status: head.status,
    title: head.title,
    target: head.target,
    namespace: head.namespace,
    confidence: confidenceNow(head.confidence, head.created, evidence, new Date().toISOString()),
    origin: head.provenance.origin,
    created: head.created,
    ...(cited.length > 0 && { anchors: cited }),
    ...(supersedes.length > 0 && { supersedes: supersedes.map(publicId) }),
    ...(supersededBy !== undefined && { superseded_by: publicId(supersededBy) }),
  };
}

/** A decision that examples can find. */
export const given = [
  {
    op: 'record_decision',
    params: {
      title: 'Use Redis for session caching',
      target: 'session_storage',
      rationale: 'Redis provides sub-millisecond latency and native TTL support for session data.',
    },
  },
] as const;

const LONGEST_TEXT = 20_000;

/** As much of a text as an event keeps. */
export function cut(text: string): string {
  const more = text.length - LONGEST_TEXT;
  return more <= 0 ? text : `${text.slice(0, LONGEST_TEXT)}… [${more} more characters]`;
}
