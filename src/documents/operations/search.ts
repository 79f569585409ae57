import * as z from 'zod';
import { CairnError } from '../../errors.ts';
import { type Context, operation } from '../../operations/operation.ts';
import { snippetOf } from '../../search/snippet.ts';
import { meantBy } from '../../search/spelling.ts';
import { soughtWords } from '../../search/words.ts';
import { mask } from '../../service/secret.ts';
import type { DocumentMatch, PlaceFilter } from '../../store/document-index.ts';
import type { DocumentRecord } from '../../store/documents.ts';
import { wholeHash } from '../find.ts';
import { followed } from '../follow.ts';
import { beginningOf } from '../letters.ts';
import { folderOf, pinnedIds, placesShape, scopeOf, within } from './scope.ts';
import { documentRead, given, hash } from './shape.ts';

/** How long an answer waits for documents that were added a moment ago. */
const PATIENCE_MS = 2000;
const EXCERPT_BYTES = 1024 * 1024;
const SPELLINGS_LOOKED_AT = 100;
const SPELLINGS = 3;

const found = z.object({
  id: z.number(),
  hash: z.string(),
  title: z.string(),
  path: z.string(),
  collection: z.string(),
  score: z.number(),
  snippet: z.string(),
  line: z.number().optional(),
  before: z.array(z.string()).optional(),
  after: z.array(z.string()).optional(),
  pinned: z.boolean().optional(),
});

const input = z.strictObject({
  query: z.string().max(10_000).optional().describe('Words or a question; not needed with hash.'),
  limit: z.int().min(1).max(100).default(10),
  offset: z.int().min(0).max(10_000).default(0),
  type: z.enum(['keyword', 'semantic', 'hybrid']).default('hybrid'),
  fuzzy: z.boolean().default(true).describe('Words that no document holds find those spelled like them.'),
  similarity: z.number().min(0).max(1).default(0.7).describe('How alike in spelling.'),
  hash: hash.optional().describe('Documents with this content, by its hash or the beginning of one.'),
  paths_only: z.boolean().default(false),
  line_numbers: z.boolean().default(false),
  context: z.int().min(0).max(20).default(0).describe('Lines around each excerpt.'),
  ...placesShape,
});
type Input = z.infer<typeof input>;

export const search = operation({
  ...documentRead,
  name: 'search',
  description:
    'Finds documents by what they say or are called, best first, with an excerpt of each. Misspelled words find what was meant.',
  positional: ['query'],
  rest: 'Go on with offset, or ask with a smaller limit.',
  input,
  output: z.object({
    total: z.number(),
    at_least: z.boolean().optional().describe('There are more than total; they were not counted.'),
    type: z.string().describe('full-text: by words.'),
    execution_time_ms: z.number(),
    results: z.array(found).optional(),
    paths: z.array(z.string()).optional(),
    indexes: z.array(z.string()).describe('What answered.'),
    searched: z.string(),
    spelling: z.record(z.string(), z.array(z.string())).optional().describe('What misspelled words were taken for.'),
    pending: z.number().optional().describe('Changes of documents that cannot be found yet.'),
  }),
  example: { given, input: { query: 'store design', limit: 5 } },
  async run(input, context) {
    const started = performance.now();
    if (input.query === undefined && input.hash === undefined)
      throw new CairnError('validation_failed', 'Say what to search for: query, or hash');
    if (input.type === 'semantic') throw noMeanings();
    const { pending } = await followed(context, PATIENCE_MS);
    const filter = await within(context, input);
    const answer = input.hash === undefined ? await byWords(context, input, filter) : await byHash(context, input.hash);
    const page = answer.found.slice(input.offset, input.offset + input.limit);
    return {
      total: Math.max(answer.total, answer.found.length),
      ...(answer.atLeast && { at_least: true }),
      type: 'full-text',
      execution_time_ms: Math.round(performance.now() - started),
      ...(input.paths_only
        ? { paths: page.map(({ document }) => document.path) }
        : { results: await shownResults(context, page, answer.words, input) }),
      indexes: ['keyword'],
      searched: `text, titles and paths of documents in ${scopeOf(input)}`,
      ...(Object.keys(answer.spelling).length > 0 && { spelling: answer.spelling }),
      ...(pending > 0 && { pending }),
    };
  },
});

interface Hit {
  readonly document: DocumentRecord;
  readonly score: number;
  readonly pinned: boolean;
}

interface Answer {
  readonly total: number;
  readonly atLeast: boolean;
  readonly found: readonly Hit[];
  readonly words: readonly string[];
  readonly spelling: Record<string, string[]>;
}

async function byWords(context: Context, input: Input, filter: PlaceFilter): Promise<Answer> {
  const { documents: index } = context.store;
  const asked = soughtWords(input.query ?? '');
  const spelling = input.fuzzy ? await spellingsOf(context, asked, input.similarity) : {};
  const words = asked.flatMap((word) => spelling[word] ?? [word]);
  const fits = folderOf(input);
  const wanted = input.offset + input.limit;
  const pins = await pinnedIds(context, input.session);
  const pinned = pins.length === 0 ? [] : (await index.matching(words, { ...filter, ids: pins }, wanted)).found;
  const first = new Set(pinned.map(({ id }) => id));
  // Patterns are compared after the ranking: where they leave too few, more are ranked.
  for (let ranked = wanted; ; ranked *= 4) {
    const { total, found, atLeast = false } = await index.matching(words, filter, ranked);
    const all = await recordsOf(context, [...pinned, ...found.filter(({ id }) => !first.has(id))], first);
    const hits = all.filter(({ document }) => fits(document.path));
    if (hits.length < wanted && found.length === ranked) continue;
    const counted =
      hits.length < all.length ? { total: hits.length, atLeast: found.length === ranked } : { total, atLeast };
    return { ...counted, found: hits, words, spelling };
  }
}

async function spellingsOf({ store }: Context, words: readonly string[], similarity: number) {
  const meant: Record<string, string[]> = Object.create(null);
  for (const word of await store.documents.unknown(words)) {
    const near = meantBy(word, await store.documents.spelledLike(word, SPELLINGS_LOOKED_AT), similarity, SPELLINGS);
    if (near.length > 0) meant[word] = near;
  }
  return meant;
}

async function byHash(context: Context, given: string): Promise<Answer> {
  const found = await context.read(async ({ documents }) => {
    const whole = await wholeHash(documents, given);
    return whole === undefined ? [] : documents.withHash(whole, 1000);
  });
  const hits = found.map((document) => ({ document, score: 1, pinned: false }));
  return { total: hits.length, atLeast: false, found: hits, words: [], spelling: {} };
}

async function recordsOf(
  context: Context,
  found: readonly DocumentMatch[],
  pinned: ReadonlySet<number>,
): Promise<Hit[]> {
  return context.read(async ({ documents }) => {
    const hits: Hit[] = [];
    for (const { id, score } of found) {
      const document = await documents.get(id);
      // It may have gone since it was indexed.
      if (document !== undefined) {
        hits.push({ document, score: rounded(score / (1 + score)), pinned: pinned.has(id) });
      }
    }
    return hits;
  });
}

async function shownResults(
  { store }: Context,
  page: readonly Hit[],
  words: readonly string[],
  { line_numbers, context }: Input,
) {
  const results: z.infer<typeof found>[] = [];
  for (const { document, score, pinned } of page) {
    const { id, hash: content, path, collection, kind } = document;
    const kept = await store.documents.kept(content);
    const text = kept?.text ?? (kind === 'text' ? await beginningOf(store, document, EXCERPT_BYTES) : '');
    const { line, before, after, ...excerpt } = snippetOf(text, words, context);
    const title = kept?.title ?? path.slice(path.lastIndexOf('/') + 1);
    results.push({
      id,
      hash: content,
      title,
      path,
      collection,
      score,
      snippet: mask(excerpt.text),
      ...(line_numbers && { line }),
      ...(context > 0 && { before: before.map(mask), after: after.map(mask) }),
      ...(pinned && { pinned }),
    });
  }
  return results;
}

function rounded(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}

function noMeanings(): CairnError {
  return new CairnError('validation_failed', 'Documents are searched by words so far, not by meaning', {
    suggestion: 'Use type keyword or hybrid.',
  });
}
