import * as z from 'zod';
import { staleMark } from '../../graph/operations/stale-mark.ts';
import { staleOf } from '../../graph/stale.ts';
import { type Context, operation } from '../../operations/operation.ts';
import { isPatient } from '../../operations/patient.ts';
import { meaningsOf } from '../../search/meaning.ts';
import { questionOf } from '../../search/question.ts';
import { type Ranking, rank, type SearchType, searchTypes } from '../../search/rank.ts';
import type { DecisionFilter, DecisionIndex } from '../../store/store.ts';
import type { DecisionHead } from '../ledger.ts';
import { plainId, publicId } from '../record.ts';
import { missing } from '../rules.ts';
import { modes, searchDecisions, tellingWords } from '../search.ts';
import { targetKey } from '../target.ts';
import { currentLedger, decisionId, decisionShape, given, memoryRead, namespace, shown, success } from './shape.ts';

const PREVIEW = 240;

export const searchDecisionsOperation = operation({
  ...memoryRead,
  name: 'search_decisions',
  description:
    'Finds decisions by a question in plain words. Use it before deciding anything. balanced (default) answers with what holds today, also where a replaced decision matched; strict looks at active ones only; audit at all of them.',
  toolsets: ['core', 'memory'],
  positional: ['query'],
  rest: 'Ask with a smaller limit, or go on with offset.',
  input: z.strictObject({
    query: z.string().max(2000).regex(/\S/).describe('Question or words.'),
    limit: z.int().min(1).max(50).default(5),
    offset: z.int().min(0).max(10_000).default(0),
    namespace,
    mode: z.enum(modes).default('balanced'),
    type: z.enum(searchTypes).default('hybrid').describe('keyword: by words; semantic: by meaning; hybrid: by both.'),
    explain: z.boolean().default(false).describe('Also say what each score is made of.'),
  }),
  output: success({
    results: z.array(
      decisionShape.extend({
        score: z.number(),
        preview: z.string(),
        explain: z.record(z.string(), z.number()).optional(),
        conflict: z
          .boolean()
          .optional()
          .describe('The target has more than one active decision: a person must choose.'),
        stale: staleMark.optional().describe('What it cites has changed since: check that it still holds.'),
        matched: z
          .object({ id: z.string(), status: z.string(), title: z.string() })
          .optional()
          .describe('The replaced decision whose text matched.'),
      }),
    ),
    searched: z.object({ namespace: z.string(), mode: z.string(), decisions: z.number() }),
    indexes: z.record(z.string(), z.string()),
  }),
  example: { given, input: { query: 'How do we cache sessions?', limit: 3 } },
  async run({ query, limit, offset, namespace: partition, mode, type, explain }, context) {
    await currentLedger(context);
    const index = context.store.decisions;
    const ranker = rankerOf(context, query, type);
    const wanted = { namespace: partition, mode, wanted: offset + limit };
    const hits = await searchDecisions(index, ranker.rank, wanted);
    const page = hits.slice(offset, offset + limit);
    const ids = page.map(({ head }) => head.id);
    const bodies = await index.bodies(ids);
    const stale = await staleOf(context, 'decision', ids);
    const results = await context.read((view) =>
      Promise.all(
        page.map(async ({ head, score, parts, matched }) => ({
          ...shown(head, await view.events.of(head.id)),
          score: Math.round(score * 1000) / 1000,
          preview: preview(bodies.get(head.id) ?? ''),
          ...(explain && { explain: parts }),
          ...((await isDisputed(index, head)) && { conflict: true }),
          ...(stale.has(head.id) && { stale: stale.get(head.id) }),
          ...(matched && { matched: { id: publicId(matched.id), status: matched.status, title: matched.title } }),
        })),
      ),
    );
    const decisions = await index.count({ namespace: partition });
    return {
      status: 'success' as const,
      results,
      searched: { namespace: partition, mode, decisions },
      indexes: ranker.indexes(),
    };
  },
});

const fields = { searched: ['title', 'target'], narrowing: [] };

/** The order of the same question for as many as are asked for; what answered is known afterwards. */
function rankerOf(context: Context, query: string, type: SearchType) {
  const { store, embedder, principal, config } = context;
  const index = store.decisions;
  const question = questionOf(query, fields);
  const words = question.words.length > 0 ? tellingWords(question.words.join(' ')) : [];
  const meanings = meaningsOf(index.vectors, embedder);
  if (principal.door !== 'cli' && !config.readOnly) meanings.fill();
  let indexes: Ranking['indexes'] = { keyword: 'ready' };
  return {
    rank: async (filter: DecisionFilter, limit: number) => {
      const ranking = await rank({
        question,
        type,
        embedder,
        meanings,
        worded: await index.matching(words, filter, limit, question),
        allowed: () => index.allowed(filter, question),
        patient: isPatient(context, type),
      });
      ({ indexes } = ranking);
      return ranking.order;
    },
    indexes: () => ({ ...indexes }) as Record<string, string>,
  };
}

async function isDisputed(
  index: DecisionIndex,
  { namespace: partition, target, status }: DecisionHead,
): Promise<boolean> {
  if (status !== 'active') return false;
  const filter = { namespace: partition, targetKey: targetKey(target), kind: 'decision', statuses: ['active'] };
  return (await index.list(filter, 2, 0)).length > 1;
}

function preview(body: string): string {
  const line = body.replace(/\s+/g, ' ').trim();
  return line.length <= PREVIEW ? line : `${line.slice(0, PREVIEW - 1)}…`;
}

export const decisionGet = operation({
  ...memoryRead,
  name: 'decision_get',
  description: 'One decision or proposal, whole: its reason, consequences, links and evidence.',
  positional: ['decision_id'],
  input: z.strictObject({ decision_id: decisionId }),
  output: success({
    decision: decisionShape.extend({
      rationale: z.string(),
      consequences: z.array(z.string()),
      provenance: z.record(z.string(), z.string()),
      updated: z.string(),
      stale: staleMark.optional(),
      suggested_supersedes: z.array(z.string()).optional(),
      converted_to: z.string().optional(),
      converted_from: z.string().optional(),
      evidence: z.array(
        z.object({
          event_id: z.number(),
          kind: z.string(),
          subject: z.string(),
          success: z.boolean(),
          created: z.string(),
        }),
      ),
    }),
  }),
  example: { given, input: { decision_id: '$prev.decision_id' } },
  async run({ decision_id }, context) {
    const ledger = await currentLedger(context);
    const decision = await ledger.read(plainId(decision_id));
    if (decision === undefined) throw missing(decision_id);
    const events = await context.read((view) => view.events.of(decision.id));
    const { suggestedSupersedes, convertedTo, convertedFrom } = decision;
    const stale = (await staleOf(context, 'decision', [decision.id])).get(decision.id);
    return {
      status: 'success' as const,
      decision: {
        ...shown(decision, events),
        rationale: decision.rationale,
        consequences: decision.consequences,
        provenance: { ...decision.provenance } as Record<string, string>,
        updated: decision.updated,
        ...(stale !== undefined && { stale }),
        ...(suggestedSupersedes && { suggested_supersedes: suggestedSupersedes.map(publicId) }),
        ...(convertedTo !== undefined && { converted_to: publicId(convertedTo) }),
        ...(convertedFrom !== undefined && { converted_from: publicId(convertedFrom) }),
        evidence: events.map(({ id, kind, subject, success: held, created }) => ({
          event_id: id,
          kind,
          subject,
          success: held,
          created,
        })),
      },
    };
  },
});
