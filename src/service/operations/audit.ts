import * as z from 'zod';
import { type Context, nothing, operation } from '../../operations/operation.ts';
import type { AuditEntry } from '../../store/store.ts';

export const getAuditLogs = operation({
  name: 'get_audit_logs',
  description:
    'The latest entries of the audit trail, newest first, one line each: time, who, operation, outcome, ids.',
  family: 'memory',
  toolsets: ['memory', 'admin'],
  capability: 'read',
  writes: false,
  rest: 'Ask with a smaller limit, or page with audit_list.',
  input: z.strictObject({
    limit: z.int().min(1).max(1000).default(20).describe('How many lines.'),
  }),
  output: z.object({ status: z.string(), logs: z.array(z.string()) }),
  example: { input: { limit: 5 } },
  async run({ limit }, context) {
    const entries = await context.read((view) => view.audit.recent(limit));
    return { status: 'success', logs: entries.map(line) };
  },
});

function line({ time, principal, operation: name, outcome, ids, note }: AuditEntry): string {
  return [time, principal, name, outcome, ...(ids.length > 0 ? [ids.join(' ')] : []), ...(note ? [note] : [])]
    .map((part) => part.replace(/[\r\n|]+/g, ' '))
    .join(' | ');
}

const entryShape = z.object({
  seq: z.number(),
  time: z.string(),
  operation: z.string(),
  principal: z.string(),
  role: z.string(),
  door: z.string(),
  outcome: z.string(),
  ids: z.array(z.string()),
  before: z.string().optional(),
  after: z.string().optional(),
  note: z.string().optional(),
  previous: z.string(),
  hash: z.string(),
});

export const auditList = operation({
  name: 'audit_list',
  description: 'The audit trail in full, oldest first, in pages; or the newest entries first.',
  family: 'service',
  toolsets: ['admin'],
  capability: 'read',
  writes: false,
  rest: 'Go on with after = the seq of the last entry you got.',
  input: z.strictObject({
    after: z.int().min(0).default(0).describe('Only entries with a higher seq.'),
    limit: z.int().min(1).max(1000).default(100),
    newest: z.boolean().default(false).describe('The latest entries, newest first; after does not count.'),
  }),
  output: z.object({ entries: z.array(entryShape), count: z.number(), next: z.number().optional() }),
  example: { input: { limit: 10 } },
  async run({ after, limit, newest }, context) {
    const entries = await context.read((view) => (newest ? view.audit.recent(limit) : view.audit.page(after, limit)));
    if (newest) return { entries, count: entries.length };
    const last = entries.at(-1);
    const more = entries.length === limit && last !== undefined;
    return { entries, count: entries.length, ...(more && { next: last.seq }) };
  },
});

export const auditVerify = operation({
  name: 'audit_verify',
  description: 'Checks the hash chain of the audit trail: names the first entry that was changed, removed or added.',
  family: 'service',
  toolsets: ['admin'],
  capability: 'read',
  writes: false,
  verdict: 'intact',
  input: nothing,
  output: z.object({
    intact: z.boolean(),
    entries: z.number(),
    brokenAt: z.number().optional(),
    reason: z.string().optional(),
  }),
  example: { input: {} },
  async run(_input, context) {
    return verify(context);
  },
});

const PAGE = 500;

async function verify(context: Context) {
  // One snapshot for the whole check: entries appended meanwhile belong to the next one.
  const head = await context.read((view) => view.audit.head());
  let seq = 0;
  let hash = '';
  while (seq < head.seq) {
    context.signal.throwIfAborted();
    const page = await context.read((view) => view.audit.page(seq, PAGE));
    const entries = page.filter((entry) => entry.seq <= head.seq);
    const { broken } = await context.workers.run('auditChain', { entries, seq, hash }, { signal: context.signal });
    if (broken !== undefined)
      return { intact: false, entries: head.count, brokenAt: broken.seq, reason: broken.reason };
    const last = entries.at(-1);
    if (last === undefined) {
      return {
        intact: false,
        entries: head.count,
        brokenAt: seq + 1,
        reason: `entries ${seq + 1} to ${head.seq} are missing`,
      };
    }
    ({ seq, hash } = last);
    context.progress({ done: seq, total: head.seq, message: 'audit entries checked' });
  }
  if (hash !== head.hash) {
    return {
      intact: false,
      entries: head.count,
      brokenAt: seq,
      reason: 'the last entry is not the one the store remembers',
    };
  }
  return { intact: true, entries: head.count };
}
