import * as z from 'zod';
import { operation } from '../../operations/operation.ts';
import { catalogOf } from '../catalog.ts';
import type { Head } from '../entry.ts';
import { catalogRead, entryOutput, given, id, listAnswer } from './shape.ts';
import { itemsOf, viewCatalog, withStale, withUsage } from './view.ts';

const limit = z.int().min(0).max(100_000).optional().describe('How many at most; all without it.');
const offset = z.int().min(0).default(0);
const rest = 'Ask with limit and offset, or narrow with category.';

export const list = operation({
  ...catalogRead,
  name: 'instructions_list',
  description:
    'Lists instructions in the order of their ids, all or of one category. Use search or query to find some.',
  spellings: ['instructions/list'],
  rest,
  input: z.strictObject({
    category: z.string().max(200).optional().describe('Only entries of this category.'),
    limit,
    offset,
    expectId: z
      .string()
      .max(200)
      .optional()
      .describe('Look at the file of this id first, and say in the trace what was repaired.'),
  }),
  output: listAnswer,
  example: { given, input: { limit: 10 } },
  async run({ category, limit: wanted, offset: start, expectId }, context) {
    const view = await viewCatalog(context);
    if (expectId !== undefined) await expectEntry(context, view, expectId);
    const ids = view.shelf.ids(category?.trim().toLowerCase());
    const items = await itemsOf(context, view, ids.page(start, wanted ?? ids.size));
    return { hash: view.shelf.hash, count: ids.size, items };
  },
});

type Context = Parameters<typeof viewCatalog>[0];
type View = Awaited<ReturnType<typeof viewCatalog>>;

/** S1's flags: whether an entry that a client misses was there all along, or had to be read from its file first. */
async function expectEntry(context: Context, { catalog, shelf }: View, wanted: string): Promise<void> {
  const before = shelf.has(wanted);
  const onDisk = (await catalog.read(wanted)) !== undefined;
  const after = shelf.has(wanted);
  const facts = {
    expectId: wanted,
    expectOnDisk: onDisk,
    expectInCatalog: after,
    attemptedReload: !before,
    attemptedLate: !before && onDisk,
    lateMaterialized: !before && after,
    repairedVisibility: !before && after,
  };
  context.trace('list', facts);
}

export const listScoped = operation({
  ...catalogRead,
  name: 'instructions_list_scoped',
  description:
    'Lists the instructions of a user, else of a workspace, else of teams, else those for everybody: the first that has any.',
  spellings: ['instructions/listScoped'],
  rest,
  input: z.strictObject({
    userId: z.string().max(200).optional(),
    workspaceId: z.string().max(200).optional(),
    teamIds: z.array(z.string().max(200)).max(100).optional(),
    limit,
    offset,
  }),
  output: z.object({ hash: z.string(), count: z.number(), scope: z.string(), items: z.array(entryOutput) }),
  example: { given, input: { userId: 'ann', workspaceId: 'web' } },
  async run({ userId, workspaceId, teamIds = [], limit: wanted, offset: start }, context) {
    const view = await viewCatalog(context);
    const heads = [...view.shelf.values()].map(({ head }) => head);
    const scopes: [string, (head: Head) => boolean][] = [
      ['user', (head) => userId !== undefined && head.userId === userId],
      ['workspace', (head) => workspaceId !== undefined && head.workspaceId === workspaceId],
      ['team', (head) => teamIds.some((team) => head.teamIds?.includes(team))],
      ['all', (head) => head.audience === 'all' && !head.userId && !head.workspaceId && !head.teamIds],
    ];
    for (const [scope, belongs] of scopes) {
      const ids = heads
        .filter(belongs)
        .map((head) => head.id)
        .sort();
      if (ids.length === 0 && scope !== 'all') continue;
      const items = await itemsOf(context, view, ids.slice(start, wanted === undefined ? undefined : start + wanted));
      return { hash: view.shelf.hash, count: ids.length, scope, items };
    }
    return { hash: view.shelf.hash, count: 0, scope: 'all', items: [] };
  },
});

const found = z.object({
  hash: z.string(),
  item: entryOutput.optional(),
  notFound: z.boolean().optional(),
  id: z.string().optional(),
});

async function getOne(context: Context, wanted: string) {
  const catalog = catalogOf(context.store);
  const reading = await catalog.read(wanted);
  const hash = context.principal.door === 'cli' ? (await catalog.current(true)).hash : await catalog.hash();
  if (reading === undefined) return { notFound: true, id: wanted, hash };
  const [item] = await withStale(context, await withUsage(context, [reading.entry]));
  return { hash, ...(item && { item }) };
}

export const get = operation({
  ...catalogRead,
  name: 'instructions_get',
  description: 'One instruction, whole, straight from its file: an edit by hand is seen at once.',
  spellings: ['instructions/get'],
  positional: ['id'],
  input: z.strictObject({ id }),
  output: found,
  example: { given, input: { id: 'review-small' } },
  async run({ id: wanted }, context) {
    return getOne(context, wanted);
  },
});

export const getEnhanced = operation({
  ...catalogRead,
  name: 'instructions_get_enhanced',
  description: 'One instruction like instructions_get, and in the trace whether it had to be read from its file first.',
  spellings: ['instructions/getEnhanced'],
  positional: ['id'],
  input: z.strictObject({ id }),
  output: found,
  example: { given, input: { id: 'review-small' } },
  async run({ id: wanted }, context) {
    await expectEntry(context, await viewCatalog(context), wanted);
    return getOne(context, wanted);
  },
});
