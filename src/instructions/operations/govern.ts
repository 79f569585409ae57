import * as z from 'zod';
import { CairnError } from '../../errors.ts';
import { anchors, refuseBadAnchors } from '../../graph/operations/anchor-input.ts';
import { staleMark } from '../../graph/operations/stale-mark.ts';
import { staleOf } from '../../graph/stale.ts';
import type { Audit } from '../../operations/operation.ts';
import { operation } from '../../operations/operation.ts';
import { scanForSecrets } from '../../service/secret-scan.ts';
import type { Change } from '../../store/store.ts';
import { catalogOf } from '../catalog.ts';
import { derive, dueAfter, tierOf } from '../derive.ts';
import { classifications, type Entry, fileOf, isId, requirements, serialize, statuses } from '../entry.ts';
import { readEntry } from '../file.ts';
import { ownersProblem, readOwners } from '../owners.ts';
import { type Bump, bumped } from '../version.ts';
import { put, refreshed, textOf } from './add.ts';
import { catalogWrite, given, id } from './shape.ts';
import { unreadableIn } from './view.ts';

const bumps = ['major', 'minor', 'patch', 'none'] as const;

const patchShape = z.strictObject({
  title: z.string().max(200).regex(/\S/).optional(),
  owner: z.string().max(200).regex(/\S/).optional(),
  status: z.enum(statuses).optional(),
  classification: z.enum(classifications).optional(),
  requirement: z.enum(requirements).optional(),
  priority: z.number().min(1).max(100).optional(),
  semanticSummary: z.string().max(400).optional(),
  lastReviewedAt: z.iso.datetime({ offset: true }).optional(),
  nextReviewDue: z.iso.datetime({ offset: true }).optional(),
  reviewIntervalDays: z.int().min(1).max(3650).optional(),
  supersedes: z.string().max(200).optional(),
  deprecatedBy: z.string().max(200).optional(),
  anchors: anchors.optional(),
});
type Patch = z.infer<typeof patchShape>;

export const governanceUpdate = operation({
  ...catalogWrite,
  name: 'instructions_governance_update',
  description:
    'Changes what governs an instruction (owner, status, priority, review dates…) and raises its version. Never the body.',
  spellings: ['instructions/governanceUpdate'],
  positional: ['id'],
  input: z.strictObject({ id, patch: patchShape, bump: z.enum(bumps).default('patch') }),
  output: z.object({
    id: z.string(),
    previousVersion: z.string(),
    newVersion: z.string(),
    changed: z.boolean(),
    hash: z.string(),
  }),
  example: { given, input: { id: 'review-small', patch: { owner: 'team-quality' }, bump: 'minor' } },
  async run({ id: wanted, patch, bump }, context) {
    if (context.principal.role === 'agent' && patch.status === 'approved') {
      throw new CairnError('permission_denied', 'Approving an instruction needs the role admin', {
        suggestion: 'Set the status to review, and let somebody with the role admin approve it.',
      });
    }
    refuseBadAnchors(patch.anchors);
    const [secret] = await scanForSecrets(textOf(patch));
    if (secret !== undefined) {
      throw new CairnError('validation_failed', `The patch holds a secret (${secret.rule}): ${secret.masked}`, {
        suggestion: 'Remove it: instructions are read by everybody.',
      });
    }
    const agent = context.principal.role === 'agent';
    const { previous, next } = await context.write((change, audit) =>
      update(change, audit, wanted, patch, bump, agent),
    );
    const hash = await refreshed(context, [wanted]);
    return {
      id: wanted,
      previousVersion: previous.version,
      newVersion: next.version,
      changed: previous !== next,
      hash,
    };
  },
});

async function update(change: Change, audit: Audit, wanted: string, patch: Patch, bump: Bump, agent: boolean) {
  const text = isId(wanted) ? await change.files.read('instructions', fileOf(wanted)) : undefined;
  const reading = text === undefined ? undefined : readEntry(wanted, text);
  if (reading === undefined || 'problem' in reading) {
    const why = reading === undefined ? 'does not exist' : reading.problem;
    throw new CairnError('not_found', `The instruction ${wanted.slice(0, 120)} ${why}`);
  }
  const previous = reading.entry;
  // What governs an approved entry is approved too: changed by an agent, it is a proposal again.
  const own: Patch = agent && previous.status === 'approved' ? { status: 'draft', ...patch } : patch;
  const idle = serialize({ ...previous, ...sentOf(patch) }) === serialize(previous);
  const next = idle ? previous : patched(previous, own, bump, new Date().toISOString());
  if (next === previous) audit.skip();
  else await put(change, audit, next, previous);
  return { previous, next };
}

function sentOf(patch: Patch): Partial<Entry> {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as Partial<Entry>;
}

/** The same entry when the patch changes nothing. */
function patched(previous: Entry, patch: Patch, bump: Bump, now: string): Entry {
  const sent = sentOf(patch);
  const wanted = { ...previous, ...sent };
  if (serialize(wanted) === serialize(previous)) return previous;
  const owned = wanted.owner !== 'unowned';
  if ((wanted.requirement === 'mandatory' || wanted.requirement === 'critical') && !owned) {
    throw new CairnError('validation_failed', 'mandatory/critical require owner', {
      suggestion: 'Add owner to the patch.',
    });
  }
  const version = bumped(previous.version, bump);
  const tierMoved = tierOf(wanted.priority, wanted.requirement) !== previous.priorityTier;
  const days = patch.reviewIntervalDays ?? (tierMoved ? undefined : previous.reviewIntervalDays);
  const dated =
    patch.nextReviewDue ??
    (tierMoved || patch.lastReviewedAt || patch.reviewIntervalDays ? undefined : previous.nextReviewDue);
  const line = { version, changedAt: now, summary: `governance: ${Object.keys(sent).join(', ')}` };
  const { riskScore: _, ...rest } = wanted;
  const facts = {
    ...(patch.priority === undefined && patch.requirement === undefined ? wanted : rest),
    version,
    updatedAt: now,
    reviewIntervalDays: days,
    nextReviewDue: dated ?? (days === undefined ? undefined : dueAfter(wanted.lastReviewedAt, days)),
    changeLog: [...previous.changeLog, line],
  };
  return derive(facts, { now, canonical: false, owner: 'unowned', status: previous.status });
}

export const integrityVerify = operation({
  name: 'integrity_verify',
  description:
    'Compares the body of every instruction with the hash its file carries, names every file that cannot be read, and marks instructions that are stale.',
  family: 'governance',
  toolsets: ['instructions'],
  spellings: ['integrity/verify'],
  verdict: 'ok',
  capability: 'read',
  writes: false,
  input: z.strictObject({}),
  output: z.object({
    hash: z.string(),
    count: z.number(),
    issues: z.array(z.object({ id: z.string(), expected: z.string(), actual: z.string() })),
    issueCount: z.number(),
    ok: z.boolean(),
    unreadable: z.array(z.object({ file: z.string(), problem: z.string() })),
    stale: z
      .array(staleMark.extend({ id: z.string() }))
      .optional()
      .describe('Sound, but what they cite has changed since; stale_list says more.'),
  }),
  example: { given, input: {} },
  async run(_input, context) {
    const catalog = catalogOf(context.store);
    const shelf = await catalog.reread();
    const owners = ownersProblem(await readOwners(context.store.files));
    const unreadable = [
      ...(await unreadableIn(context, { catalog })),
      ...(owners === undefined ? [] : [{ file: 'owners.json', problem: owners }]),
    ];
    const issues = [...shelf.values()]
      .flatMap(({ head, storedHash }) =>
        storedHash === undefined ? [] : [{ id: head.id, expected: storedHash, actual: head.sourceHash }],
      )
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    const stale = await staleOf(context, 'instruction', shelf.ids(undefined).page(0, shelf.size));
    return {
      hash: shelf.hash,
      count: shelf.size,
      issues,
      issueCount: issues.length,
      unreadable,
      ok: issues.length + unreadable.length === 0,
      ...(stale.size > 0 && { stale: [...stale].map(([each, mark]) => ({ id: each, ...mark })) }),
    };
  },
});
