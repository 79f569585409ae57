import * as z from 'zod';
import { CairnError } from '../../errors.ts';
import { type Context, operation } from '../../operations/operation.ts';
import { isPatient } from '../../operations/patient.ts';
import { lackOf } from '../../search/ask.ts';
import { type Question, questionOf } from '../../search/question.ts';
import { searchTypes } from '../../search/rank.ts';
import type { PlaceFilter } from '../../store/document-index.ts';
import { wholeHash } from '../find.ts';
import { followed } from '../follow.ts';
import { documentMeanings } from '../meanings.ts';
import { rankDocuments } from '../ranking.ts';
import { pathFilterOf, pinnedIds, placesShape, scopeOf, within } from './scope.ts';
import { type Boosted, boosted, type Hit, hitsAt } from './search-boosts.ts';
import { kindsOf, searchedKinds, searchKinds } from './search-kinds.ts';
import { foundShape, shownResults } from './search-results.ts';
import { spellingsOf } from './search-spelling.ts';
import { documentRead, given, hash } from './shape.ts';

/** How long an answer waits for documents that were added a moment ago. */
const PATIENCE_MS = 2000;
const SAME_HASH = 1000;

const input = z.strictObject({
  query: z
    .string()
    .max(10_000)
    .optional()
    .describe(
      'Words or a question; "phrases", prefix*, -excluded and title:, path:, tag:, collection:, ext: narrow it.',
    ),
  kind: z.enum(searchKinds).default('document').describe('What to look through; all for every kind.'),
  limit: z.int().min(1).max(100).default(10),
  offset: z.int().min(0).max(10_000).default(0),
  type: z.enum(searchTypes).default('hybrid').describe('keyword: by words; semantic: by meaning; hybrid: by both.'),
  fuzzy: z.boolean().default(true).describe('Words that no document holds find those spelled like them.'),
  similarity: z.number().min(0).max(1).default(0.7).describe('How alike in spelling.'),
  hash: hash.optional().describe('Documents with this content, by its hash or the beginning of one.'),
  paths_only: z.boolean().default(false),
  line_numbers: z.boolean().default(false),
  highlight: z.boolean().default(false).describe('Where in each excerpt the words stand.'),
  context: z.int().min(0).max(20).default(0).describe('Lines around each excerpt.'),
  explain: z.boolean().default(false).describe('What the score of each is made of.'),
  category: z.string().max(200).optional().describe('Of instructions; so are owner and status.'),
  owner: z.string().max(200).optional(),
  status: z.string().max(50).optional().describe('Of instructions; active: only decisions that hold.'),
  namespace: z.string().max(100).optional().describe('Of decisions and events.'),
  modified_after: z.iso.datetime({ offset: true }).optional(),
  modified_before: z.iso.datetime({ offset: true }).optional(),
  ...placesShape,
});
export type SearchInput = z.infer<typeof input>;

export const search = operation({
  ...documentRead,
  name: 'search',
  description:
    'Finds documents (or instructions, decisions, events: kind) by what they say, mean or are called, best first, with an excerpt of each. Misspelled words find what was meant.',
  positional: ['query'],
  rest: 'Go on with offset, or ask with a smaller limit.',
  input,
  output: z.object({
    total: z.number(),
    at_least: z.boolean().optional().describe('There are more than total; they were not counted.'),
    type: z.string().describe('How it was searched: full-text by words, semantic by meaning, hybrid by both.'),
    execution_time_ms: z.number(),
    results: z.array(foundShape).optional(),
    paths: z.array(z.string()).optional(),
    indexes: z
      .object({ keyword: z.string(), vector: z.string().optional() })
      .describe('What answered: ready, how much of it is, or why not.'),
    searched: z.string(),
    spelling: z.record(z.string(), z.array(z.string())).optional().describe('What misspelled words were taken for.'),
    pending: z.number().optional().describe('Changes of documents that cannot be found yet.'),
  }),
  example: { given, input: { query: 'store design', limit: 5 } },
  async run(input, context) {
    const started = performance.now();
    if (input.query === undefined && input.hash === undefined)
      throw new CairnError('validation_failed', 'Say what to search for: query, or hash');
    const answer = await answered(context, input);
    const page = answer.found.slice(input.offset, input.offset + input.limit);
    return {
      total: Math.max(answer.total, answer.found.length),
      ...(answer.atLeast && { at_least: true }),
      type: answer.type === 'keyword' ? 'full-text' : answer.type,
      execution_time_ms: Math.round(performance.now() - started),
      ...(input.paths_only
        ? { paths: page.map(({ hit }) => hit?.document.path ?? '').filter((path) => path !== '') }
        : { results: await shownResults(context, page, answer.words, input) }),
      indexes: answer.indexes,
      searched: answer.searched,
      ...(Object.keys(answer.spelling).length > 0 && { spelling: answer.spelling }),
      ...(answer.pending > 0 && { pending: answer.pending }),
    };
  },
});

async function answered(context: Context, input: SearchInput) {
  const kinds = kindsOf(input);
  const own = kinds.includes('document') ? await documentsFor(context, input) : undefined;
  if (own !== undefined && kinds.length === 1) return own;
  return searchedKinds(context, input, kinds, own);
}

export interface Answer {
  readonly total: number;
  readonly atLeast: boolean;
  readonly type: string;
  readonly found: readonly Boosted[];
  readonly words: readonly string[];
  readonly spelling: Record<string, string[]>;
  readonly indexes: { keyword: string; vector?: string };
  readonly searched: string;
  readonly pending: number;
}

async function documentsFor(context: Context, input: SearchInput): Promise<Answer> {
  const { pending } = await followed(context, PATIENCE_MS);
  fillLater(context);
  if (input.hash !== undefined) return { ...(await byHash(context, input.hash)), pending };
  const question = questionOf(input.query ?? '', fields);
  refuseEmpty(question);
  const scope = narrowedBy(input, question);
  const fits = pathFilterOf(scope);
  const filter: PlaceFilter = {
    ...(await within(context, scope)),
    ...(fits !== undefined && { fits }),
    ...(input.modified_after !== undefined && { after: input.modified_after }),
    ...(input.modified_before !== undefined && { before: input.modified_before }),
  };
  // A meaning has no spelling.
  const byWords = input.type !== 'semantic' || lackOf(context.embedder) !== undefined;
  const spelling = input.fuzzy && byWords ? await spellingsOf(context.store, question.words, input.similarity) : {};
  const words = question.words.flatMap((word) => spelling[word] ?? [word]);
  const wanted = input.offset + input.limit;
  const asking = { question, words, type: input.type, filter, wanted, patient: isPatient(context, input.type) };
  const ranking = await rankDocuments(context.store, context.embedder, asking);
  const pins = await pinnedIds(context, input.session);
  const pinned =
    pins.length === 0
      ? []
      : (await rankDocuments(context.store, context.embedder, { ...asking, filter: { ...filter, ids: pins } })).hits;
  const first = new Set(pinned.map(({ id }) => id));
  const contents = [...pinned, ...ranking.hits.filter(({ id }) => !first.has(id))];
  const hits = await hitsAt(context, contents, filter, wanted);
  const found = boosted(hits, question, new Set(pins));
  return {
    total: ranking.total,
    atLeast: ranking.atLeast,
    type: ranking.type,
    found,
    words,
    spelling,
    indexes: ranking.indexes,
    searched: `text, titles and paths of documents in ${scopeOf(scope)}`,
    pending,
  };
}

const fields = { searched: ['title'], narrowing: ['path', 'tag', 'collection', 'ext', 'extension'] };

function refuseEmpty({ words, required, excluded, filters }: Question): void {
  if (words.length > 0 || required.length > 0) return;
  if (excluded.length === 0 && Object.keys(filters).length === 0) return;
  throw new CairnError('validation_failed', 'Say what to look for, not only where or what to leave out', {
    suggestion: 'Add a word; or list, with the same filters, shows all there is.',
  });
}

/** `path:` and the like in the question mean what the parameters mean. */
function narrowedBy(input: SearchInput, { filters }: Question): SearchInput {
  const [collection] = filters.collection ?? [];
  const [extension] = filters.ext ?? filters.extension ?? [];
  const [tag] = filters.tag ?? [];
  return {
    ...input,
    ...(filters.path && { paths: [...(input.paths ?? []), ...filters.path] }),
    ...(collection !== undefined && { collection }),
    ...(extension !== undefined && { extension }),
    ...(tag !== undefined && { tag }),
  };
}

/** A command is over before anything is embedded; `cairn embed` does it while one waits. */
function fillLater({ store, embedder, principal, config }: Context): void {
  if (principal.door !== 'cli' && !config.readOnly) documentMeanings(store, embedder).fill();
}

async function byHash(context: Context, given: string): Promise<Omit<Answer, 'pending'>> {
  const found = await context.read(async ({ documents }) => {
    const whole = await wholeHash(documents, given);
    return whole === undefined ? [] : documents.withHash(whole, SAME_HASH);
  });
  const hits = found.map((document): Hit => ({ document, score: 1, parts: { keyword: 1 } }));
  return {
    total: hits.length,
    atLeast: false,
    type: 'keyword',
    found: hits.map((hit) => ({ hit, score: hit.score, boosts: {} })),
    words: [],
    spelling: {},
    indexes: { keyword: 'ready' },
    searched: 'contents of all documents by their hash',
  };
}
