import * as z from 'zod';
import { CairnError } from '../../errors.ts';
import { normalAnchors } from '../../graph/anchors.ts';
import { anchors, refuseBadAnchors } from '../../graph/operations/anchor-input.ts';
import { cite } from '../../graph/stale.ts';
import { type Context, operation } from '../../operations/operation.ts';
import { activeFor, enact, replaceable } from '../change.ts';
import { cooledDown } from '../cooldown.ts';
import { likeness, SAME } from '../likeness.ts';
import { type Decision, newId, publicId } from '../record.ts';
import { contested, guardIsolation } from '../rules.ts';
import { alike } from '../similar.ts';
import { nearTargets, readAliases, resolveTarget, targetKey } from '../target.ts';
import { noteDecision } from './note.ts';
import { refuseSecrets } from './secrets.ts';
import {
  consequences,
  currentLedger,
  decisionId,
  given,
  memoryWrite,
  namespace,
  provenanceOf,
  rationale,
  success,
  target,
  title,
} from './shape.ts';

const answer = {
  decision_id: z.string(),
  target: z.string().describe('As it is known: another spelling of it may have been given.'),
  namespace: z.string(),
  superseded: z.array(z.string()).optional().describe('Decisions that this one replaced.'),
};
const near = z.object({ id: z.string(), title: z.string(), target: z.string(), similarity: z.number() });

export const recordDecision = operation({
  ...memoryWrite,
  name: 'record_decision',
  shown: ['namespace'],
  description:
    'Records why something is decided, for one target. Use it when a choice is made that others must know. Refuses with CONFLICT when the target has an active decision that says something else: then use supersede_decision.',
  toolsets: ['core', 'memory'],
  capability: 'propose',
  input: z.strictObject({
    title,
    target,
    rationale: rationale(10).describe('Why it was decided (at least 10 characters).'),
    consequences,
    anchors: anchors.default([]),
    namespace,
  }),
  output: success({
    ...answer,
    message: z.string().optional(),
    similarity: z.number().optional(),
    similar: z.array(near).optional().describe('Decisions on other targets that say much the same.'),
  }),
  example: { input: given[0].params },
  async run(input, context) {
    const ledger = await currentLedger(context);
    const { decision, replaced, value } = await cooledDown(context, async () => {
      await guardWriting(input, 10);
      const draft = await drafted(context, input);
      return { decision: draft, ...(await place(context, draft)) };
    });
    await ledger.refresh([decision.id, ...replaced]);
    await cite(context, 'decision', [decision.id], { by: context.principal.name });
    const similar = await alike(context.store.decisions, decision);
    return {
      status: 'success' as const,
      decision_id: publicId(decision.id),
      target: decision.target,
      namespace: decision.namespace,
      ...(replaced.length > 0 && {
        superseded: replaced.map(publicId),
        similarity: value,
        message: 'The active decision on this target said much the same; this one replaces it.',
      }),
      ...(similar.length > 0 && { similar }),
    };
  },
});

/** How often a record is judged again because somebody else changed the target meanwhile. */
const ATTEMPTS = 5;

/** Compared outside the write lock, which must stay short; decided inside, on the decisions that were compared. */
async function place(context: Context, decision: Decision): Promise<{ replaced: string[]; value?: number }> {
  const { store, principal } = context;
  const { namespace: partition } = decision;
  const key = targetKey(decision.target);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const seen = await context.read((view) => activeFor(view, store.decisions, partition, key));
    const alikeness = seen.length === 0 ? undefined : await likeness(decision, seen, context.embedder);
    if (alikeness !== undefined && alikeness.value <= SAME) {
      const known = await store.decisions.targets(partition);
      throw contested(decision.target, seen, nearTargets(known, key), alikeness.why);
    }
    for (const old of seen) guardIsolation(old, principal);
    const replaced = await context.write(async (change, audit) => {
      const active = await activeFor(change, store.decisions, partition, key);
      if (idsOf(active).join() !== idsOf(seen).join()) {
        audit.skip();
        return undefined;
      }
      await enact({ change, index: store.decisions, now: decision.created }, decision, active);
      await noteDecision(change, audit, decision, active);
      return idsOf(active);
    });
    if (replaced !== undefined) return { replaced, ...(alikeness && { value: alikeness.value }) };
  }
  throw new CairnError('conflict', `Target '${decision.target}' is being changed by others: try again`);
}

function idsOf(decisions: readonly Decision[]): string[] {
  return decisions.map(({ id }) => id);
}

export const supersedeDecision = operation({
  ...memoryWrite,
  name: 'supersede_decision',
  shown: ['namespace'],
  description:
    'Replaces active decisions of one target with a new one; the old ones stay in the history, linked both ways, and their evidence moves along.',
  toolsets: ['core', 'memory'],
  capability: 'supersede',
  destructive: true,
  input: z.strictObject({
    title,
    target,
    rationale: rationale(15).describe('Why the old ones are replaced (at least 15 characters).'),
    old_decision_ids: z.array(decisionId).min(1).max(100).describe('The decisions to replace.'),
    consequences,
    anchors: anchors.default([]),
    namespace,
  }),
  output: success(answer),
  example: {
    given,
    input: {
      title: 'Migrate session storage to Valkey',
      target: 'session_storage',
      rationale: 'Valkey is the open-source Redis fork with a more permissive license, needed for compliance.',
      old_decision_ids: ['$prev.decision_id'],
    },
  },
  async run({ old_decision_ids, ...input }, context) {
    const ledger = await currentLedger(context);
    const { decision, replaced } = await cooledDown(context, async () => {
      await guardWriting(input, 15);
      const draft = await drafted(context, input);
      const old = await context.write(async (change, audit) => {
        const setting = { change, index: context.store.decisions, now: draft.created };
        const found = await replaceable(setting, old_decision_ids, draft, context.principal);
        await enact(setting, draft, found);
        await noteDecision(change, audit, draft, found);
        return found.map(({ id }) => id);
      });
      return { decision: draft, replaced: old };
    });
    await ledger.refresh([decision.id, ...replaced]);
    await cite(context, 'decision', [decision.id], { by: context.principal.name });
    return {
      status: 'success' as const,
      decision_id: publicId(decision.id),
      target: decision.target,
      namespace: decision.namespace,
      superseded: replaced.map(publicId),
    };
  },
});

type Draft = Pick<Decision, 'title' | 'target' | 'rationale' | 'consequences' | 'namespace'> & {
  readonly anchors: readonly string[];
};

async function guardWriting(draft: Draft, least: number): Promise<void> {
  refuseBadAnchors(draft.anchors);
  if (draft.rationale.trim().length < least) {
    throw new CairnError('validation_failed', `The rationale is too short: at least ${least} characters say why`);
  }
  if ([draft.title, ...draft.consequences].some((each) => oneLine(each) === '')) {
    throw new CairnError('validation_failed', 'A title or consequence has no character that can be read');
  }
  await refuseSecrets(draft.title, draft.target, draft.rationale, ...draft.consequences, ...draft.anchors);
}

async function drafted(context: Context, draft: Draft): Promise<Decision> {
  const aliases = await readAliases(context.store.files);
  const resolved = await resolveTarget(context.store.decisions, aliases, draft.namespace, draft.target);
  const now = new Date().toISOString();
  return {
    title: oneLine(draft.title),
    rationale: draft.rationale.trim(),
    consequences: draft.consequences.map(oneLine),
    ...(draft.anchors.length > 0 && { anchors: normalAnchors(draft.anchors) }),
    namespace: draft.namespace,
    id: newId('decision', resolved.target, now),
    kind: 'decision',
    target: resolved.target,
    status: 'active',
    supersedes: [],
    provenance: provenanceOf(context),
    confidence: 1,
    created: now,
    updated: now,
    extra: {},
  };
}

function oneLine(text: string): string {
  // Control characters are for terminals, not for people.
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}
