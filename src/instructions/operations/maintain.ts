import * as z from 'zod';
import type { Context } from '../../operations/operation.ts';
import { operation } from '../../operations/operation.ts';
import type { Change } from '../../store/store.ts';
import { writeBackup } from '../backup.ts';
import type { EntryFacts } from '../derive.ts';
import { type Entry, fileOf, idOfFile, serialize } from '../entry.ts';
import { readEntry } from '../file.ts';
import { type GroomContext, planEnrich, planGroom, planRepair, type RawEntry } from '../groom.ts';
import { ownerFor, readOwners } from '../owners.ts';
import { refreshed } from './add.ts';
import { catalogWrite, given } from './shape.ts';
import { difference, known } from './sync.ts';
import { viewCatalog } from './view.ts';

const flag = (about: string) => z.boolean().optional().describe(about);

export const groom = operation({
  ...catalogWrite,
  name: 'instructions_groom',
  description:
    'Tidies the catalog: repairs hashes, normalises categories, merges duplicates, removes what is deprecated. dryRun reports exactly what the run would do.',
  spellings: ['instructions/groom'],
  destructive: true,
  idempotent: true,
  input: z.strictObject({
    mode: z
      .strictObject({
        dryRun: flag('Report only; nothing is touched.'),
        mergeDuplicates: flag('Entries with the same body become one, the oldest.'),
        removeDeprecated: flag('Remove deprecated entries whose replacement exists.'),
        normalizeCategories: flag('Lower case, unique, sorted.'),
        purgeLegacyScopes: flag('Move scope:* categories to their fields.'),
        updateHashes: flag('Bring stored hashes up to date.'),
      })
      .default({}),
  }),
  output: z.object({
    previousHash: z.string(),
    hash: z.string(),
    scanned: z.number(),
    repairedHashes: z.number(),
    normalizedCategories: z.number(),
    deprecatedRemoved: z.number(),
    duplicatesMerged: z.number(),
    usagePruned: z.number(),
    filesRewritten: z.number(),
    purgedScopes: z.number(),
    dryRun: z.boolean(),
    notes: z.array(z.string()),
    performanceMs: z.number(),
  }),
  changesNothing: ({ mode }) => (mode as { dryRun?: unknown } | undefined)?.dryRun === true,
  example: { given, input: { mode: { dryRun: true } } },
  async run({ mode }, context) {
    const started = performance.now();
    const { shelf } = await viewCatalog(context, true);
    const previousHash = shelf.hash;
    const ids = shelf.ids(undefined).page(0, shelf.size);
    const used = new Set((await context.read((view) => view.usage.of(ids))).keys());
    const plan = await maintain(context, mode.dryRun === true, (raw, about) => {
      const { rewrite, remove, counters, notes } = planGroom(raw, mode, { ...about, used });
      return { rewrite, remove, counters, notes };
    });
    return {
      previousHash,
      hash: shelf.hash,
      ...plan.counters,
      dryRun: mode.dryRun === true,
      notes: plan.notes,
      performanceMs: Math.round((performance.now() - started) * 1000) / 1000,
    };
  },
});

export const repair = operation({
  ...catalogWrite,
  name: 'instructions_repair',
  description:
    'Brings the stored hash of every entry whose body was edited by hand up to date; with known or clientHash it answers like instructions_diff instead.',
  spellings: ['instructions/repair'],
  idempotent: true,
  input: z.strictObject({ clientHash: z.string().max(128).optional(), known: known.optional() }),
  output: z.record(z.string(), z.unknown()),
  changesNothing: ({ clientHash, known: held }) => clientHash !== undefined || held !== undefined,
  example: { given, input: {} },
  async run(input, context) {
    if (input.clientHash !== undefined || input.known !== undefined) {
      return difference(context, await viewCatalog(context), input);
    }
    const { updated } = await maintain(context, false, (raw, about) => {
      const plan = planRepair(raw, about);
      return { rewrite: plan.rewrite, remove: [], updated: plan.updated };
    });
    return { repaired: updated.length, updated };
  },
});

export const enrich = operation({
  ...catalogWrite,
  name: 'instructions_enrich',
  description: 'Writes into each file the governance fields that it lacks and that were only filled in on reading.',
  spellings: ['instructions/enrich'],
  idempotent: true,
  input: z.strictObject({}),
  output: z.object({ enriched: z.number(), updated: z.array(z.string()) }),
  example: { given, input: {} },
  async run(_input, context) {
    const { filled } = await maintain(context, false, (raw, about) => {
      const enrichments = planEnrich(raw, about);
      return {
        rewrite: enrichments.map(({ entry }) => entry),
        remove: [],
        filled: enrichments.map(({ entry }) => entry.id),
      };
    });
    return { enriched: filled.length, updated: filled };
  },
});

interface Plan {
  readonly rewrite: readonly Entry[];
  readonly remove: readonly string[];
}

/** Reads every file, plans, and carries the plan out, all under the write lock; a dry run stops after the plan. */
async function maintain<P extends Plan>(
  context: Context,
  dryRun: boolean,
  planFor: (raw: readonly RawEntry[], about: GroomContext) => P,
): Promise<P> {
  const about = await groomContext(context);
  if (dryRun) return planFor(await rawEntries(context.store.files), about);
  const plan = await context.write(async (change, audit) => {
    const decided = planFor(await rawEntries(change.files), about);
    if (decided.remove.length > 0)
      await writeBackup(change.files, `before grooming away ${decided.remove.length}`, about.now);
    for (const entry of decided.rewrite) await change.files.put('instructions', fileOf(entry.id), serialize(entry));
    for (const id of decided.remove) await change.files.remove('instructions', fileOf(id));
    await change.usage.remove(decided.remove);
    audit.subject(...decided.rewrite.map(({ id }) => id), ...decided.remove);
    if (decided.rewrite.length + decided.remove.length === 0) audit.skip();
    return decided;
  });
  await refreshed(context, [...plan.rewrite.map(({ id }) => id), ...plan.remove]);
  return plan;
}

async function groomContext({ store }: Context): Promise<GroomContext> {
  const owners = await readOwners(store.files);
  return { now: new Date().toISOString(), ownerOf: ({ id }) => ownerFor(id, owners) };
}

/** Entries as their files have them, before anything is filled in; files that are none are left alone. */
async function rawEntries(files: Pick<Change['files'], 'list' | 'read'>): Promise<RawEntry[]> {
  const raw: RawEntry[] = [];
  for (const { name } of await files.list('instructions')) {
    const id = idOfFile(name);
    const text = id === undefined ? undefined : await files.read('instructions', name);
    if (id === undefined || text === undefined) continue;
    const reading = readEntry(id, text);
    if (!('problem' in reading)) raw.push(reading.raw as unknown as EntryFacts);
  }
  return raw;
}
