/** Hits as an answer shows them: each with the place of its text that answers best. */
import * as z from 'zod';
import { toCairnError } from '../../errors.ts';
import { staleMark } from '../../graph/operations/stale-mark.ts';
import type { Context } from '../../operations/operation.ts';
import { documentWindows } from '../../search/passages.ts';
import { sectionsOf } from '../../search/sections.ts';
import { highlightsIn, snippetOf } from '../../search/snippet.ts';
import { mask } from '../../service/secret.ts';
import { readableText } from '../meanings.ts';
import type { SearchInput } from './search.ts';
import { type Boosted, type Hit, rounded } from './search-boosts.ts';

const EXCERPT_BYTES = 1024 * 1024;

const range = z.object({ start: z.number(), end: z.number() });

export const foundShape = z.object({
  kind: z.string(),
  key: z.string().describe('The node of the graph.'),
  id: z.number().optional(),
  hash: z.string().optional(),
  title: z.string(),
  path: z.string().optional(),
  collection: z.string().optional(),
  score: z.number(),
  snippet: z.string(),
  line: z.number().optional(),
  highlights: z.array(range).optional().describe('Where in the snippet the words stand.'),
  before: z.array(z.string()).optional(),
  after: z.array(z.string()).optional(),
  passages: z
    .array(z.object({ line: z.number(), snippet: z.string() }))
    .optional()
    .describe('Other places of a long document that answer.'),
  pinned: z.boolean().optional(),
  state: z.string().optional().describe('Of an instruction or decision.'),
  stale: staleMark.optional(),
  explain: z
    .record(z.string(), z.number())
    .optional()
    .describe('keyword: share of what was asked; vector: cosine; feedback: likeness to the best; the rest was added.'),
});
export type Found = z.infer<typeof foundShape>;

export async function shownResults(
  context: Context,
  page: readonly Boosted[],
  words: readonly string[],
  input: SearchInput,
): Promise<Found[]> {
  const results: Found[] = [];
  for (const each of page) {
    const explained = input.explain ? { explain: explanation(each) } : {};
    if (each.other !== undefined) results.push({ ...each.other, score: rounded(each.score), ...explained });
    else if (each.hit !== undefined)
      results.push({ ...(await shownDocument(context, each.hit, each, words, input)), ...explained });
  }
  return results;
}

function explanation({ hit, other, boosts }: Boosted): Record<string, number> {
  const parts = hit?.parts ?? other?.explain ?? {};
  return Object.fromEntries(
    [...Object.entries(parts), ...Object.entries(boosts)].map(([name, value]) => [name, rounded(value)]),
  );
}

async function shownDocument(
  { store }: Context,
  hit: Hit,
  { score, boosts }: Boosted,
  words: readonly string[],
  { line_numbers, highlight, context }: SearchInput,
): Promise<Found> {
  const { id, hash, path, collection } = hit.document;
  const text = await textOf(store, hash);
  const [best, ...others] = places(text, hit, words, context);
  const { line, before, after, ...excerpt } = best ?? snippetOf(text, words, context);
  const snippet = mask(excerpt.text);
  return {
    kind: 'document',
    key: `document:${collection}/${path}`,
    id,
    hash,
    title: hit.title ?? path.slice(path.lastIndexOf('/') + 1),
    path,
    collection,
    score: rounded(score),
    snippet,
    ...(line_numbers && { line }),
    ...(highlight && { highlights: highlightsIn(snippet, words) }),
    ...(context > 0 && { before: before.map(mask), after: after.map(mask) }),
    ...(others.length > 0 && {
      passages: others.map((other) => ({ line: other.line, snippet: mask(other.text) })),
    }),
    ...(boosts.pinned !== undefined && { pinned: true }),
  };
}

/** A content that is gone or damaged is for `get` and content_verify to tell of; the others are found all the same. */
async function textOf(store: Context['store'], hash: string): Promise<string> {
  try {
    return (await readableText(store, hash, EXCERPT_BYTES)) ?? '';
  } catch (thrown) {
    if (['not_found', 'integrity_error', 'store_unavailable'].includes(toCairnError(thrown).kind)) return '';
    throw thrown;
  }
}

/** Where it holds most of the words; where it holds none, what is nearest in meaning. */
function places(text: string, { sections = [], passage, parts }: Hit, words: readonly string[], context: number) {
  if (parts.keyword === 0 && passage !== undefined) {
    const window = documentWindows(text)[passage];
    return window === undefined ? [] : [placeOf(text, window, words, context)];
  }
  // A short text is looked at as a whole: its lines around an excerpt are all there.
  const all = sectionsOf(text);
  if (all.length <= 1) return [snippetOf(text, words, context)];
  return sections.flatMap((at) => {
    const section = all[at];
    return section === undefined ? [] : [placeOf(text, section, words, context)];
  });
}

/** The excerpt lies within; the lines around it may not. */
function placeOf(
  text: string,
  { line, text: own }: { readonly line: number; readonly text: string },
  words: readonly string[],
  context: number,
) {
  const within = snippetOf(own, words, 0);
  const at = line + within.line - 1;
  if (context === 0) return { ...within, line: at };
  const lines = text.split('\n');
  const from = Math.max(0, at - 1 - context);
  const around = snippetOf(lines.slice(from, at + context).join('\n'), words, context, at - 1 - from);
  return { ...around, line: at };
}
