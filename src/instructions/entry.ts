/**
 * What an instruction is: the union of the seeds' InstructionEntry, as it is stored, one JSON file each. Everything here
 * is plain readonly data; the rules that derive fields are in derive.ts.
 */

export const audiences = ['individual', 'group', 'all'] as const;
export const requirements = ['mandatory', 'critical', 'recommended', 'optional', 'deprecated'] as const;
export const statuses = ['draft', 'review', 'approved', 'deprecated'] as const;
export const classifications = ['public', 'internal', 'restricted'] as const;
export const tiers = ['P1', 'P2', 'P3', 'P4'] as const;

export type Audience = (typeof audiences)[number];
export type Requirement = (typeof requirements)[number];
export type Status = (typeof statuses)[number];
export type Classification = (typeof classifications)[number];
export type Tier = (typeof tiers)[number];

export interface ChangeLogLine {
  readonly version: string;
  readonly changedAt: string;
  readonly summary: string;
}

/** Everything of an entry but its body, which is read on demand. */
export interface Head {
  readonly id: string;
  readonly title: string;
  readonly description?: string;
  readonly rationale?: string;
  /** 1 (highest) to 100. */
  readonly priority: number;
  readonly audience: Audience;
  readonly requirement: Requirement;
  /** Lower case, unique, sorted. */
  readonly categories: readonly string[];
  readonly primaryCategory?: string;
  readonly tags?: readonly string[];
  readonly examples?: readonly string[];
  readonly dependencies?: readonly string[];
  readonly version: string;
  readonly status: Status;
  readonly owner: string;
  readonly classification: Classification;
  readonly priorityTier: Tier;
  readonly riskScore: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly lastReviewedAt: string;
  readonly nextReviewDue: string;
  readonly reviewIntervalDays: number;
  readonly changeLog: readonly ChangeLogLine[];
  readonly supersedes?: string;
  readonly deprecatedBy?: string;
  readonly workspaceId?: string;
  readonly userId?: string;
  readonly teamIds?: readonly string[];
  /** Where an imported entry came from, for example a file and a heading in it. */
  readonly source?: string;
  /** Files that the entry speaks of, as glob patterns (`applyTo` of other tools). */
  readonly appliesTo?: readonly string[];
  /** Files and symbols that the entry cites: it is stale once they change. */
  readonly anchors?: readonly string[];
  readonly semanticSummary: string;
  readonly sourceHash: string;
  readonly schemaVersion: string;
}

export interface Entry extends Head {
  readonly body: string;
}

export const SCHEMA_VERSION = '4';

/** The order in which fields stand in a file, so that diffs of two writers agree. */
export const fieldOrder = [
  'id',
  'title',
  'description',
  'body',
  'rationale',
  'priority',
  'audience',
  'requirement',
  'categories',
  'primaryCategory',
  'tags',
  'examples',
  'dependencies',
  'version',
  'status',
  'owner',
  'classification',
  'priorityTier',
  'riskScore',
  'workspaceId',
  'userId',
  'teamIds',
  'appliesTo',
  'anchors',
  'source',
  'supersedes',
  'deprecatedBy',
  'createdAt',
  'updatedAt',
  'lastReviewedAt',
  'nextReviewDue',
  'reviewIntervalDays',
  'changeLog',
  'semanticSummary',
  'sourceHash',
  'schemaVersion',
] as const satisfies readonly (keyof Entry)[];

/** The text of an entry's file: two spaces, fields in order, a newline at the end. */
export function serialize(entry: Entry): string {
  const ordered = Object.fromEntries(
    fieldOrder.filter((field) => entry[field] !== undefined).map((field) => [field, entry[field]]),
  );
  return `${JSON.stringify(ordered, null, 2)}\n`;
}

export const fileOf = (id: string): string => `${id}.json`;

/** Files of the folder that are not entries. */
const reserved = new Set(['gates', 'owners']);
const idPattern = /^[a-z0-9](?:[a-z0-9._-]{0,118}[a-z0-9])?$/;

export function isId(id: string): boolean {
  return idPattern.test(id) && !id.includes('..') && !reserved.has(id);
}

/** The id of a file name, or `undefined` where the file is not an entry. Files that begin with `_` are side files. */
export function idOfFile(name: string): string | undefined {
  if (!name.endsWith('.json') || name.startsWith('_')) return undefined;
  const id = name.slice(0, -'.json'.length);
  return reserved.has(id) ? undefined : id;
}

/** The nearest spelling that is allowed, as a suggestion and for foreign catalogs. */
export function repairedId(id: string): string {
  const repaired = id
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .replace(/-{2,}/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 120)
    .replace(/[^a-z0-9]+$/, '');
  return repaired === '' || reserved.has(repaired) ? `entry-${repaired || 'unnamed'}` : repaired;
}
