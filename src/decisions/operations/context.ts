import * as z from 'zod';
import { staleMark } from '../../graph/operations/stale-mark.ts';
import { type Stale, staleOf } from '../../graph/stale.ts';
import { type Context, operation } from '../../operations/operation.ts';
import { noEmbedder } from '../../search/embed/embedder.ts';
import { meaningsOf } from '../../search/meaning.ts';
import { isRelevant, type Passage, type Signs, scoreOf, signsOf, weigh } from '../../search/relevance.ts';
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
    'What is known that concerns a prompt: decisions, instructions and documents, as a text to put before it, or nothing when nothing is relevant. Call it at the start of a task.',
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
      documents: z.number(),
      indexes: z.array(z.string()),
    }),
    items: z.array(
      z.object({
        kind: z.string(),
        id: z.string(),
        state: z.string(),
        relevance: z.number(),
        stale: staleMark.optional(),
      }),
    ),
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
    const question = prompt.slice(0, MOST_READ);
    const documents = await documentsOn(context, question);
    const { signs, vectors } = await signsOf(sources, question, words, embedder, documents.passages);
    if (principal.door !== 'cli' && !context.config.readOnly) {
      for (const source of sources) meaningsOf(source.vectors, embedder).fill();
    }
    const relevant = signs.filter(isRelevant).sort((a, b) => weigh(b) - weigh(a));
    const items = await recall(context, relevant, documents.passages, partition, limit);
    const { text, used } = withinCap(items, budget_tokens, context);
    return {
      status: 'success' as const,
      context: text,
      searched: {
        namespace: partition,
        kinds: [...sources.map(({ kind }) => kind), ...(documents.searched ? ['document'] : [])],
        decisions: await store.decisions.count({ namespace: partition, kind: 'decision' }),
        instructions: (await store.instructions.vectors.progress(embedder.model)).of,
        documents: await context.read((view) => view.documents.count({})),
        indexes: vectors ? ['keyword', 'vector'] : ['keyword'],
      },
      items: used.map(({ kind, id, state, relevance, stale }) => ({
        kind,
        id,
        state,
        relevance,
        ...(stale !== undefined && { stale }),
      })),
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

interface FoundDocument {
  readonly hash: string;
  readonly title: string;
  readonly path: string;
  readonly collection: string;
  readonly snippet: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

interface DocumentPassage extends Passage, Pick<FoundDocument, 'title' | 'path' | 'collection'> {}

/** So many documents, so many lines around the place that was found. */
const DOCUMENTS = 5;
const LINES = 4;

/** The places of documents that hold most of the words. A hook does not wait until the last of them are indexed. */
async function documentsOn(
  context: Context,
  question: string,
): Promise<{ searched: boolean; passages: DocumentPassage[] }> {
  const { store, principal } = context;
  const last = await context.read(({ documents }) => documents.lastChange());
  if (last === 0) return { searched: true, passages: [] };
  if (principal.door === 'cli' && (await store.documents.seq()) !== last) return { searched: false, passages: [] };
  const type = principal.door === 'cli' ? 'keyword' : 'hybrid';
  const input = { query: question, limit: DOCUMENTS, context: LINES, fuzzy: false, type };
  const { results } = (await context.call('search', input)) as { results: readonly FoundDocument[] };
  const passages = results.map(({ hash, title, path, collection, before, snippet, after }) => ({
    kind: 'document',
    id: hash,
    title,
    path,
    collection,
    text: [title, ...before, snippet, ...after].join('\n'),
  }));
  return { searched: true, passages };
}

/** The name of a collection is the only word on whose it is; so nobody vouches for it. */
function document({ id, title, path, collection, text }: DocumentPassage, sign: Signs): Recalled {
  return {
    kind: 'document',
    id,
    title,
    state: 'stored',
    source: `${collection}/${path}`,
    trust: 'unreviewed',
    relevance: scoreOf(sign),
    content: text,
  };
}

async function recall(
  context: Context,
  signs: readonly Signs[],
  documents: readonly DocumentPassage[],
  partition: string,
  limit: number,
): Promise<Recalled[]> {
  const found = new Map<string, Recalled>();
  for (const sign of signs) {
    if (found.size >= limit) break;
    const item = await recalled(context, sign, documents, partition);
    if (item !== undefined && !found.has(`${item.kind} ${item.id}`)) found.set(`${item.kind} ${item.id}`, item);
  }
  return [...found.values()];
}

async function recalled(
  context: Context,
  sign: Signs,
  documents: readonly DocumentPassage[],
  partition: string,
): Promise<Recalled | undefined> {
  if (sign.kind === 'decision') return decision(context, sign, partition);
  if (sign.kind === 'instruction') return instruction(context, sign);
  const found = documents.find(({ id }) => id === sign.id);
  return found && document(found, sign);
}

async function decision(context: Context, sign: Signs, partition: string): Promise<Recalled | undefined> {
  const { store } = context;
  const facts = (await store.decisions.get([sign.id])).get(sign.id);
  // Vectors know no namespaces; here they end.
  if (facts === undefined || facts.namespace !== partition || facts.kind !== 'decision') return undefined;
  const truth = await truthOf(store.decisions, headOf(facts));
  const whole = truth && (await ledgerOf(store).read(truth.id));
  // A file that was edited by hand may lead into another namespace, or hold no longer what the index says.
  if (whole === undefined || whole.namespace !== partition || whole.status !== 'active') return undefined;
  const consequences = whole.consequences.map((each) => `- ${each}`);
  const stale = (await staleOf(context, 'decision', [whole.id])).get(whole.id);
  return {
    kind: 'decision',
    id: publicId(whole.id),
    title: whole.title,
    state: whole.status,
    source: whole.target,
    trust: whole.provenance.origin,
    relevance: scoreOf(sign),
    ...(stale !== undefined && { stale }),
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
  readonly stale?: Stale;
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
    ...(item.stale !== undefined && { stale: item.stale }),
    content: item.body,
  };
}
