import * as z from 'zod';
import { operation } from '../../operations/operation.ts';
import { isPatient } from '../../operations/patient.ts';
import { meaningsOf } from '../../search/meaning.ts';
import { questionOf } from '../../search/question.ts';
import { rank, searchTypes } from '../../search/rank.ts';
import { classifications, type Head, statuses, tiers } from '../entry.ts';
import { queryShelf } from '../query.ts';
import { highlight, inOrder } from '../search.ts';
import { sortFields } from '../shelf.ts';
import { catalogRead, entryOutput, given } from './shape.ts';
import { itemsOf, viewCatalog, withStale } from './view.ts';

const modes = ['ranked', 'substring'] as const;
const CANDIDATES = 1000;
const fields = { searched: ['title'], narrowing: [] };

export const search = operation({
  ...catalogRead,
  name: 'instructions_search',
  description:
    'Finds instructions: every one that contains the text, ranked together with those that hold its words or mean the same. Each hit says how it matched.',
  spellings: ['instructions/search'],
  positional: ['q'],
  rest: 'Ask with a smaller limit, and get the ones you want by id.',
  input: z.strictObject({
    q: z.string().min(1).max(1000).describe('Text or words to look for.'),
    limit: z.int().min(1).max(1000).default(50),
    mode: z.enum(modes).default('ranked').describe('substring: only those that contain the text.'),
    type: z.enum(searchTypes).default('hybrid').describe('keyword: by words; semantic: by meaning; hybrid: by both.'),
    category: z.string().max(200).optional(),
    owner: z.string().max(200).optional(),
    status: z.enum(statuses).optional(),
    highlight: z.boolean().default(false).describe('Also return the places that matched.'),
    explain: z.boolean().default(false).describe('Also return what each score is made of.'),
  }),
  output: z.object({
    hash: z.string(),
    count: z.number(),
    items: z.array(entryOutput),
    query: z.string(),
    searched: z.object({ entries: z.number(), indexes: z.array(z.string()), vector: z.string().optional() }),
    highlights: z.array(z.object({ id: z.string(), line: z.number(), snippet: z.string() })).optional(),
  }),
  example: { given, input: { q: 'small change', limit: 5 } },
  async run({ q, limit, mode, type, highlight: wanted, explain, ...narrow }, context) {
    const view = await viewCatalog(context);
    const index = context.store.instructions;
    // Every entry that contains the text is found; of those that only hold its words, the best.
    const fits = filterOf(narrow);
    const all = await index.containing(q, Number.MAX_SAFE_INTEGER);
    const containing = fits === undefined ? all : all.filter((id) => fits(view.shelf.get(id)?.head));
    const question = questionOf(q, fields);
    const chosen = fits && [...view.shelf.values()].flatMap(({ head }) => (fits(head) ? [head.id] : []));
    const terms = { ...question, ...(chosen && { ids: chosen }) };
    const meanings = meaningsOf(index.vectors, context.embedder);
    if (mode === 'ranked' && context.principal.door !== 'cli' && !context.config.readOnly) meanings.fill();
    const { order, indexes } =
      mode === 'ranked'
        ? await rank({
            question,
            type,
            embedder: context.embedder,
            meanings,
            worded: await index.matching(question.words, CANDIDATES, terms),
            allowed: () => index.allowed(terms),
            patient: isPatient(context, type),
          })
        : { order: [], indexes: undefined };
    const hits = inOrder(q, containing, order, (id) => view.shelf.get(id)?.head);
    const shown = hits.slice(0, limit);
    const found = shown.map(({ id }) => id);
    const items = await withStale(context, await itemsOf(context, view, found));
    const how = new Map(shown.map((hit) => [hit.id, hit]));
    return {
      hash: view.shelf.hash,
      count: hits.length,
      items: items.map((item) => {
        const { matched = [], score = 0, parts = {} } = how.get(item.id) ?? {};
        return { ...item, matched, ...(explain && { score: rounded(score), explain: parts }) };
      }),
      query: q,
      searched: {
        entries: view.shelf.size,
        indexes: ['substring', ...(indexes ? ['keyword'] : []), ...(indexes?.vector === 'ready' ? ['vector'] : [])],
        ...(indexes?.vector !== undefined && { vector: indexes.vector }),
      },
      ...(wanted && { highlights: items.flatMap((item) => highlight(item, q)) }),
    };
  },
});

interface Narrow {
  readonly category?: string | undefined;
  readonly owner?: string | undefined;
  readonly status?: string | undefined;
}

/** Nothing where all entries are meant. */
function filterOf({ category, owner, status }: Narrow): ((head: Head | undefined) => boolean) | undefined {
  if (category === undefined && owner === undefined && status === undefined) return undefined;
  return (head) =>
    head !== undefined &&
    (category === undefined || head.categories.includes(category)) &&
    (owner === undefined || head.owner === owner) &&
    (status === undefined || head.status === status);
}

const time = z.iso.datetime({ offset: true });

export const query = operation({
  ...catalogRead,
  name: 'instructions_query',
  description:
    'Filters instructions by any mix of category, tier, status, owner, classification, scope, time, review date and text, sorted and in pages.',
  spellings: ['instructions/query'],
  rest: 'Go on with cursor = nextCursor, or ask with a smaller limit.',
  input: z.strictObject({
    filters: z
      .strictObject({
        categories: z.array(z.string().max(200)).max(25).optional().describe('Entries of any of them.'),
        priorityTiers: z.array(z.enum(tiers)).max(25).optional(),
        status: z.array(z.enum(statuses)).max(25).optional(),
        owners: z.array(z.string().max(200)).max(100).optional(),
        classification: z.array(z.enum(classifications)).max(25).optional(),
        workspaceId: z.string().max(200).optional(),
        userId: z.string().max(200).optional(),
        teamIds: z.array(z.string().max(200)).max(100).optional(),
        createdAfter: time.optional(),
        updatedAfter: time.optional(),
        dueBefore: time.optional().describe('Review is due before this time: what is overdue with the time now.'),
        text: z.string().min(1).max(1000).optional().describe('Title or body contains it.'),
      })
      .default({}),
    sort: z
      .strictObject({ field: z.enum(sortFields).default('id'), direction: z.enum(['asc', 'desc']).default('asc') })
      .optional(),
    limit: z.int().min(1).max(1000).default(50),
    cursor: z.string().max(2000).optional().describe('nextCursor of the page before.'),
  }),
  output: z.object({
    items: z.array(entryOutput),
    total: z.number(),
    returned: z.number(),
    nextCursor: z.string().optional(),
    appliedFilters: z.record(z.string(), z.unknown()),
    performanceMs: z.number(),
  }),
  example: {
    given,
    input: { filters: { priorityTiers: ['P3'] }, sort: { field: 'priority', direction: 'asc' }, limit: 5 },
  },
  async run({ filters, sort, limit, cursor }, context) {
    const started = performance.now();
    const view = await viewCatalog(context);
    const containing =
      filters.text === undefined
        ? undefined
        : await context.store.instructions.containing(filters.text, Number.MAX_SAFE_INTEGER);
    const { ids, total, nextCursor } = queryShelf(view.shelf, {
      filters,
      field: sort?.field ?? 'id',
      ascending: sort?.direction !== 'desc',
      limit,
      cursor,
      containing: containing && new Set(containing),
    });
    const items = await withStale(context, await itemsOf(context, view, ids));
    return {
      items,
      total,
      returned: items.length,
      ...(nextCursor !== undefined && { nextCursor }),
      appliedFilters: filters,
      performanceMs: Math.round((performance.now() - started) * 1000) / 1000,
    };
  },
});

export const categories = operation({
  ...catalogRead,
  name: 'instructions_categories',
  description: 'The categories in use, how many instructions each has, and when one of them last changed.',
  spellings: ['instructions/categories'],
  input: z.strictObject({}),
  output: z.object({
    categories: z.array(z.object({ name: z.string(), count: z.number(), lastUpdated: z.string() })),
    totalDistinct: z.number(),
    catalogHash: z.string(),
  }),
  example: { given, input: {} },
  async run(_input, context) {
    const { shelf } = await viewCatalog(context);
    const rows = shelf.categories().map(([name, members]) => {
      const times = members.page(0, members.size).map((id) => shelf.get(id)?.head.updatedAt ?? '');
      return {
        name,
        count: members.size,
        lastUpdated: times.reduce((latest, each) => (each > latest ? each : latest), ''),
      };
    });
    return { categories: rows, totalDistinct: rows.length, catalogHash: shelf.hash };
  },
});

function rounded(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}
