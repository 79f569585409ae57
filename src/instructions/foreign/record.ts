/**
 * A record of foreign fields (a JSON object, the front matter of a file) as facts of an entry: every field is taken,
 * fitted or dropped here, and whatever is not taken as it stood becomes a change.
 */
import { bodyHash, type EntryFacts, scopeOf, tierOf } from '../derive.ts';
import { fieldOrder } from '../entry.ts';
import type { Change } from './catalog.ts';
import { isScopeToken, MAX_CATEGORIES, repairedCategory } from './category.ts';
import {
  changeLogOf,
  type Fit,
  integerWithin,
  numberOf,
  patternsOf,
  textsUpTo,
  textUpTo,
  timeOf,
  versionOf,
} from './form.ts';
import { audienceOf, classificationOf, requirementOf, statusOf, type Word } from './vocabulary.ts';

export type ForeignRecord = Readonly<Record<string, unknown>>;
/** Everything of an entry but what only the reader of the file knows. */
export type RecordFacts = Omit<EntryFacts, 'id' | 'body'>;

const RATIONALE_LENGTH = 10_000;
const line = textUpTo(200);
const paragraph = textUpTo(RATIONALE_LENGTH);
const texts = textsUpTo(100, 2000);

export function factsOf(record: ForeignRecord, body: string): { facts: RecordFacts; changes: Change[] } {
  const changes: Change[] = [];
  const changed = (field: string, from: unknown, to: unknown, why: string) =>
    changes.push({ field, from, to: to ?? null, why });
  const take = <T>(field: string, fitting: Fit<T>): T | undefined => {
    const raw = record[field];
    if (raw === undefined) return undefined;
    const blank = raw === null || (typeof raw === 'string' && raw.trim() === '');
    const { value, why } = blank ? { value: undefined, why: 'a blank value is the same as none' } : fitting(raw);
    if (why !== undefined) changed(field, raw, value, why);
    return value;
  };

  const requirement = take('requirement', wordOf(requirementOf));
  const facts: RecordFacts = {
    title: take('title', line),
    description: take('description', paragraph),
    rationale: rationaleOf(take('rationale', paragraph), record.requirement, changed),
    priority: take('priority', integerWithin(1, 100)) ?? priorityOfTier(record, changed),
    audience: take('audience', wordOf(audienceOf)),
    requirement,
    tags: take('tags', texts),
    examples: take(
      'examples',
      textsUpTo(100, 10_000, (text) => [text]),
    ),
    dependencies: take('dependencies', texts),
    version: take('version', versionOf),
    status: take('status', wordOf(statusOf)),
    owner: take('owner', line),
    classification: take('classification', wordOf(classificationOf)),
    riskScore: take('riskScore', numberOf),
    appliesTo: take('appliesTo', textsUpTo(100, 2000, patternsOf)),
    source: take('source', textUpTo(2000)),
    supersedes: take('supersedes', line),
    deprecatedBy: take('deprecatedBy', line),
    createdAt: take('createdAt', timeOf),
    updatedAt: take('updatedAt', timeOf),
    lastReviewedAt: take('lastReviewedAt', timeOf),
    nextReviewDue: take('nextReviewDue', timeOf),
    reviewIntervalDays: take('reviewIntervalDays', integerWithin(1, 3650)),
    changeLog: take('changeLog', changeLogOf),
    semanticSummary: take('semanticSummary', textUpTo(160)),
    ...categoriesOf(
      take('categories', textsUpTo(1000, 1000)),
      take('primaryCategory', paragraph),
      { workspaceId: take('workspaceId', line), userId: take('userId', line), teamIds: take('teamIds', texts) },
      changed,
    ),
  };
  tellDerived(record, facts, body, changed);
  for (const field of Object.keys(record).filter((name) => !known.has(name))) {
    changed(field, record[field], null, dropped.get(field) ?? 'Cairn has no such field');
  }
  return { facts, changes };
}

type Tell = (field: string, from: unknown, to: unknown, why: string) => void;

function wordOf<T>(words: (raw: string) => Word<T>): Fit<T> {
  return (raw) => {
    const text = Array.isArray(raw) ? raw.filter((item) => typeof item === 'string').join(', ') : raw;
    return typeof text === 'string' ? words(text) : { value: undefined, why: 'is not text' };
  };
}

/** A sentence in `requirement` says why the instruction is there: it must survive being mapped to one word. */
function rationaleOf(rationale: string | undefined, requirement: unknown, changed: Tell): string | undefined {
  if (typeof requirement !== 'string' || requirement.trim() === '' || !requirementOf(requirement).sentence) {
    return rationale;
  }
  const sentence = requirement.trim();
  if (rationale?.includes(sentence)) return rationale;
  const both = rationale === undefined ? sentence : `${rationale}\n\n${sentence}`;
  const kept = both.length <= RATIONALE_LENGTH ? both : `${both.slice(0, RATIONALE_LENGTH - 1)}…`;
  changed('rationale', rationale ?? null, kept, 'keeps the sentence that stood in requirement');
  return kept;
}

/** The least urgent priority that still has the tier, where only a tier was given. Others have a P0, above all. */
const tierFloor: Readonly<Record<string, number>> = { P0: 1, P1: 20, P2: 40, P3: 70, P4: 100 };

function priorityOfTier({ priorityTier }: ForeignRecord, changed: Tell): number | undefined {
  const tier = typeof priorityTier === 'string' ? priorityTier.trim().toUpperCase() : '';
  const priority = Object.hasOwn(tierFloor, tier) ? tierFloor[tier] : undefined;
  if (priority !== undefined) changed('priority', null, priority, `no usable priority, but the tier ${tier}`);
  return priority;
}

function categoriesOf(
  given: readonly string[] = [],
  wantedPrimary: string | undefined,
  scopeFields: Parameters<typeof scopeOf>[1],
  changed: Tell,
): RecordFacts {
  const spelled = (field: string, raw: string) => {
    const name = repairedCategory(raw);
    if (name !== raw) changed(field, raw, name, 'the nearest allowed spelling of a category');
    return name;
  };
  const primaryCategory = wantedPrimary === undefined ? undefined : spelled('primaryCategory', wantedPrimary);
  const tokens = given.filter(isScopeToken);
  const listed = given.filter((raw) => !isScopeToken(raw)).flatMap((raw) => spelled('categories', raw) ?? []);
  if (primaryCategory !== undefined && !listed.includes(primaryCategory)) {
    changed('categories', null, primaryCategory, 'the primary category is one of the categories');
  }
  const topics = [...new Set(primaryCategory === undefined ? listed : [primaryCategory, ...listed])];
  for (const topic of topics.slice(MAX_CATEGORIES)) changed('categories', topic, null, `more than ${MAX_CATEGORIES}`);
  const scope = scopeOf([...topics.slice(0, MAX_CATEGORIES), ...tokens], scopeFields);
  const scopes = [scope.workspaceId, scope.userId, ...(scope.teamIds ?? [])];
  for (const token of tokens) {
    const name = token.trim().split(':').slice(2).join(':');
    const why = scopes.includes(name) ? 'a scope has a field of its own (S0)' : 'another scope of its kind is given';
    changed('categories', token, scopes.includes(name) ? name : null, why);
  }
  return { ...scope, primaryCategory };
}

/** What Cairn derives itself is not taken over; where the file said otherwise, that is told. */
function tellDerived(record: ForeignRecord, facts: RecordFacts, body: string, changed: Tell): void {
  const { sourceHash, priorityTier } = record;
  const hash = bodyHash(body);
  if (typeof sourceHash === 'string' && sourceHash !== '' && sourceHash !== hash) {
    changed('sourceHash', sourceHash, hash, 'did not fit the body, and is made anew');
  }
  const tier = tierOf(facts.priority ?? 50, facts.requirement ?? 'optional');
  if (priorityTier !== undefined && priorityTier !== tier) {
    changed('priorityTier', priorityTier, tier, 'derived from priority and requirement');
  }
}

/** Cairn's own fields, all read above. `schemaVersion` speaks of the file's format, so replacing it is no change to tell. */
const known = new Set<string>(fieldOrder);

const usage = 'Cairn counts the use of an entry itself';
const dropped = new Map(['usageCount', 'lastUsedAt', 'firstSeenTs'].map((field) => [field, usage]));
