import * as z from 'zod';
import { ledgerOf } from '../../decisions/ledger.ts';
import { plainId, publicId } from '../../decisions/record.ts';
import { CairnError } from '../../errors.ts';
import { catalogOf } from '../../instructions/catalog.ts';
import { type Context, operation } from '../../operations/operation.ts';
import { type CitingItem, type MentioningKind, mentioningKinds } from '../../store/mentions.ts';
import { anchorOf, refOf } from '../anchors.ts';
import { type Finding, findings, followed, isCurrent, markOf, renewals, staleReasons } from '../stale.ts';

const kind = z.enum(mentioningKinds);
const given = [
  { op: 'add', params: { name: 'src/store.ts', content: 'export function open() {}\n' } },
  {
    op: 'instructions_add',
    params: {
      entry: { id: 'open-late', body: 'Open late: see `src/store.ts`.', anchors: ['src/store.ts'] },
      lax: true,
    },
  },
  { op: 'add', params: { name: 'src/store.ts', content: 'export function openStore() {}\n' } },
] as const;

const findingShape = z.object({
  kind,
  id: z.string(),
  title: z.string(),
  ref: z.string().describe('What it cites.'),
  reason: z.enum(staleReasons),
  source: z.enum(['anchor', 'mention']).describe('anchor: somebody gave it; mention: it was found in the text.'),
  cited_at: z.string().optional(),
  cited_by: z.string().optional(),
  then_hash: z.string().optional().describe('Hash of what was cited.'),
  now_hash: z.string().optional().describe('Hash of what is there now.'),
  moved_to: z.string().optional().describe('Where the same content lies now.'),
  diff: z.string().optional().describe('The command that shows what changed.'),
});

export const staleList = operation({
  name: 'stale_list',
  description:
    'Instructions and decisions that cite files or symbols which have changed, moved or gone since. Each says why and how to see the difference. Read it before you trust an old rule; stale_confirm renews one that still holds.',
  family: 'governance',
  toolsets: ['instructions', 'memory'],
  capability: 'read',
  writes: false,
  rest: 'Ask with a smaller limit, or go on with offset.',
  input: z.strictObject({
    kind: kind.optional(),
    category: z.string().max(200).optional().describe('Only instructions of this category.'),
    namespace: z.string().max(100).optional().describe('Only decisions of this namespace.'),
    limit: z.int().min(1).max(1000).default(50),
    offset: z.int().min(0).max(1_000_000).default(0),
  }),
  output: z.object({
    stale: z.array(findingShape),
    total: z.number().describe('References that are stale.'),
    items: z.number().describe('Instructions and decisions that have one.'),
    searched: z.object({ items: z.number(), references: z.number() }),
  }),
  example: { given, input: { kind: 'instruction' } },
  async run({ kind: only, category, namespace, limit, offset }, context) {
    await refreshIndexes(context);
    // A filter that only one kind has means that kind.
    const wanted = only ?? (category !== undefined ? 'instruction' : namespace !== undefined ? 'decision' : undefined);
    const known = await knownItems(context, wanted, category?.trim().toLowerCase(), namespace);
    const citing = (await context.store.mentions.citing(wanted)).filter((item) => known.has(keyOf(item)));
    const found = await findings(context, citing);
    const page = found.slice(offset, offset + limit);
    return {
      stale: await Promise.all(page.map((each) => shown(context, each, known.get(keyOf(each)) ?? ''))),
      total: found.length,
      items: new Set(found.map(keyOf)).size,
      searched: {
        items: citing.length,
        references: citing.reduce((sum, { mentions }) => sum + followed(mentions).length, 0),
      },
    };
  },
});

async function refreshIndexes({ store, principal }: Context): Promise<void> {
  const exact = principal.door === 'cli';
  await catalogOf(store).current(exact);
  await ledgerOf(store).current(exact);
}

type Item = Pick<CitingItem, 'kind' | 'id'>;

function keyOf(item: Item): string {
  return `${item.kind} ${item.id}`;
}

const ALL = 1_000_000;

/** The titles of everything that holds: what is deprecated or superseded may be as old as it likes. */
async function knownItems(
  { store }: Context,
  wanted: MentioningKind | undefined,
  category: string | undefined,
  namespace: string | undefined,
): Promise<Map<string, string>> {
  const titles = new Map<string, string>();
  const { shelf } = catalogOf(store);
  for (const { head } of wanted === 'decision' ? [] : shelf.values()) {
    const { id, title, status, requirement, categories } = head;
    if (status === 'deprecated' || requirement === 'deprecated') continue;
    if (category === undefined || categories.includes(category)) titles.set(keyOf({ kind: 'instruction', id }), title);
  }
  if (wanted === 'instruction') return titles;
  const filter = { statuses: ['active', 'proposed'], ...(namespace !== undefined && { namespace }) };
  for (const { id, title } of await store.decisions.list(filter, ALL, 0))
    titles.set(keyOf({ kind: 'decision', id }), title);
  return titles;
}

async function shown(context: Context, finding: Finding, title: string) {
  const { kind: what, id, given: isGiven, kept, now } = finding;
  const { reason, ref, diff, moved_to } = await markOf(context, finding);
  return {
    kind: what,
    id: what === 'decision' ? publicId(id) : id,
    title,
    ref,
    reason,
    source: isGiven ? ('anchor' as const) : ('mention' as const),
    ...(kept && { cited_at: kept.citedAt, cited_by: kept.by, then_hash: kept.hash }),
    ...(now !== undefined && now.hash !== '' && { now_hash: now.hash }),
    ...(moved_to !== undefined && { moved_to }),
    ...(diff !== undefined && { diff }),
  };
}

export const staleConfirm = operation({
  name: 'stale_confirm',
  description:
    'Says that an instruction or decision still holds although what it cites has changed: its citations are renewed to what is there now. Look at the difference first.',
  family: 'governance',
  toolsets: ['instructions', 'memory'],
  capability: 'write',
  writes: true,
  mutation: true,
  idempotent: true,
  positional: ['id', 'ref'],
  input: z.strictObject({
    id: z.string().min(1).max(200).describe('Id of the instruction or decision.'),
    ref: z.string().min(1).max(1200).optional().describe('Only this reference, as stale_list gives it.'),
    kind: kind.optional().describe('Needed where an instruction and a decision have the same id.'),
  }),
  output: z.object({
    id: z.string(),
    kind,
    confirmed: z.array(
      z.object({
        ref: z.string(),
        reason: z.string(),
        then_hash: z.string().optional(),
        now_hash: z.string().optional(),
      }),
    ),
    still_stale: z.number(),
  }),
  example: { given, input: { id: 'open-late' } },
  async run({ id: wanted, ref, kind: only }, context) {
    await refreshIndexes(context);
    const item = await itemMeant(context, wanted, only);
    const asked = ref === undefined ? undefined : refOf(anchorOf(ref));
    refuseUnknown(item, asked);
    const { name } = context.principal;
    const renewed = await renewals(context, item, asked, name);
    if (renewed.length > 0) {
      await context.write(async (change, audit) => {
        for (const { record } of renewed) await change.anchors.put(record);
        audit.subject(shownId(item));
        audit.note(`still holds: ${renewed.map(({ finding }) => `${finding.ref} ${finding.reason}`).join(', ')}`);
      });
    }
    return {
      id: shownId(item),
      kind: item.kind,
      confirmed: renewed.map(({ finding, record }) => ({
        ref: finding.ref,
        reason: finding.reason,
        ...(finding.kept && { then_hash: finding.kept.hash }),
        ...(record.hash !== '' && { now_hash: record.hash }),
      })),
      still_stale: asked === undefined ? 0 : (await findings(context, [item])).length,
    };
  },
});

function shownId({ kind: what, id }: Item): string {
  return what === 'decision' ? publicId(id) : id;
}

async function itemMeant({ store }: Context, wanted: string, only: MentioningKind | undefined): Promise<CitingItem> {
  const decision = plainId(wanted);
  const facts = only === 'instruction' ? undefined : (await store.decisions.get([decision])).get(decision);
  const isInstruction = only !== 'decision' && catalogOf(store).shelf.has(wanted);
  if (facts !== undefined && isInstruction) {
    throw new CairnError('validation_failed', `${wanted} is an instruction and a decision`, {
      suggestion: 'Say which is meant with kind.',
    });
  }
  if (facts !== undefined && !isCurrent(facts.status)) {
    throw new CairnError('validation_failed', `${publicId(decision)} is ${facts.status}: it need not be confirmed`);
  }
  if (facts === undefined && !isInstruction) {
    throw new CairnError('not_found', `No instruction or decision is called ${wanted.slice(0, 120)}`, {
      suggestion: 'stale_list shows what waits to be confirmed.',
    });
  }
  const item: Item = isInstruction ? { kind: 'instruction', id: wanted } : { kind: 'decision', id: decision };
  const mentions = (await store.mentions.of(item.kind, item.id)).filter(({ type }) => type === 'path');
  return { ...item, mentions };
}

function refuseUnknown({ id, mentions }: CitingItem, ref: string | undefined): void {
  const refs = followed(mentions).map(({ value: path, symbol, collection }) =>
    refOf({ path, ...(symbol !== undefined && { symbol }), ...(collection !== undefined && { collection }) }),
  );
  if (ref === undefined || refs.includes(ref)) return;
  throw new CairnError('not_found', `${id} does not cite ${ref}`, {
    suggestion: refs.length === 0 ? 'It cites nothing.' : `It cites ${refs.slice(0, 10).join(', ')}.`,
  });
}
