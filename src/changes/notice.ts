/** What others are told of a change: the facts of its audit entry, and what kind of thing it was about. */
import type { AuditEntry } from '../store/store.ts';

export const noticeKinds = ['instruction', 'decision', 'document', 'event', 'feedback', 'session', 'other'] as const;
export type NoticeKind = (typeof noticeKinds)[number];

/** By the name of the operation, as the operation table knows it. */
export type KindOf = (operation: string) => NoticeKind;

export interface Notice {
  readonly seq: number;
  readonly time: string;
  readonly operation: string;
  readonly kind: NoticeKind;
  readonly ids: readonly string[];
  readonly principal: string;
  readonly role: string;
  readonly door: string;
  readonly outcome: string;
}

export function noticeOf(entry: AuditEntry, kindOf: KindOf): Notice {
  const { seq, time, operation, ids, principal, role, door, outcome } = entry;
  return { seq, time, operation, kind: kindOf(operation), ids, principal, role, door, outcome };
}

/** A call that was refused is in the trail, and changed nothing. */
export function isChange({ outcome }: AuditEntry): boolean {
  return outcome === 'ok';
}
