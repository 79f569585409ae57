/** What a decision is: its fields, its names, and what may stand in them. */
import { randomBytes } from 'node:crypto';

export const kinds = ['decision', 'proposal'] as const;
export type Kind = (typeof kinds)[number];

export const statuses = ['active', 'superseded', 'proposed', 'accepted', 'rejected', 'deprecated'] as const;
export type Status = (typeof statuses)[number];

export const origins = ['human', 'agent', 'git', 'import'] as const;
export type Origin = (typeof origins)[number];

/** Who made it, as the server knows it: no argument of a call can say so. */
export interface Provenance {
  readonly origin: Origin;
  readonly agent?: string;
  readonly door?: string;
}

export interface Decision {
  readonly id: string;
  readonly kind: Kind;
  readonly title: string;
  readonly target: string;
  readonly namespace: string;
  readonly status: Status;
  readonly rationale: string;
  readonly consequences: readonly string[];
  /** Files and symbols that it cites: it is stale once they change. */
  readonly anchors?: readonly string[];
  readonly supersedes: readonly string[];
  readonly supersededBy?: string;
  readonly provenance: Provenance;
  /** How sure its maker was, 0…1; what is left of it today is derived (confidence.ts). */
  readonly confidence: number;
  readonly created: string;
  readonly updated: string;
  /** Of a proposal: what accepting it replaces, and what it became. */
  readonly suggestedSupersedes?: readonly string[];
  readonly convertedTo?: string;
  /** Of a decision that was a proposal. */
  readonly convertedFrom?: string;
  /** Fields that people added: kept as they are. */
  readonly extra: Readonly<Record<string, unknown>>;
}

export const DEFAULT_NAMESPACE = 'default';

const FOLDER = 'decisions/';
const SUFFIX = '.md';
const idPattern = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,117}[A-Za-z0-9_-])?$/;

export function isId(text: string): boolean {
  return idPattern.test(text) && !text.includes('..');
}

/** With and without the folder and the suffix, as callers write it. */
export function plainId(given: string): string {
  const name = given.startsWith(FOLDER) ? given.slice(FOLDER.length) : given;
  return name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : name;
}

/** As answers and links say it. */
export function publicId(id: string): string {
  return `${FOLDER}${id}${SUFFIX}`;
}

export function fileOf(id: string): string {
  return `${id}${SUFFIX}`;
}

export function idOfFile(name: string): string | undefined {
  const id = name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : '';
  return isId(id) ? id : undefined;
}

/** Readable, sorted by day, and never twice the same. */
export function newId(kind: Kind, target: string, now: string): string {
  const slug = target
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
    .slice(0, 60);
  const random = randomBytes(4).toString('hex');
  return [...(kind === 'proposal' ? ['proposal'] : []), now.slice(0, 10), ...(slug === '' ? [] : [slug]), random].join(
    '_',
  );
}
