/** What the history says of a version: the entry of the audit trail that made it. */
import type { AuditRecord } from './store.ts';

const IDS_SHOWN = 5;

export function messageOfVersion(record: AuditRecord | undefined): string {
  if (record === undefined) return 'Changed';
  const { operation, ids, note, principal, role, door } = record;
  const more = ids.length > IDS_SHOWN ? ` and ${ids.length - IDS_SHOWN} more` : '';
  const subject = `${operation}: ${ids.slice(0, IDS_SHOWN).join(', ')}${more}`;
  return [subject, '', ...(note === undefined ? [] : [note, '']), `By ${principal} (${role}) through ${door}`].join(
    '\n',
  );
}
