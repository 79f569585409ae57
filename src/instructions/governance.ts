/** The governance hash: exactly S0's algorithm, over stored fields only. Body-only edits do not move it. */
import { sha256 } from '../store/hash.ts';
import type { Head } from './entry.ts';

export interface Projection {
  readonly id: string;
  readonly title: string;
  readonly version: string;
  readonly owner: string;
  readonly priorityTier: string;
  readonly nextReviewDue: string;
  readonly semanticSummarySha256: string;
  readonly changeLogLength: number;
}

export const ALGORITHM = 'sha256 over the JSON of each projection, sorted by id, joined by newlines';

export function projectionOf(head: Head): Projection {
  const { id, title, version, owner, priorityTier, nextReviewDue, semanticSummary, changeLog } = head;
  return {
    id,
    title,
    version,
    owner,
    priorityTier,
    nextReviewDue,
    semanticSummarySha256: sha256(semanticSummary),
    changeLogLength: changeLog.length,
  };
}

/** Heads in the order of their ids, by code units. */
export function governanceHashOf(heads: readonly Head[], trailingNewline: boolean): string {
  const lines = heads.map((head) => JSON.stringify(projectionOf(head)));
  if (trailingNewline) lines.push('');
  return sha256(lines.join('\n'));
}

/** Of one entry: what `add` answers as its `governanceHash`. */
export function entryGovernanceHash(head: Head): string {
  return sha256(JSON.stringify(projectionOf(head)));
}
