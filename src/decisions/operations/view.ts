import * as z from 'zod';
import { CairnError } from '../../errors.ts';
import { type Context, operation } from '../../operations/operation.ts';
import { chronological } from '../chain.ts';
import { mermaid } from '../graph.ts';
import { type DecisionHead, headOf, type Ledger } from '../ledger.ts';
import { publicId } from '../record.ts';
import { nearTargets, readAliases, resolveTarget } from '../target.ts';
import { currentLedger, decisionShape, given, memoryRead, namespace, shown, success, target } from './shape.ts';

/** More nodes than anybody reads, and more than a browser lays out in good time. */
const MOST_NODES = 200;

export const visualizeGraph = operation({
  ...memoryRead,
  name: 'visualize_graph',
  description: 'A Mermaid diagram of how decisions replaced each other and of the events that speak for them.',
  input: z.strictObject({ target: target.optional().describe('Only decisions of this target.'), namespace }),
  output: success({
    mermaid: z.string(),
    decisions: z.number(),
    truncated: z.boolean().optional(),
    namespace: z.string(),
  }),
  // S3's default is null, and its clients send it.
  prepare: (raw) => {
    if (typeof raw !== 'object' || raw === null || (raw as { target?: unknown }).target !== null) return raw;
    const { target: _all, ...rest } = raw as Record<string, unknown>;
    return rest;
  },
  example: { given, input: { target: 'session_storage' } },
  async run({ target: wanted, namespace: partition }, context) {
    await currentLedger(context);
    const index = context.store.decisions;
    const key = wanted === undefined ? undefined : (await resolved(context, partition, wanted)).key;
    const filter = { namespace: partition, ...(key !== undefined && { targetKey: key }) };
    const heads = (await index.list(filter, MOST_NODES, 0)).map(headOf);
    const total = await index.count(filter);
    const evidenced = await context.read((view) =>
      Promise.all(chronological(heads).map(async (head) => ({ head, events: await view.events.of(head.id) }))),
    );
    return {
      status: 'success' as const,
      mermaid: mermaid(evidenced),
      decisions: heads.length,
      ...(total > heads.length && { truncated: true }),
      namespace: partition,
    };
  },
});

export const decisionChain = operation({
  ...memoryRead,
  name: 'decision_chain',
  description:
    'Why a target is as it is: all its decisions from the first to the one that holds, each with its reason. Use it to understand how something came about.',
  positional: ['target'],
  rest: 'Read single ones with decision_get.',
  input: z.strictObject({ target, namespace, limit: z.int().min(1).max(500).default(50) }),
  output: success({
    target: z.string(),
    namespace: z.string(),
    chain: z.array(
      decisionShape.extend({
        rationale: z.string(),
        consequences: z.array(z.string()),
        until: z.string().optional().describe('When it was replaced.'),
        evidence: z.number(),
      }),
    ),
    active: z.string().optional(),
    conflict: z.array(z.string()).optional().describe('More than one is active: a person must choose.'),
    truncated: z.boolean().optional(),
  }),
  example: { given, input: { target: 'session_storage' } },
  async run({ target: wanted, namespace: partition, limit }, context) {
    const ledger = await currentLedger(context);
    const index = context.store.decisions;
    const { target: name, key } = await resolved(context, partition, wanted);
    const filter = { namespace: partition, targetKey: key, kind: 'decision' };
    const { heads, texts } = await readAll(ledger, async () => {
      // The truth is told in any case, whatever the clock said when it was made.
      const truths = await index.list({ ...filter, statuses: ['active'] }, limit, 0);
      const found = new Map([...(await index.list(filter, limit, 0)), ...truths].map((facts) => [facts.id, facts]));
      return chronological([...found.values()].map(headOf));
    });
    const active = heads.filter(({ status }) => status === 'active').map(({ id }) => publicId(id));
    const byId = new Map(heads.map((head) => [head.id, head]));
    const chain = [];
    for (const head of heads) {
      const events = await context.read((view) => view.events.of(head.id));
      const until = endOf(head, byId);
      chain.push({
        ...shown(head, events),
        rationale: texts.get(head.id) ?? '',
        consequences: head.consequences,
        ...(until !== undefined && { until }),
        evidence: events.length,
      });
    }
    return {
      status: 'success' as const,
      target: name,
      namespace: partition,
      chain,
      ...(active.length === 1 && { active: active[0] }),
      ...(active.length > 1 && { conflict: active }),
      ...((await index.count(filter)) > heads.length && { truncated: true }),
    };
  },
});

/** The decisions that are listed, with their reasons. One whose file went unnoticed, or cannot be read any more, is no decision. */
async function readAll(ledger: Ledger, list: () => Promise<DecisionHead[]>) {
  for (let again = false; ; again = true) {
    const heads = await list();
    const read = await Promise.all(heads.map(async ({ id }) => [id, (await ledger.read(id))?.rationale] as const));
    const gone = read.filter(([, rationale]) => rationale === undefined).map(([id]) => id);
    if (gone.length === 0 || again) return { heads, texts: new Map(read) };
    await ledger.refresh(gone);
  }
}

function endOf(head: DecisionHead, byId: ReadonlyMap<string, DecisionHead>): string | undefined {
  return head.supersededBy === undefined ? undefined : (byId.get(head.supersededBy)?.created ?? head.updated);
}

async function resolved(context: Context, partition: string, wanted: string) {
  const index = context.store.decisions;
  const aliases = await readAliases(context.store.files);
  const found = await resolveTarget(index, aliases, partition, wanted);
  if ((await index.count({ namespace: partition, targetKey: found.key })) > 0) return found;
  const near = nearTargets(await index.targets(partition), found.key);
  const meant = near.length === 0 ? '' : ` Did you mean: ${near.join(', ')}?`;
  throw new CairnError('not_found', `No decision is about '${wanted}' in namespace '${partition}'.${meant}`, {
    suggestion: 'target_list shows all targets.',
  });
}

export const getMemoryStats = operation({
  ...memoryRead,
  name: 'get_memory_stats',
  description: 'How much decision memory holds, in one namespace.',
  input: z.strictObject({ namespace }),
  output: success({
    stats: z.object({
      semantic_decisions: z.number(),
      active_decisions: z.number(),
      superseded_decisions: z.number(),
      open_proposals: z.number(),
      targets: z.number(),
      conflicts: z.number(),
      episodic_events: z.number(),
      namespace: z.string(),
      storage_path: z.string(),
    }),
  }),
  example: { given, input: {} },
  async run({ namespace: partition }, context) {
    await currentLedger(context);
    const index = context.store.decisions;
    const count = (kind: string, ...statuses: string[]) =>
      index.count({ namespace: partition, kind, ...(statuses.length > 0 && { statuses }) });
    const stats = {
      semantic_decisions: await count('decision'),
      active_decisions: await count('decision', 'active'),
      superseded_decisions: await count('decision', 'superseded'),
      open_proposals: await count('proposal', 'proposed'),
      targets: await index.targetCount(partition),
      conflicts: (await index.contested(partition)).length,
      episodic_events: await context.read((view) => view.events.count({ namespace: partition })),
      namespace: partition,
      storage_path: context.store.location,
    };
    return { status: 'success' as const, stats };
  },
});
