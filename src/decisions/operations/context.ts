import { resolve } from 'node:path';
import * as z from 'zod';
import { type Context, operation } from '../../operations/operation.ts';
import { noEmbedder } from '../../search/embed/embedder.ts';
import { meaningsOf } from '../../search/meaning.ts';
import { isRelevant, type Signs, scoreOf, signsOf, weigh } from '../../search/relevance.ts';
import { allowedPath } from '../../service/roots.ts';
import { reportText, storagePolicy, surveyProject } from '../bootstrap.ts';
import { contextText, type Recalled } from '../context.ts';
import { headOf, ledgerOf } from '../ledger.ts';
import { publicId } from '../record.ts';
import { tellingWords, truthOf } from '../search.ts';
import { stopWords } from '../stop-words.ts';
import { given, memoryRead, namespace, success } from './shape.ts';

export const getRelevantContext = operation({
  ...memoryRead,
  name: 'get_relevant_context',
  description:
    'What is known that concerns a prompt: decisions and instructions, as a text to put before it, or nothing when nothing is relevant. Call it at the start of a task.',
  toolsets: ['core', 'memory'],
  text: 'context',
  positional: ['prompt'],
  input: z.strictObject({
    prompt: z.string().min(1).max(100_000).describe('The prompt or task.'),
    limit: z.int().min(1).max(20).default(3).describe('How many memories at most.'),
    budget_tokens: z.int().min(50).max(100_000).optional().describe('How long the text may be.'),
    namespace,
  }),
  output: success({
    context: z.string().describe('The text; empty when nothing is relevant.'),
    searched: z.object({
      namespace: z.string(),
      kinds: z.array(z.string()),
      decisions: z.number(),
      instructions: z.number(),
      indexes: z.array(z.string()),
    }),
    items: z.array(z.object({ kind: z.string(), id: z.string(), state: z.string(), relevance: z.number() })),
  }),
  example: { given, input: { prompt: 'Do we use Redis for session caching?', limit: 3 } },
  async run({ prompt, limit, budget_tokens, namespace: partition }, context) {
    const { store, principal } = context;
    // A command is over before a model is loaded: hooks have 300 ms. It answers by words alone.
    const embedder = principal.door === 'cli' ? noEmbedder() : context.embedder;
    await ledgerOf(store).current();
    await instructionsIndexed(context);
    const sources = sourcesOf(context, partition);
    // What is made of stop words alone is small talk here, not a name to be looked up.
    const words = tellingWords(prompt).filter((word) => !stopWords.has(word));
    const { signs, vectors } = await signsOf(sources, prompt.slice(0, MOST_READ), words, embedder);
    if (principal.door !== 'cli' && !context.config.readOnly) {
      for (const source of sources) meaningsOf(source.vectors, embedder).fill();
    }
    const relevant = signs.filter(isRelevant).sort((a, b) => weigh(b) - weigh(a));
    const items = await recall(context, relevant, partition, limit);
    const { text, used } = withinCap(items, budget_tokens, context);
    return {
      status: 'success' as const,
      context: text,
      searched: {
        namespace: partition,
        kinds: sources.map(({ kind }) => kind),
        decisions: await store.decisions.count({ namespace: partition, kind: 'decision' }),
        instructions: (await store.instructions.vectors.progress(embedder.model)).of,
        indexes: vectors ? ['keyword', 'vector'] : ['keyword'],
      },
      items: used.map(({ kind, id, state, relevance }) => ({ kind, id, state, relevance })),
    };
  },
});

/** A prompt may bring a whole file along; what it is about is said at its beginning. */
const MOST_READ = 2000;

/** Bytes around the text in an answer, and for each item that it lists. */
const AROUND = 512;
const AROUND_ITEM = 450;

/** `tools/call` has a cap, and a text that is cut there is no JSON any more: it is made shorter instead. */
function withinCap(items: readonly Recalled[], budget: number | undefined, { config, principal }: Context) {
  const capped = principal.door === 'mcp' || principal.door === 'http';
  const room = capped ? config.maxResponse - AROUND : Number.POSITIVE_INFINITY;
  let made = contextText(items, budget);
  // The text is there twice: as it is, and inside of JSON.
  const bytes = () =>
    Buffer.byteLength(made.text) + Buffer.byteLength(JSON.stringify(made.text)) + made.used.length * AROUND_ITEM;
  while (made.text !== '' && bytes() > room) made = contextText(items, Math.floor((made.text.length / 4) * 0.9));
  return made;
}

/** Looked at once for every home: afterwards each hit is read from its file, so an old index costs a miss at worst. */
async function instructionsIndexed(context: Context): Promise<void> {
  const { instructions, files } = context.store;
  if ((await instructions.version()) > 0 || (await files.list('instructions')).length === 0) return;
  await context.call('instructions_list', { limit: 0 });
}

function sourcesOf({ store: { decisions, instructions } }: Context, partition: string) {
  const filter = { namespace: partition, kind: 'decision', statuses: ['active', 'superseded'] };
  return [
    {
      kind: 'decision',
      vectors: decisions.vectors,
      matching: (words: readonly string[], limit: number) => decisions.matching(words, filter, limit),
      coverage: (words: readonly string[], ids: readonly string[]) => decisions.coverage(words, ids),
    },
    {
      kind: 'instruction',
      vectors: instructions.vectors,
      matching: (words: readonly string[], limit: number) => instructions.matching(words, limit),
      coverage: (words: readonly string[], ids: readonly string[]) => instructions.coverage(words, ids),
    },
  ];
}

async function recall(
  context: Context,
  signs: readonly Signs[],
  partition: string,
  limit: number,
): Promise<Recalled[]> {
  const found = new Map<string, Recalled>();
  for (const sign of signs) {
    if (found.size >= limit) break;
    const item = sign.kind === 'decision' ? await decision(context, sign, partition) : await instruction(context, sign);
    if (item !== undefined && !found.has(`${item.kind} ${item.id}`)) found.set(`${item.kind} ${item.id}`, item);
  }
  return [...found.values()];
}

async function decision({ store }: Context, sign: Signs, partition: string): Promise<Recalled | undefined> {
  const facts = (await store.decisions.get([sign.id])).get(sign.id);
  // Vectors know no namespaces; here they end.
  if (facts === undefined || facts.namespace !== partition || facts.kind !== 'decision') return undefined;
  const truth = await truthOf(store.decisions, headOf(facts));
  const whole = truth && (await ledgerOf(store).read(truth.id));
  // A file that was edited by hand may lead into another namespace, or hold no longer what the index says.
  if (whole === undefined || whole.namespace !== partition || whole.status !== 'active') return undefined;
  const consequences = whole.consequences.map((each) => `- ${each}`);
  return {
    kind: 'decision',
    id: publicId(whole.id),
    title: whole.title,
    state: whole.status,
    source: whole.target,
    trust: whole.provenance.origin,
    relevance: scoreOf(sign),
    content: [whole.rationale, ...consequences].join('\n'),
  };
}

interface Instruction {
  readonly title: string;
  readonly body: string;
  readonly status?: string;
  readonly owner?: string;
  readonly workspaceId?: string;
  readonly userId?: string;
  readonly teamIds?: readonly string[];
}

/** What is a draft, withdrawn, or meant for one person, place or team is left out: the prompt does not say whose it is. */
async function instruction(context: Context, sign: Signs): Promise<Recalled | undefined> {
  const answer = (await context.call('instructions_get', { id: sign.id })) as { item?: Instruction };
  const { item } = answer;
  if (item === undefined || item.status !== 'approved') return undefined;
  if (item.userId !== undefined || item.workspaceId !== undefined || (item.teamIds ?? []).length > 0) return undefined;
  return {
    kind: 'instruction',
    id: sign.id,
    title: item.title,
    state: item.status,
    source: item.owner ?? 'unowned',
    trust: item.owner === undefined || item.owner === 'unowned' ? 'unowned' : 'owned',
    relevance: scoreOf(sign),
    content: item.body,
  };
}

export const bootstrapProject = operation({
  ...memoryRead,
  name: 'bootstrap_project_context',
  description:
    'A first look at a project: its tree, how decisions are to be recorded, and its key files. The entry point for an agent that is new to a project.',
  positional: ['path'],
  rest: 'Read single files yourself, or ask for a folder below.',
  input: z.strictObject({
    path: z.string().min(1).max(4096).default('.').describe('Folder of the project, within the allowed roots.'),
  }),
  output: success({
    path: z.string(),
    report: z.string(),
    directory_structure: z.string(),
    memory_storage_policy: z.string(),
    key_files: z.array(z.object({ path: z.string(), content: z.string(), truncated: z.boolean().optional() })),
    omitted: z.array(z.object({ path: z.string(), reason: z.string() })),
    entries: z.number(),
    truncated: z.string().optional(),
  }),
  example: { input: { path: '.' } },
  async run({ path }, context) {
    const root = await allowedPath(path, context.config, context.principal);
    const survey = await surveyProject(root, { signal: context.signal, progress: context.progress });
    return {
      status: 'success' as const,
      path: resolve(root),
      report: reportText(survey),
      directory_structure: survey.tree,
      memory_storage_policy: storagePolicy,
      key_files: survey.keyFiles,
      omitted: survey.omitted,
      entries: survey.entries,
      ...(survey.truncated !== undefined && { truncated: survey.truncated }),
    };
  },
});
