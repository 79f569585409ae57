import * as z from 'zod';
import type { Context } from '../../operations/operation.ts';
import { operation } from '../../operations/operation.ts';
import { ALGORITHM, entryGovernanceHash, governanceHashOf, projectionOf } from '../governance.ts';
import type { InstructionShelf } from '../shelf.ts';
import { catalogRead, entryOutput, given, listAnswer } from './shape.ts';
import { type CatalogView, itemsOf, viewCatalog } from './view.ts';

export const known = z
  .array(
    z.strictObject({
      id: z.string().max(200),
      sourceHash: z.string().max(128),
      metaHash: z.string().max(128).optional().describe('Without it, changes of the metadata alone are not compared.'),
    }),
  )
  .max(100_000)
  .describe('What the client holds.');

const changes = {
  hash: z.string(),
  upToDate: z.boolean().optional(),
  added: z.array(entryOutput).optional(),
  updated: z.array(entryOutput).optional(),
  removed: z.array(z.string()).optional(),
  changed: z.array(entryOutput).optional(),
};

export const diff = operation({
  ...catalogRead,
  name: 'instructions_diff',
  description:
    'What changed since a client last looked: send the hash it knows, or id and sourceHash of each entry it holds.',
  spellings: ['instructions/diff'],
  rest: 'Send what you have got so far as known, and ask again.',
  input: z.strictObject({ clientHash: z.string().max(128).optional(), known: known.optional() }),
  output: z.object(changes),
  example: { given, input: { known: [{ id: 'gone', sourceHash: '0' }] } },
  async run(input, context) {
    return difference(context, await viewCatalog(context), input);
  },
});

type Known = z.infer<typeof known>;

/** S0's four answers: up to date, an exact difference, everything for a client that sent only a hash, or nothing new. */
export async function difference(
  context: Context,
  view: CatalogView,
  { clientHash, known: held }: { clientHash?: string | undefined; known?: Known | undefined },
) {
  const { hash } = view.shelf;
  if (held === undefined) {
    if (clientHash === hash) return { upToDate: true, hash };
    const all = view.shelf.ids(undefined);
    return { hash, changed: await itemsOf(context, view, all.page(0, all.size)) };
  }
  const { added, updated, removed } = compare(view.shelf, held);
  if (added.length + updated.length + removed.length === 0 && clientHash === hash) return { upToDate: true, hash };
  return { hash, added: await itemsOf(context, view, added), updated: await itemsOf(context, view, updated), removed };
}

function compare(shelf: InstructionShelf, held: Known) {
  const theirs = new Map(held.map((entry) => [entry.id, entry]));
  const added: string[] = [];
  const updated: string[] = [];
  const ids = shelf.ids(undefined);
  for (const id of ids.page(0, ids.size)) {
    const ours = shelf.get(id);
    const their = theirs.get(id);
    if (their === undefined) added.push(id);
    else if (their.sourceHash !== ours?.head.sourceHash) updated.push(id);
    else if (their.metaHash !== undefined && their.metaHash !== ours.metaHash) updated.push(id);
  }
  return { added, updated, removed: [...theirs.keys()].filter((id) => !shelf.has(id)).sort() };
}

export const exportEntries = operation({
  ...catalogRead,
  name: 'instructions_export',
  description: 'Whole instructions, all or some by id, to keep elsewhere; instructions_import takes them back.',
  spellings: ['instructions/export'],
  rest: 'Export some at a time by ids, or metaOnly.',
  input: z.strictObject({
    ids: z.array(z.string().max(200)).max(100_000).optional(),
    metaOnly: z.boolean().default(false).describe('Everything but the bodies.'),
  }),
  output: listAnswer,
  example: { given, input: { ids: ['review-small'] } },
  async run({ ids, metaOnly }, context) {
    const view = await viewCatalog(context);
    const all = view.shelf.ids(undefined);
    const wanted = ids === undefined ? all.page(0, all.size) : ids.filter((id) => view.shelf.has(id));
    const items = metaOnly
      ? wanted.flatMap((id) => {
          const shelved = view.shelf.get(id);
          return shelved === undefined ? [] : [{ ...shelved.head, metaHash: shelved.metaHash }];
        })
      : await itemsOf(context, view, wanted);
    return { hash: view.shelf.hash, count: items.length, items };
  },
});

export const governanceHash = operation({
  ...catalogRead,
  name: 'instructions_governance_hash',
  description:
    'A hash over what governs the instructions (title, version, owner, tier, review date, summary, change log) and not over their bodies.',
  spellings: ['instructions/governanceHash'],
  rest: 'Ask with includeItems false for the hash alone.',
  input: z.strictObject({ includeItems: z.boolean().default(true) }),
  output: z.object({
    count: z.number(),
    governanceHash: z.string(),
    algorithm: z.string(),
    items: z.array(z.record(z.string(), z.unknown())).optional(),
  }),
  example: { given, input: { includeItems: false } },
  async run({ includeItems }, context) {
    const { shelf } = await viewCatalog(context);
    const ids = shelf.ids(undefined);
    const heads = ids.page(0, ids.size).flatMap((id) => shelf.get(id)?.head ?? []);
    return {
      count: heads.length,
      governanceHash: governanceHashOf(heads, context.config.governanceTrailingNewline),
      algorithm: ALGORITHM,
      ...(includeItems && {
        items: heads.map((head) => {
          const projection = projectionOf(head);
          return { ...projection, governance: projection, hash: entryGovernanceHash(head) };
        }),
      }),
    };
  },
});
