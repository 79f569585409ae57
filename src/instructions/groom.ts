/**
 * Grooming, repair and enrichment as plans: what would be written and removed, and the counters that tell it (S0, S1).
 * A dry run reports the plan and a real run carries it out, so the two cannot differ. Pure, and at rest after one run.
 */
import { bodyHash, derive, type EntryFacts, riskScoreOf, scopeOf, tierOf } from './derive.ts';
import type { Entry } from './entry.ts';
import { isScopeToken, repairedCategory } from './foreign/category.ts';

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
  const duplicates = mode.mergeDuplicates === true ? duplicatesOf(entries) : new Map<string, RawEntry[]>();
  const merged = new Map([...duplicates].flatMap(([primary, others]) => others.map(({ id }) => [id, primary])));
  const unique = entries
    .filter(({ id }) => !merged.has(id))
    .map((entry) => redirected(mergedWith(entry, duplicates.get(entry.id) ?? []), merged, merged));
  const successors = mode.removeDeprecated === true ? successorsOf(unique) : new Map<string, string>();
  const raw = new Map(entries.map((entry) => [entry.id, entry]));
  const groomed = unique
    .filter(({ id }) => !successors.has(id))
    .map((entry) => groomedOne(raw.get(entry.id) ?? entry, redirected(entry, successors), mode));
  const changed = groomed.filter(({ facts }) => facts !== raw.get(facts.id));
  const rewrite = changed.map(({ facts }) => whole({ ...facts, updatedAt: context.now }, context));
  const remove = entries.map(({ id }) => id).filter((id) => merged.has(id) || successors.has(id));
  const count = (tally: 'repaired' | 'normalized' | 'purged') => changed.reduce((sum, entry) => sum + entry[tally], 0);
  return {
    rewrite,
    remove,
    counters: {
      scanned: entries.length,
      repairedHashes: count('repaired'),
      normalizedCategories: count('normalized'),
      deprecatedRemoved: successors.size,
      duplicatesMerged: merged.size,
      usagePruned: remove.filter((id) => context.used?.has(id)).length,
      filesRewritten: mode.dryRun === true ? 0 : rewrite.length,
      purgedScopes: count('purged'),
    },
    notes: [
      ...(mode.dryRun === true ? [`would-rewrite:${rewrite.length}`, `would-remove:${remove.length}`] : []),
      ...named('merged', merged),
      ...named('removed-deprecated', successors),
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
 * The entries that stay (S0: earliest createdAt, then smallest id), each with its duplicates. The same text for other
 * readers, or once deprecated and once not, is no duplicate: merging those would change who is told what.
 */
function duplicatesOf(entries: readonly RawEntry[]): Map<string, RawEntry[]> {
  const groups = new Map<string, RawEntry[]>();
  for (const entry of entries) {
    const { workspaceId, userId, teamIds } = scopeOf(entry.categories ?? [], entry);
    const key = JSON.stringify([bodyHash(entry.body), isDeprecated(entry), workspaceId, userId, teamIds]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [entry]);
    else group.push(entry);
  }
  const duplicates = new Map<string, RawEntry[]>();
  for (const group of groups.values()) {
    const [primary, ...others] = group.toSorted((a, b) => madeAt(a) - madeAt(b) || (a.id < b.id ? -1 : 1));
    if (primary !== undefined && others.length > 0) duplicates.set(primary.id, others);
  }
  return duplicates;
}

/** An entry without a date cannot claim to be the first. */
function madeAt({ createdAt = '' }: RawEntry): number {
  const time = Date.parse(createdAt);
  return Number.isNaN(time) ? Number.MAX_SAFE_INTEGER : time;
}

function isDeprecated({ requirement, status }: RawEntry): boolean {
  return requirement === 'deprecated' || status === 'deprecated';
}

function mergedWith(primary: RawEntry, others: readonly RawEntry[]): RawEntry {
  if (others.length === 0) return primary;
  const group = [primary, ...others];
  const own = primary.categories ?? [];
  // A scope of theirs is the same as ours, or they would not be duplicates.
  const theirs = others.flatMap(({ categories = [] }) => categories.filter(isTopic));
  const merged = {
    ...primary,
    categories: [...new Set([...own, ...theirs])],
    priority: group.map(priorityOf).reduce((a, b) => Math.min(a, b)),
    riskScore: group.map(riskOf).reduce((a, b) => Math.max(a, b)),
    deprecatedBy: leadingOut(primary, group),
  };
  const same =
    merged.categories.length === own.length &&
    merged.priority === priorityOf(primary) &&
    merged.riskScore === riskOf(primary) &&
    merged.deprecatedBy === primary.deprecatedBy;
  if (same) return primary;
  const moved = tierOf(merged.priority, requirementOf(primary)) !== tierOf(priorityOf(primary), requirementOf(primary));
  // Another tier is reviewed at other times.
  return moved ? { ...merged, reviewIntervalDays: undefined, nextReviewDue: undefined } : merged;
}

const requirementOf = ({ requirement }: RawEntry) => requirement ?? 'optional';
const priorityOf = ({ priority }: RawEntry) => priority ?? 50;
const riskOf = (entry: RawEntry) => entry.riskScore ?? riskScoreOf(priorityOf(entry), requirementOf(entry));

/** The successor of a merged entry cannot be one of those that were merged into it. */
function leadingOut({ deprecatedBy }: RawEntry, group: readonly RawEntry[]): string | undefined {
  const inside = new Set(group.map(({ id }) => id));
  if (deprecatedBy === undefined || !inside.has(deprecatedBy)) return deprecatedBy;
  return group.flatMap((entry) => entry.deprecatedBy ?? []).find((id) => !inside.has(id));
}

/** The entry with its references to what goes pointing to what stays; none to itself. */
function redirected(
  entry: RawEntry,
  replaced: ReadonlyMap<string, string>,
  replacedInHistory?: ReadonlyMap<string, string>,
): RawEntry {
  const follow = (id: string | undefined, replacements: ReadonlyMap<string, string> | undefined) => {
    const target = id === undefined ? undefined : replacements?.get(id);
    return target === undefined ? id : target === entry.id ? undefined : target;
  };
  const deprecatedBy = follow(entry.deprecatedBy, replaced);
  // That an entry took the place of one since removed stays true; only a merged one has a new name.
  const supersedes = follow(entry.supersedes, replacedInHistory);
  const dependencies = entry.dependencies?.some((id) => replaced.has(id))
    ? [...new Set(entry.dependencies.flatMap((id) => follow(id, replaced) ?? []))]
    : entry.dependencies;
  const same =
    deprecatedBy === entry.deprecatedBy && supersedes === entry.supersedes && dependencies === entry.dependencies;
  return same ? entry : { ...entry, deprecatedBy, supersedes, dependencies };
}

/**
 * Deprecated entries that can go, each with the entry that stays in its place at the end of the chain. In a circle nobody
 * stays, so nobody of it goes.
 */
function successorsOf(entries: readonly RawEntry[]): Map<string, string> {
  const present = new Map(entries.map((entry) => [entry.id, entry]));
  const next = new Map<string, string>();
  for (const entry of entries) {
    if (isDeprecated(entry) && entry.deprecatedBy !== undefined && present.has(entry.deprecatedBy)) {
      next.set(entry.id, entry.deprecatedBy);
    }
  }
  const successors = new Map<string, string>();
  const settled = new Set<string>();
  for (const start of next.keys()) {
    const path = new Set<string>();
    let id = start;
    for (let target = next.get(id); target !== undefined && !path.has(id) && !settled.has(id); target = next.get(id)) {
      path.add(id);
      id = target;
    }
    const last = successors.get(id) ?? id;
    const walked = [...path];
    const circle = walked.indexOf(id);
    for (const gone of circle < 0 ? walked : walked.slice(0, circle)) successors.set(gone, last);
    for (const seen of walked) settled.add(seen);
  }
  return successors;
}

interface Groomed {
  /** The very object that came in, where nothing is to be written. */
  readonly facts: RawEntry;
  readonly repaired: number;
  readonly normalized: number;
  readonly purged: number;
}

function groomedOne(raw: RawEntry, entry: RawEntry, mode: GroomMode): Groomed {
  const hash = bodyHash(entry.body);
  const repaired = mode.updateHashes !== false && raw.sourceHash !== hash;
  const normalizes = mode.normalizeCategories !== false;
  const rawTopics = (raw.categories ?? []).filter(isTopic);
  const normalized = normalizes && !isSame(rawTopics, normalTopics(rawTopics));
  const purged = mode.purgeLegacyScopes === true ? (raw.categories ?? []).length - rawTopics.length : 0;
  const tally = { repaired: Number(repaired), normalized: Number(normalized), purged };
  if (entry === raw && !repaired && !normalized && purged === 0) return { facts: raw, ...tally };
  const { categories = [], primaryCategory } = entry;
  const topics = normalizes ? normalTopics(categories.filter(isTopic)) : categories.filter(isTopic);
  const { workspaceId, userId, teamIds } = scopeOf(categories, entry);
  const facts = {
    ...entry,
    categories: purged > 0 ? topics : [...topics, ...categories.filter(isScopeToken)],
    primaryCategory: primaryCategory === undefined || !normalizes ? primaryCategory : spelled(primaryCategory),
    ...(purged > 0 && { workspaceId, userId, teamIds }),
    ...(repaired && { sourceHash: hash }),
  };
  return { facts, ...tally };
}

const isTopic = (category: string): boolean => !isScopeToken(category);

/** Lower case, unique, sorted (S0) and spelled as the contract wants. */
function normalTopics(topics: readonly string[]): readonly string[] {
  return [...new Set(topics.map(spelled).filter((topic) => topic !== ''))].sort();
}

function spelled(category: string): string {
  return repairedCategory(category) ?? category.trim().toLowerCase();
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}

function named(kind: string, pairs: ReadonlyMap<string, string>): string[] {
  const notes = [...pairs].slice(0, MAX_NOTES_OF_A_KIND).map(([from, to]) => `${kind}:${from}->${to}`);
  const others = pairs.size - notes.length;
  return others > 0 ? [...notes, `${kind}:+${others} more`] : notes;
}
