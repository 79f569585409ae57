import * as z from 'zod';
import { CairnError } from '../../errors.ts';
import { cite } from '../../graph/stale.ts';
import { type Context, operation } from '../../operations/operation.ts';
import { sha256 } from '../../store/hash.ts';
import type { Change } from '../../store/store.ts';
import { activeFor, enact, put, replaceable } from '../change.ts';
import { serialize } from '../file.ts';
import { headOf, readFrom } from '../ledger.ts';
import { type Decision, newId, plainId, publicId } from '../record.ts';
import { contested, guardIsolation, missing } from '../rules.ts';
import { targetKey } from '../target.ts';
import { noteDecision } from './note.ts';
import { reflectNow } from './reflection.ts';
import { refuseSecrets } from './secrets.ts';
import {
  currentLedger,
  decisionShape,
  memoryRead,
  memoryWrite,
  namespace,
  provenanceOf,
  shown,
  success,
} from './shape.ts';

const proposalId = z.string().min(1).max(200).describe('Id of the proposal, as list_proposals gives it.');

/** Three alike events, so that there is something to reflect on. */
const events = [1, 2, 3].map((turn) => ({
  op: 'record_interaction',
  params: {
    prompt: `Deployment number ${turn}: which region do we deploy the payment service to?`,
    response: 'The payment service is deployed to the Frankfurt region because customer data stays in Europe.',
  },
}));
const given = [...events, { op: 'reflect', params: {} }];

export const listProposals = operation({
  ...memoryRead,
  name: 'list_proposals',
  description: 'Proposals that wait for somebody to accept or reject them, newest first, with their evidence.',
  rest: 'Ask with a smaller limit, or go on with offset.',
  input: z.strictObject({
    namespace,
    proposal_status: z.enum(['proposed', 'accepted', 'rejected', 'all']).default('proposed'),
    limit: z.int().min(1).max(100).default(20),
    offset: z.int().min(0).max(100_000).default(0),
  }),
  output: success({
    proposals: z.array(
      decisionShape.extend({
        evidence: z.array(z.number()),
        suggested_supersedes: z.array(z.string()),
        converted_to: z.string().optional(),
      }),
    ),
    total: z.number(),
    namespace: z.string(),
  }),
  example: { given, input: {} },
  async run({ namespace: partition, proposal_status, limit, offset }, context) {
    await currentLedger(context);
    const index = context.store.decisions;
    const statuses = proposal_status === 'all' ? undefined : [proposal_status];
    const filter = { namespace: partition, kind: 'proposal', ...(statuses && { statuses }) };
    const heads = (await index.list(filter, limit, offset)).map(headOf);
    const proposals = await context.read((view) =>
      Promise.all(
        heads.map(async (head) => {
          const events = await view.events.of(head.id);
          return {
            ...shown(head, []),
            evidence: events.map(({ id }) => id),
            suggested_supersedes: (head.suggestedSupersedes ?? []).map(publicId),
            ...(head.convertedTo !== undefined && { converted_to: publicId(head.convertedTo) }),
          };
        }),
      ),
    );
    return { status: 'success' as const, proposals, total: await index.count(filter), namespace: partition };
  },
});

export const acceptProposal = operation({
  ...memoryWrite,
  name: 'accept_proposal',
  description:
    'Makes a proposal the active decision of its target; what it suggests to supersede is superseded in the same step.',
  capability: 'accept',
  positional: ['proposal_id'],
  input: z.strictObject({ proposal_id: proposalId }),
  output: success({
    message: z.string(),
    decision_id: z.string(),
    superseded: z.array(z.string()),
    namespace: z.string(),
  }),
  example: { given, input: { proposal_id: '$prev.proposals[0]' } },
  async run({ proposal_id }, context) {
    const ledger = await currentLedger(context);
    const written = await context.write(async (change, audit) => {
      const proposal = await openProposal(change, proposal_id);
      const now = new Date().toISOString();
      const setting = { change, index: context.store.decisions, now };
      const old = await replacedBy(setting, proposal, context);
      const decision = accepted(proposal, now, context);
      await enact(setting, decision, old);
      await change.events.moveLinks(proposal.id, decision.id);
      await put(change, { ...proposal, status: 'accepted', convertedTo: decision.id, updated: now });
      await noteDecision(change, audit, decision, old);
      audit.subject(publicId(proposal.id));
      return { decision, proposal, old: old.map(({ id }) => id) };
    });
    await ledger.refresh([written.decision.id, written.proposal.id, ...written.old]);
    await cite(context, 'decision', [written.decision.id], { by: context.principal.name });
    return {
      status: 'success' as const,
      message: 'Accepted',
      decision_id: publicId(written.decision.id),
      superseded: written.old.map(publicId),
      namespace: written.decision.namespace,
    };
  },
});

type Setting = Parameters<typeof replaceable>[0];

/** What the proposal names, as far as it is still active; anything else that is active stands in its way. */
async function replacedBy(setting: Setting, proposal: Decision, { principal }: Context): Promise<Decision[]> {
  const { namespace: partition, target, suggestedSupersedes = [] } = proposal;
  const active = await activeFor(setting.change, setting.index, partition, targetKey(target));
  const named = active.filter(({ id }) => suggestedSupersedes.includes(id));
  if (named.length < active.length)
    throw contested(target, active, [], 'The proposal does not suggest to supersede them.');
  return replaceable(
    setting,
    named.map(({ id }) => id),
    proposal,
    principal,
  );
}

function accepted(proposal: Decision, now: string, context: Context): Decision {
  const { suggestedSupersedes: _suggested, convertedTo: _converted, ...kept } = proposal;
  return {
    ...kept,
    id: newId('decision', proposal.target, now),
    kind: 'decision',
    status: 'active',
    supersedes: [],
    provenance: provenanceOf(context),
    convertedFrom: proposal.id,
    created: now,
    updated: now,
  };
}

export const rejectProposal = operation({
  ...memoryWrite,
  name: 'reject_proposal',
  description:
    'Turns a proposal down; it stays on record, with the reason, and is not made again from the same evidence.',
  capability: 'accept',
  positional: ['proposal_id'],
  input: z.strictObject({
    proposal_id: proposalId,
    reason: z.string().max(2000).optional().describe('Why, for whoever finds it later.'),
  }),
  output: success({ message: z.string(), namespace: z.string() }),
  example: { given, input: { proposal_id: '$prev.proposals[0]', reason: 'Already settled by the platform team.' } },
  async run({ proposal_id, reason }, context) {
    await refuseSecrets(reason ?? '');
    const ledger = await currentLedger(context);
    const proposal = await context.write(async (change, audit) => {
      const present = await openProposal(change, proposal_id);
      guardIsolation(present, context.principal);
      const extra = reason === undefined ? present.extra : { ...present.extra, rejection_reason: reason };
      const next: Decision = { ...present, status: 'rejected', extra, updated: new Date().toISOString() };
      await put(change, next);
      audit.subject(publicId(present.id));
      audit.hashes(sha256(serialize(present)), sha256(serialize(next)));
      return next;
    });
    await ledger.refresh([proposal.id]);
    return { status: 'success' as const, message: 'Rejected', namespace: proposal.namespace };
  },
});

async function openProposal(change: Change, given: string): Promise<Decision> {
  const proposal = await readFrom(change.files, plainId(given));
  if (proposal === undefined) throw missing(given);
  if (proposal.kind !== 'proposal') {
    throw new CairnError('validation_failed', `Proposal ${publicId(proposal.id)} is not a proposal`, {
      suggestion: 'Take an id from list_proposals.',
    });
  }
  if (proposal.status !== 'proposed') {
    throw new CairnError('conflict', `Proposal ${publicId(proposal.id)} is ${proposal.status} already`);
  }
  return proposal;
}

export const reflectOperation = operation({
  ...memoryWrite,
  name: 'reflect',
  description:
    'Looks through recent events for what comes up again and again, and makes proposals of it. Running it twice changes nothing.',
  capability: 'accept',
  idempotent: true,
  input: z.strictObject({
    namespace,
    all_namespaces: z.boolean().default(false).describe('Each namespace that has events, one by one.'),
  }),
  output: success({
    proposals: z.array(z.string()).describe('New ones.'),
    strengthened: z.array(z.string()).describe('Open ones that got more evidence.'),
    events: z.number().describe('How many events were looked at.'),
    namespace: z.string(),
  }),
  example: { given: events, input: {} },
  async run({ namespace: partition, all_namespaces }, context) {
    await currentLedger(context);
    const partitions = all_namespaces ? await context.read(({ events: log }) => log.namespaces()) : [partition];
    const done = [];
    for (const each of partitions) done.push(await reflectNow(context, each));
    return {
      status: 'success' as const,
      proposals: done.flatMap(({ made }) => made.map(publicId)),
      strengthened: done.flatMap(({ grown }) => grown.map(publicId)),
      events: done.reduce((sum, { events: looked }) => sum + looked, 0),
      namespace: all_namespaces ? partitions.join(', ') : partition,
    };
  },
});
