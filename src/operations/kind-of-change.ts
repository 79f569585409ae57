/** What a write was about, by the family of its operation; used by whoever tells others of changes. */
import type { NoticeKind } from '../changes/notice.ts';
import type { Family } from './operation.ts';
import { surface } from './surface.ts';

const byFamily: Readonly<Record<Family, NoticeKind>> = {
  instructions: 'instruction',
  governance: 'instruction',
  usage: 'instruction',
  memory: 'decision',
  documents: 'document',
  feedback: 'feedback',
  service: 'other',
};

/** Operations that stand in a family for another reason than what they change. */
const byName: ReadonlyMap<string, NoticeKind> = new Map([
  ['record_interaction', 'event'],
  ['sync_git_history', 'event'],
  ['backup_create', 'other'],
  ['stale_confirm', 'other'],
]);

export function kindOfChange(operation: string): NoticeKind {
  const named = byName.get(operation);
  if (named !== undefined) return named;
  if (operation.startsWith('session_')) return 'session';
  const entry = surface.find(operation);
  return entry === undefined ? 'other' : byFamily[entry.family];
}
