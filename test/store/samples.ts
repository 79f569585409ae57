/** Records with only what matters to a test. Imports no test runner: the writer process uses them too. */
import type { AuditRecord, FeedbackRecord, StoredKey } from '../../src/store/store.ts';

export function auditRecord(facts: Partial<AuditRecord> = {}): AuditRecord {
  return {
    time: '2026-01-02T03:04:05.000Z',
    operation: 'entry_add',
    principal: 'ada',
    role: 'editor',
    door: 'mcp',
    outcome: 'done',
    ids: [],
    ...facts,
  };
}

export function feedbackRecord(facts: Partial<FeedbackRecord> = {}): FeedbackRecord {
  return {
    id: 'f1',
    type: 'issue',
    severity: 'low',
    status: 'new',
    title: 'A title',
    description: 'A description',
    tags: [],
    submittedBy: 'ada',
    createdAt: '2026-01-02T03:04:05.000Z',
    updatedAt: '2026-01-02T03:04:05.000Z',
    ...facts,
  };
}

export function storedKey(facts: Partial<StoredKey> = {}): StoredKey {
  return { id: 'k1', name: 'laptop', role: 'editor', digest: 'd1', created: '2026-01-02T03:04:05.000Z', ...facts };
}

/** Between 1 and 64 KiB that say which write they are of, from the first character to the last. */
export function pairText(count: number): string {
  const kibibytes = 1 + ((count * 29) % 64);
  return `${count} `.repeat(Math.floor((kibibytes * 1024) / (String(count).length + 1)));
}
