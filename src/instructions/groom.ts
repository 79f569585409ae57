/**
 * Grooming, repair and enrichment as plans: what would be written and removed, and the counters that tell it (S0, S1).
 * A dry run reports the plan and a real run carries it out, so the two cannot differ. Pure, and at rest after one run.
 */
import { bodyHash, derive, type EntryFacts, riskScoreOf, scopeOf } from './derive.ts';
import type { Entry } from './entry.ts';
import { isScopeToken, MAX_CATEGORIES, repairedCategory } from './foreign/category.ts';

/** An entry as its file has it: categories as they were written, `sourceHash` as it was stored, absent what is absent. */
export type RawEntry = EntryFacts;

/** S1's mode. Hashes and categories are put right unless that is switched off, as S0 does without any mode. */
export interface GroomMode {
  readonly dryRun?: boolean | undefined;
  readonly mergeDuplicates?: boolean | undefined;
  readonly removeDeprecated?: boolean | undefined;
  readonly normalizeCategories?: boolean | undefined;
  readonly purgeLegacyScopes?: boolean | undefined;
  readonly updateHashes?: boolean | undefined;
}

export interface GroomContext {
  readonly now: string;
  /** For files that name no owner: the first match of owners.json. Without it they are `unowned`. */
  readonly ownerOf?: ((facts: EntryFacts) => string) | undefined;
  /** Ids that have counters of use, which go with the entry. */
  readonly used?: ReadonlySet<string> | undefined;
}

export interface GroomCounters {
  readonly scanned: number;
  readonly repairedHashes: number;
  readonly normalizedCategories: number;
  readonly deprecatedRemoved: number;
  readonly duplicatesMerged: number;
  readonly usagePruned: number;
  readonly filesRewritten: number;
  readonly purgedScopes: number;
}

export interface GroomPlan {
  readonly rewrite: readonly Entry[];
  readonly remove: readonly string[];
  readonly counters: GroomCounters;
  readonly notes: readonly string[];
}

const MAX_NOTES_OF_A_KIND = 20;

export function planGroom(entries: readonly RawEntry[], mode: GroomMode, context: GroomContext): GroomPlan {
  const merged = mode.mergeDuplicates === true ? mergedInto(entries) : new Map<string, string>();
  const kept = entries
    .filter(({ id }) => !merged.has(id))
    .map((entry) => redirected(withDuplicates(entry, entries, merged), merged, merged));
  const successors = mode.removeDeprecated === true ? successorsOf(kept) : new Map<string, string>();
  const groomed = kept
    .filter(({ id }) => !successors.has(id))
    .map((entry) => groomedOne(redirected(entry, successors, new Map()), mode));
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const changed = groomed.filter(({ facts }) => facts !== byId.get(facts.id));
  const removed = entries.map(({ id }) => id).filter((id) => merged.has(id) || successors.has(id));
  const count = (tally: 'repaired' | 'normalized' | 'purged') => changed.reduce((sum, entry) => sum + entry[tally], 0);
  const rewrite = changed.map(({ facts }) => whole({ ...facts, updatedAt: context.now }, context));
  return {
    rewrite,
    remove: removed,
    counters: {
      scanned: entries.length,
      repairedHashes: count('repaired'),
      normalizedCategories: count('normalized'),
      deprecatedRemoved: successors.size,
      duplicatesMerged: merged.size,
      usagePruned: removed.filter((id) => context.used?.has(id)).length,
      filesRewritten: mode.dryRun === true ? 0 : rewrite.length,
      purgedScopes: count('purged'),
    },
    notes: [
      ...(mode.dryRun === true ? [`would-rewrite:${rewrite.length}`, `would-remove:${removed.length}`] : []),
      ...named('merged', [...merged].map(([from, into]) => `${from}->${into}`)),
      ...named('removed-deprecated', [...successors].map(([from, by]) => `${from}->${by}`)),
      ...named('too-many-categories', groomed.filter(hasTooMany).map(({ facts }) => facts.id)),
    ],
  };
}

export interface RepairPlan {
  readonly updated: readonly string[];
  readonly rewrite: readonly Entry[];
}

/** Entries whose stored hash is not that of their body, with the right one. The body is what somebody meant: it stays. */
export function planRepair(entries: readonly RawEntry[], context: GroomContext): RepairPlan {
  const drifted = entries.filter(({ body, sourceHash }) => sourceHash !== bodyHash(body));
  const rewrite = drifted.map(({ sourceHash: _, ...facts }) => whole({ ...facts, updatedAt: context.now }, context));
  return { updated: drifted.map(({ id }) => id), rewrite };
}

/** What governs an entry and is filled on load: after enrichment it is in the file. */
export const governanceFields = [
  'version',
  'status',
  'owner',
  'priorityTier',
  'classification',
  'riskScore',
  'createdAt',
  'updatedAt',
  'lastReviewedAt',
  'nextReviewDue',
  'reviewIntervalDays',
  'changeLog',
  'semanticSummary',
] as const satisfies readonly (keyof Entry)[];

export interface Enrichment {
  readonly entry: Entry;
  readonly filled: readonly (typeof governanceFields)[number][];
}

/** Entries whose files lack governance fields, or have them blank, with what is to be written. Nothing else is touched. */
export function planEnrich(entries: readonly RawEntry[], context: GroomContext): Enrichment[] {
  return entries.flatMap((raw) => {
    const filled = governanceFields.filter((field) => isMissing(raw[field]));
    if (filled.length === 0) return [];
    const blanks = Object.fromEntries(filled.map((field) => [field, undefined]));
    return [{ entry: whole({ ...raw, ...blanks }, context), filled }];
  });
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/**
 * The whole entry of a file. What is absent is filled as of the day the entry was made, as the load does, so that the
 * governance hash does not move; categories and a stored hash are left to whoever plans to change them.
 */
function whole(facts: RawEntry, { now, ownerOf }: GroomContext): Entry {
  const entry = derive(facts, {
    now: facts.createdAt ?? now,
    canonical: false,
    owner: ownerOf?.(facts) ?? 'unowned',
    status: 'approved',
  });
  return { ...entry, categories: facts.categories ?? [], sourceHash: facts.sourceHash || entry.sourceHash };
}

/**
 * Each duplicate with the entry that stays (S0: earliest createdAt, then smallest id). The same text for other readers, or
 * in a deprecated and a living entry, is no duplicate: to merge those would change who is told what.
 */
function mergedInto(entries: readonly RawEntry[]): Map<string, string> {
  const groups = Map.groupBy(entries, (entry) => {
    const { workspaceId, userId, teamIds } = scopeOf(entry.categories ?? [], entry);
    return JSON.stringify([bodyHash(entry.body), isDeprecated(entry), workspaceId, userId, teamIds]);
  });
  const merged = new Map<string, string>();
  for (const group of groups.values()) {
    const [primary, ...others] = group.toSorted(byAge);
    for (const { id } of others) merged.set(id, primary?.id ?? id);
  }
  return merged;
}
