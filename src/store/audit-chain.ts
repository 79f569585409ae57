/**
 * The hash chain of the audit trail: each entry hashes its own facts and the hash of the one before, so that a changed,
 * removed or inserted row breaks every link after it. Pure; both engines and the verifying worker use it.
 */
import { sha256 } from './hash.ts';
import type { AuditEntry, AuditRecord } from './store.ts';
import { storable } from './text.ts';

export function linkOf(record: AuditRecord, seq: number, previous: string): AuditEntry {
  const kept = asKept(record);
  return { ...kept, seq, previous, hash: hashOf(kept, seq, previous) };
}

/** What is hashed must be what is read back later, or a caller could break the chain with one odd character. */
function asKept(record: AuditRecord): AuditRecord {
  const facts = Object.entries(record).map(([name, value]) => [
    name,
    typeof value === 'string' ? storable(value) : value,
  ]);
  return Object.fromEntries(facts) as AuditRecord;
}

function hashOf(record: AuditRecord, seq: number, previous: string): string {
  const { time, operation, principal, role, door, outcome, ids, before, after, note } = record;
  const facts = [
    seq,
    previous,
    time,
    operation,
    principal,
    role,
    door,
    outcome,
    ids,
    before ?? null,
    after ?? null,
    note ?? null,
  ];
  return sha256(JSON.stringify(facts));
}

export interface ChainBreak {
  readonly seq: number;
  readonly reason: string;
}

/** Checks a run of entries that should follow the entry (`seq`, `hash`); the answer is the first break, if any. */
export function firstBreak(entries: readonly AuditEntry[], seq: number, hash: string): ChainBreak | undefined {
  let expectedSeq = seq + 1;
  let previous = hash;
  for (const entry of entries) {
    if (entry.seq !== expectedSeq) {
      return { seq: expectedSeq, reason: `entry ${expectedSeq} is missing; the next one there is ${entry.seq}` };
    }
    if (entry.previous !== previous) return { seq: entry.seq, reason: 'it does not follow the entry before it' };
    if (entry.hash !== hashOf(entry, entry.seq, entry.previous)) {
      return { seq: entry.seq, reason: 'its content was changed after it was written' };
    }
    expectedSeq++;
    previous = entry.hash;
  }
  return undefined;
}
