import * as z from 'zod';
import { operation } from '../../operations/operation.ts';
import { evaluateGates, parseGates } from '../gates.ts';
import { given } from './shape.ts';
import { viewCatalog } from './view.ts';

const reads = { family: 'governance', capability: 'read', writes: false } as const;
const record = z.record(z.string(), z.unknown());

export const promptReview = operation({
  ...reads,
  name: 'prompt_review',
  description:
    'Reviews a prompt before it is used: embedded secrets, injection phrases, ambiguity, destructive commands. Each issue says what to do.',
  toolsets: ['core', 'instructions'],
  spellings: ['prompt/review'],
  positional: ['prompt'],
  rest: 'Have the prompt reviewed in parts.',
  input: z.strictObject({ prompt: z.string().describe('At most 10 KB.') }),
  output: z.object({
    issues: z.array(record),
    summary: z.object({ counts: z.record(z.string(), z.number()), highestSeverity: z.string().optional() }),
  }),
  example: { input: { prompt: 'Summarise the attached report for the finance team in five sentences.' } },
  async run({ prompt }, { store }) {
    // The expressions and their engine load when the first prompt is reviewed.
    const { builtInCriteria, parseCriteria, reviewPrompt } = await import('../review.ts');
    const own = await store.files.read('home', 'prompt-criteria.json');
    const { issues, summary } = await reviewPrompt(prompt, own === undefined ? builtInCriteria() : parseCriteria(own));
    const { highestSeverity } = summary;
    return {
      issues,
      summary: { counts: { ...summary.counts } as Record<string, number>, ...(highestSeverity && { highestSeverity }) },
    };
  },
});

export const gatesEvaluate = operation({
  ...reads,
  name: 'gates_evaluate',
  description:
    'Evaluates the policy gates of gates.json: how many entries fit each condition, and whether that is allowed.',
  toolsets: ['instructions'],
  spellings: ['gates/evaluate'],
  input: z.strictObject({}),
  output: z.object({
    generatedAt: z.string(),
    results: z.array(record),
    summary: z.object({ errors: z.number(), warnings: z.number(), total: z.number() }),
    notConfigured: z.boolean().optional(),
  }),
  example: { given, input: {} },
  async run(_input, context) {
    const { files } = context.store;
    const text = (await files.read('instructions', 'gates.json')) ?? (await files.read('home', 'gates.json'));
    const gates = text === undefined ? [] : parseGates(text);
    const view = await viewCatalog(context, true);
    const heads = [...view.shelf.values()].map(({ head }) => head);
    const needsBodies = gates.some((gate) => 'readsBody' in gate && gate.readsBody);
    const subjects = needsBodies ? await view.catalog.entries(heads.map(({ id }) => id)) : heads;
    return { ...evaluateGates(gates, subjects, new Date()), ...(text === undefined && { notConfigured: true }) };
  },
});
