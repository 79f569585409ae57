/** What a feedback record is: its words, its limits, how one is made and changed. Pure. */
import { randomUUID } from 'node:crypto';
import { mask, maskDeep } from '../service/secret.ts';
import { sha256 } from '../store/hash.ts';
import type { FeedbackRecord } from '../store/store.ts';

export const types = [
  'issue',
  'status',
  'security',
  'feature-request',
  'bug-report',
  'performance',
  'usability',
  'other',
] as const;
export const severities = ['low', 'medium', 'high', 'critical'] as const;
export const statuses = ['new', 'acknowledged', 'in-progress', 'resolved', 'closed'] as const;

type Facts = Record<string, unknown>;

export interface Submission {
  readonly type: string;
  readonly severity: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly context?: Facts | undefined;
  readonly metadata?: Facts | undefined;
}

/** People paste logs into feedback: secrets are masked before anything is stored. */
export function submitted(submission: Submission, submittedBy: string, now: string): FeedbackRecord {
  const { type, severity, title, description, tags, context, metadata } = submission;
  return {
    id: randomUUID(),
    type,
    severity,
    status: 'new',
    title: mask(title),
    description: mask(description),
    tags: tagsOf(tags),
    ...(context && { context: maskDeep(context) as Facts }),
    ...(metadata && { metadata: maskDeep(metadata) as Facts }),
    submittedBy,
    createdAt: now,
    updatedAt: now,
  };
}

export interface Revision {
  readonly status?: string | undefined;
  readonly severity?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly metadata?: Facts | undefined;
}

export function revised(
  record: FeedbackRecord,
  { status, severity, tags, metadata }: Revision,
  now: string,
): FeedbackRecord {
  return {
    ...record,
    ...(status && { status }),
    ...(severity && { severity }),
    ...(tags && { tags: tagsOf(tags) }),
    ...(metadata && { metadata: { ...record.metadata, ...(maskDeep(metadata) as Facts) } }),
    updatedAt: now,
  };
}

/** Masked before they are put in small letters, which no rule would know. */
function tagsOf(tags: readonly string[]): string[] {
  return [...new Set(tags.map((tag) => mask(tag.trim()).toLowerCase()).filter((tag) => tag !== ''))].sort();
}

export function fingerprint(record: FeedbackRecord): string {
  return sha256(JSON.stringify(record));
}
