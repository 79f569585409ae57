import * as z from 'zod';
import { CairnError } from '../../errors.ts';
import type { Context } from '../../operations/operation.ts';
import { operation } from '../../operations/operation.ts';
import { version } from '../../version.ts';
import { entryGovernanceHash, governanceHashOf, projectionOf } from '../governance.ts';
import { actions } from './actions.ts';
import { catalogRead, given } from './shape.ts';
import { type CatalogView, unreadableIn, viewCatalog } from './view.ts';

const record = z.record(z.string(), z.unknown());

export const capabilities = operation({
  ...catalogRead,
  name: 'instructions_capabilities',
  description: 'What this server can do with instructions: its actions, features and limits.',
  spellings: ['instructions/capabilities'],
  input: z.strictObject({}),
  output: z.object({
    version: z.string(),
    protocolVersion: z.string(),
    supportedActions: z.array(z.string()),
    mutationEnabled: z.boolean(),
    features: z.record(z.string(), z.boolean()),
    limits: z.record(z.string(), z.number()),
  }),
  example: { input: {} },
  async run(_input, { config }) {
    return {
      version,
      protocolVersion: '2.0',
      supportedActions: [...Object.keys(actions), 'batch'].sort(),
      mutationEnabled: config.mutation && !config.readOnly,
      features: { advancedQuery: true, bulkOperations: true, governanceTracking: true, usageAnalytics: true },
      limits: { maxBatchSize: 100, maxQueryResults: 1000, maxFileSize: 1_000_000 },
    };
  },
});

export const health = operation({
  ...catalogRead,
  name: 'instructions_health',
  description:
    'Whether the catalog is sound: how much is in it, which files cannot be read, how fast it answers, how much space there is.',
  spellings: ['instructions/health'],
  input: z.strictObject({}),
  output: z.object({
    status: z.enum(['healthy', 'degraded', 'unhealthy']),
    version: z.string(),
    uptime: z.number(),
    catalogStats: z.object({
      totalInstructions: z.number(),
      totalCategories: z.number(),
      lastModified: z.string(),
      integrityHash: z.string(),
    }),
    performance: z.object({ avgResponseTime: z.number(), requestCount: z.number(), errorRate: z.number() }),
    diskUsage: z.object({ totalSize: z.number(), availableSpace: z.number().optional() }),
    unreadable: z.array(z.object({ file: z.string(), problem: z.string() })),
  }),
  example: { given, input: {} },
  async run(_input, context) {
    const view = await viewCatalog(context);
    const { shelf, catalog } = view;
    const unreadable = await unreadableIn(context, view);
    const figures = context.metrics.figures();
    const count = figures.reduce((sum, one) => sum + one.count, 0);
    const total = figures.reduce((sum, one) => sum + one.totalMs, 0);
    const failed = figures.reduce((sum, one) => sum + one.errors, 0);
    return {
      status: unreadable.length === 0 ? ('healthy' as const) : ('degraded' as const),
      version,
      uptime: Math.round((performance.now() - context.metrics.startedAt) / 1000),
      catalogStats: {
        totalInstructions: shelf.size,
        totalCategories: shelf.categories().length,
        lastModified: lastModified(view),
        integrityHash: shelf.hash,
      },
      performance: {
        avgResponseTime: count === 0 ? 0 : Math.round((total / count) * 1000) / 1000,
        requestCount: count,
        errorRate: count === 0 ? 0 : failed / count,
      },
      diskUsage: await diskUsage(context, catalog.size),
      unreadable,
    };
  },
});

export function lastModified({ shelf }: CatalogView): string {
  let latest = '';
  for (const { head } of shelf.values()) if (head.updatedAt > latest) latest = head.updatedAt;
  return latest;
}

async function diskUsage({ store }: Context, totalSize: number) {
  const { freeBytes } = await store.inspect();
  return { totalSize, ...(freeBytes !== undefined && { availableSpace: freeBytes }) };
}

const scopes = ['catalog', 'instruction', 'governance', 'usage'] as const;

export const inspect = operation({
  ...catalogRead,
  name: 'instructions_inspect',
  description:
    'Everything known about the catalog or one instruction, for finding out what is wrong: raw file, normal form, problems, facts of the file.',
  spellings: ['instructions/inspect'],
  input: z.strictObject({
    id: z.string().max(200).optional(),
    scope: z.enum(scopes).default('catalog'),
  }),
  output: z.object({ timestamp: z.string(), scope: z.string(), data: record }),
  example: { given, input: { id: 'review-small', scope: 'instruction' } },
  async run({ id, scope }, context) {
    const view = await viewCatalog(context, true);
    if (id === undefined && scope === 'instruction') {
      throw new CairnError('invalid_params', 'The scope instruction needs an id');
    }
    return { timestamp: new Date().toISOString(), scope, data: await inspectScope(context, view, scope, id) };
  },
});

async function inspectScope(
  context: Context,
  view: CatalogView,
  scope: (typeof scopes)[number],
  id: string | undefined,
) {
  const { shelf, catalog } = view;
  if (scope === 'usage') {
    const raw = await context.read(async (store) =>
      id === undefined ? { hottest: await store.usage.hottest(100) } : Object.fromEntries(await store.usage.of([id])),
    );
    return { raw, metadata: { counted: shelf.size } };
  }
  if (scope === 'instruction' || id !== undefined) return inspectEntry(view, id ?? '', scope);
  const heads = shelf
    .ids(undefined)
    .page(0, shelf.size)
    .flatMap((one) => shelf.get(one)?.head ?? []);
  if (scope === 'governance') {
    return {
      normalized: { governanceHash: governanceHashOf(heads, context.config.governanceTrailingNewline) },
      validation: {
        unowned: heads.filter((head) => head.owner === 'unowned').length,
        overdue: heads.filter((head) => Date.parse(head.nextReviewDue) < Date.now()).length,
      },
      metadata: {
        count: heads.length,
        byStatus: tally(heads.map((head) => head.status)),
        byTier: tally(heads.map((head) => head.priorityTier)),
      },
    };
  }
  return {
    normalized: { hash: shelf.hash, count: shelf.size, categories: shelf.categories().length },
    validation: { unreadable: catalog.badFiles() },
    metadata: { lastModified: lastModified(view) },
    filesystem: { totalBytes: catalog.size },
  };
}

async function inspectEntry({ catalog, shelf }: CatalogView, id: string, scope: string) {
  const reading = await catalog.read(id);
  const problem = catalog.badFiles().find(({ file }) => file === `${id}.json`)?.problem;
  if (reading === undefined) return { validation: { found: false, problem: problem ?? 'There is no such file.' } };
  const { entry, raw, storedHash } = reading;
  if (scope === 'governance') {
    return { raw: projectionOf(entry), metadata: { governanceHash: entryGovernanceHash(entry) } };
  }
  return {
    raw,
    normalized: entry,
    validation: { found: true, bodyMatchesHash: storedHash === undefined, inCatalog: shelf.has(id) },
    metadata: { metaHash: shelf.get(id)?.metaHash, governanceHash: entryGovernanceHash(entry) },
    filesystem: { file: `${id}.json` },
  };
}

function tally(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
