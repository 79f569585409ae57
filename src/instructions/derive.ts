/**
 * The rules that make a whole entry of what a caller gave (CONTRACT section 4): defaults, normal forms and derived
 * fields. Derived again on every write, so that nothing goes stale. Pure.
 */
import { normalAnchors } from '../graph/anchors.ts';
import { sha256 } from '../store/hash.ts';
import { type ChangeLogLine, type Entry, type Requirement, SCHEMA_VERSION, type Tier } from './entry.ts';

const reviewDays: Readonly<Record<Tier, number>> = { P1: 30, P2: 60, P3: 90, P4: 120 };
const riskOf: Readonly<Record<Requirement, number>> = {
  critical: 60,
  mandatory: 50,
  recommended: 20,
  optional: 5,
  deprecated: -30,
};
const DAY_MS = 86_400_000;
const SUMMARY_LENGTH = 160;

/** The one hash of a body, everywhere. */
export function bodyHash(body: string): string {
  return sha256(body);
}

/**
 * The form in which bodies are stored: LF, no blanks at the end of lines, no outer blank lines. Line by line, because an
 * expression for "blanks before an end" looks at each blank of a long run again and again.
 */
export function canonicalBody(body: string): string {
  const lines = body.replace(/\r\n?/g, '\n').split('\n').map(withoutTrailingBlanks);
  const first = lines.findIndex((line) => line !== '');
  return first === -1 ? '' : lines.slice(first, lines.findLastIndex((line) => line !== '') + 1).join('\n');
}

function withoutTrailingBlanks(line: string): string {
  let end = line.length;
  while (end > 0 && (line[end - 1] === ' ' || line[end - 1] === '\t')) end--;
  return end === line.length ? line : line.slice(0, end);
}

export function tierOf(priority: number, requirement: Requirement): Tier {
  if (priority <= 20 || requirement === 'mandatory' || requirement === 'critical') return 'P1';
  return priority <= 40 ? 'P2' : priority <= 70 ? 'P3' : 'P4';
}

export function riskScoreOf(priority: number, requirement: Requirement): number {
  return 100 - priority + riskOf[requirement];
}

export function summaryOf(body: string): string {
  const line = body.split('\n').find((text) => text.trim() !== '') ?? '';
  const plain = line.replace(/^#+\s*/, '').trim();
  return plain.length <= SUMMARY_LENGTH ? plain : `${plain.slice(0, SUMMARY_LENGTH - 1)}…`;
}

export function dueAfter(reviewedAt: string, days: number): string {
  return new Date(Date.parse(reviewedAt) + days * DAY_MS).toISOString();
}

/** What a caller may give of an entry; what is absent is filled. */
export type EntryFacts = { readonly [K in keyof Entry]?: Entry[K] | undefined } & Pick<Entry, 'id' | 'body'>;

export interface DeriveOptions {
  readonly now: string;
  readonly canonical: boolean;
  /** The first match of owners.json, or `unowned`. */
  readonly owner: string;
  readonly status: Entry['status'];
  readonly workspaceId?: string | undefined;
}

export function derive(facts: EntryFacts, options: DeriveOptions): Entry {
  const { now } = options;
  const body = options.canonical ? canonicalBody(facts.body) : facts.body;
  const priority = facts.priority ?? 50;
  const requirement = facts.requirement ?? 'optional';
  const scope = scopeOf(facts.categories ?? [], facts);
  const tier = tierOf(priority, requirement);
  const reviewIntervalDays = facts.reviewIntervalDays ?? reviewDays[tier];
  const lastReviewedAt = facts.lastReviewedAt ?? now;
  const version = facts.version ?? '1.0.0';
  const primaryCategory = primaryOf(facts.primaryCategory, scope.categories);
  return defined({
    ...facts,
    title: facts.title ?? facts.id,
    body,
    priority,
    audience: facts.audience ?? 'all',
    requirement,
    categories: scope.categories,
    primaryCategory,
    version,
    status: facts.status ?? options.status,
    owner: facts.owner ?? options.owner,
    classification: facts.classification ?? 'internal',
    priorityTier: tier,
    riskScore: facts.riskScore ?? riskScoreOf(priority, requirement),
    workspaceId: scope.workspaceId ?? options.workspaceId,
    userId: scope.userId,
    teamIds: scope.teamIds,
    anchors: anchorsOf(facts.anchors),
    createdAt: facts.createdAt ?? now,
    updatedAt: facts.updatedAt ?? now,
    lastReviewedAt,
    nextReviewDue: facts.nextReviewDue ?? dueAfter(lastReviewedAt, reviewIntervalDays),
    reviewIntervalDays,
    changeLog: repairedLog(facts.changeLog, version, now),
    semanticSummary: facts.semanticSummary ?? summaryOf(body),
    sourceHash: bodyHash(body),
    schemaVersion: SCHEMA_VERSION,
  });
}

export interface Scope {
  readonly categories: readonly string[];
  readonly workspaceId?: string | undefined;
  readonly userId?: string | undefined;
  readonly teamIds?: readonly string[] | undefined;
}

/** `scope:workspace:X`, `scope:user:X` and `scope:team:X` are not topics: they move to fields of their own (S0). */
export function scopeOf(categories: readonly string[], given: Omit<Scope, 'categories'> = {}): Scope {
  const topics = new Set<string>();
  const teams = new Set(given.teamIds ?? []);
  let { workspaceId, userId } = given;
  for (const category of categories) {
    const [, kind, name] = /^scope:(workspace|user|team):(.+)$/i.exec(category.trim()) ?? [];
    if (kind === undefined || name === undefined) topics.add(category.trim().toLowerCase());
    else if (kind.toLowerCase() === 'workspace') workspaceId ??= name;
    else if (kind.toLowerCase() === 'user') userId ??= name;
    else teams.add(name);
  }
  topics.delete('');
  return {
    categories: [...topics].sort(),
    workspaceId,
    userId,
    teamIds: teams.size === 0 ? undefined : [...teams].sort(),
  };
}

/** Files of other tools may have a field of that name for something else; it is no reason not to read them. */
function anchorsOf(value: unknown): string[] | undefined {
  const isList = Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');
  return isList ? normalAnchors(value as string[]) : undefined;
}

function primaryOf(wanted: string | undefined, categories: readonly string[]): string | undefined {
  const name = wanted?.trim().toLowerCase();
  return name !== undefined && categories.includes(name) ? name : categories[0];
}

/** A change log that is missing or malformed is made anew, so that governance hashes stay stable (S1). */
function repairedLog(
  log: readonly ChangeLogLine[] | undefined,
  version: string,
  now: string,
): readonly ChangeLogLine[] {
  const sound = (log ?? []).filter(
    (line) =>
      typeof line?.version === 'string' && typeof line.changedAt === 'string' && typeof line.summary === 'string',
  );
  return sound.length > 0 ? sound : [{ version, changedAt: now, summary: 'created' }];
}

/** Leaves out what is not there: an absent field and one that is `undefined` are the same on disk. */
function defined<T extends object>(record: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as T;
}
