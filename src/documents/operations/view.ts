import * as z from 'zod';
import { type Context, nothing, operation } from '../../operations/operation.ts';
import { sortKeys } from '../../store/documents.ts';
import { sessionNamed } from '../session/current.ts';
import { lyingIn, placesShape } from './scope.ts';
import { collection, documentRead, documentShape, given, sessionId, shown } from './shape.ts';

export const list = operation({
  ...documentRead,
  name: 'list',
  description: 'Documents of the store, filtered and sorted, in pages.',
  rest: 'Go on with offset = the number of documents you got, or ask with a smaller limit.',
  input: z.strictObject({
    limit: z.int().min(1).max(1000).default(50),
    offset: z.int().min(0).default(0),
    sort_by: z.enum(sortKeys).default('name'),
    sort_order: z.enum(['asc', 'desc']).default('asc'),
    recent: z.int().min(1).max(1000).optional().describe('Only so many, the most recently stored.'),
    type: z.enum(['text', 'binary']).optional(),
    extension: z.string().max(50).optional().describe('Such as ".py".'),
    collection: collection.optional(),
    paths: placesShape.paths,
    tag: z.string().max(100).optional(),
    session: sessionId.optional().describe('Only what was added in this session or is pinned to it.'),
    paths_only: z.boolean().default(false),
  }),
  output: z.object({
    total: z.number(),
    documents: z.array(documentShape).optional(),
    paths: z.array(z.string()).optional(),
  }),
  example: { given, input: { extension: '.md', sort_by: 'modified', sort_order: 'desc' } },
  async run({ limit, offset, sort_by, sort_order, recent, type, extension, paths_only, ...rest }, context) {
    const dotted = extension === undefined ? undefined : `.${extension.replace(/^\./, '').toLowerCase()}`;
    const filter = {
      ...(rest.collection !== undefined && { collection: rest.collection }),
      ...(rest.tag !== undefined && { tag: rest.tag }),
      ...(rest.session !== undefined && { session: (await sessionNamed(context, rest.session)).id }),
      ...(type !== undefined && { kind: type }),
      ...(dotted !== undefined && { extension: dotted }),
    };
    const fits = rest.paths === undefined ? () => true : lyingIn(rest.paths);
    return context.read(async ({ documents }) => {
      const sorting = { by: sort_by, descending: sort_order === 'desc' };
      const all = await documents.count(filter);
      const page = async () => ({ total: all, found: await documents.list(filter, sorting, limit, offset) });
      // Neither the newest nor paths can be asked for in pages: they are picked from all that fit the filter.
      const picked = async () => {
        const candidates =
          recent === undefined
            ? await documents.list(filter, sorting, all, 0)
            : sorted(await documents.list(filter, { by: 'indexed', descending: true }, recent, 0), sort_by, sort_order);
        const fitting = candidates.filter(({ path }) => fits(path));
        return { total: fitting.length, found: fitting.slice(offset, offset + limit) };
      };
      const { total, found } = await (recent === undefined && rest.paths === undefined ? page() : picked());
      if (paths_only) return { total, paths: found.map((each) => each.path) };
      return { total, documents: found.map(shown) };
    });
  },
});

type Listed = Parameters<typeof shown>[0];

/** The most recent ones in the order that was asked for. */
function sorted(found: Listed[], by: (typeof sortKeys)[number], order: string): Listed[] {
  const value = (each: Listed) => (by === 'name' ? each.path : each[by]);
  const sign = order === 'desc' ? -1 : 1;
  return found.sort((a, b) => (value(a) < value(b) ? -sign : value(a) > value(b) ? sign : a.id - b.id));
}

export const listCollections = operation({
  ...documentRead,
  name: 'list_collections',
  description: 'The collections of the store, with how many documents and bytes each holds.',
  input: nothing,
  output: z.object({
    collections: z.array(z.object({ name: z.string(), documents: z.number(), bytes: z.number() })),
  }),
  example: { given, input: {} },
  async run(_input, context) {
    const found = await context.read(({ documents }) => documents.collections());
    return { collections: found.map(({ collection: name, ...counts }) => ({ name, ...counts })) };
  },
});

export const status = operation({
  ...documentRead,
  name: 'status',
  description: 'How much the document store holds, and what sharing saves.',
  input: z.strictObject({ detailed: z.boolean().default(false), file_types: z.boolean().default(false) }),
  output: z.object({
    total_objects: z.number(),
    total_bytes: z.number().describe('What all versions of all documents would take without sharing.'),
    unique_blocks: z.number(),
    deduplicated_bytes: z.number().describe('What sharing saves of it.'),
    dedup_ratio: z.number(),
    stored_bytes: z.number().optional(),
    documents: z.number().optional(),
    collections: z.array(z.record(z.string(), z.unknown())).optional(),
    indexed_contents: z.number().optional(),
    pending: z.number().optional().describe('Changes of documents that cannot be found yet.'),
    without_text: z.number().optional().describe('Contents whose text could not be had; they are found by name.'),
    embeddings: z
      .object({ model: z.string(), state: z.string(), reason: z.string().optional() })
      .optional()
      .describe('What compares meanings, and why it does not where it does not.'),
    file_types: z.array(z.record(z.string(), z.unknown())).optional(),
  }),
  example: { given, input: { detailed: true } },
  async run({ detailed, file_types }, context) {
    const { contents, chunks, uniqueBytes, storedBytes } = await context.store.objects.stats();
    return context.read(async ({ documents }) => {
      const total = await documents.versionBytes();
      // What is not collected yet belongs to no version.
      const saved = Math.max(0, total - uniqueBytes);
      return {
        total_objects: contents,
        total_bytes: total,
        unique_blocks: chunks,
        deduplicated_bytes: saved,
        dedup_ratio: total === 0 ? 0 : Math.round((saved / total) * 10_000) / 10_000,
        ...(detailed && {
          stored_bytes: storedBytes,
          documents: await documents.count({}),
          collections: await documents.collections(),
          ...(await indexState(context, await documents.lastChange())),
          embeddings: embeddingState(context),
        }),
        ...(file_types && { file_types: await documents.types() }),
      };
    });
  },
});

function embeddingState({ embedder }: Context) {
  const { state, reason } = embedder.state();
  return { model: embedder.model, state, ...(reason !== undefined && { reason }) };
}

async function indexState({ store }: Context, lastChange: number) {
  const { contents, problems } = await store.documents.counts();
  const pending = Math.max(0, lastChange - (await store.documents.seq()));
  return { indexed_contents: contents, without_text: problems, pending };
}
