/** What the worker threads can do. A task is a function from one structured-clone value to another, with progress. */
import { type ChainBreak, firstBreak } from '../store/audit-chain.ts';
import type { AuditEntry } from '../store/store.ts';
import type { Progress } from './workers.ts';

export type Report = (progress: Progress) => void;

/** Domains add their own (`declare module`); the program's worker entry brings the functions. */
export interface Tasks {
  auditChain: typeof tasks.auditChain;
}

export const tasks = {
  /** Checks one run of the audit chain. */
  async auditChain(
    { entries, seq, hash }: { entries: readonly AuditEntry[]; seq: number; hash: string },
    _report: Report,
  ): Promise<{ broken?: ChainBreak }> {
    const broken = firstBreak(entries, seq, hash);
    return broken === undefined ? {} : { broken };
  },
};

export type TaskName = keyof Tasks;
export type TaskInput<N extends TaskName> = Parameters<Tasks[N]>[0];
export type TaskOutput<N extends TaskName> = Awaited<ReturnType<Tasks[N]>>;
