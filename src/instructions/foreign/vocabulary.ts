/**
 * The words that other catalogs use where Cairn has a fixed set. Where a word is in no table, the ruling is the one that
 * the original system makes on load: a named circle of readers is a group, a sentence is a recommendation.
 */
import {
  type Audience,
  audiences,
  type Classification,
  classifications,
  type Requirement,
  requirements,
  type Status,
  statuses,
} from '../entry.ts';

export interface Word<T> {
  readonly value: T;
  /** Absent where the word was already the allowed one. */
  readonly why?: string;
}

const audienceWords: Readonly<Record<string, Audience>> = {
  '*': 'all',
  any: 'all',
  anyone: 'all',
  everybody: 'all',
  everyone: 'all',
  global: 'all',
  public: 'all',
  system: 'all',
  me: 'individual',
  myself: 'individual',
  personal: 'individual',
  self: 'individual',
  user: 'individual',
};

export function audienceOf(raw: string): Word<Audience> {
  const known = exactly(raw, audiences) ?? listed(raw, audienceWords);
  return known ?? { value: 'group', why: `${quoted(raw)} names a circle of readers, which is a group` };
}

const requirementWords: Readonly<Record<string, Requirement>> = {
  always: 'mandatory',
  must: 'mandatory',
  required: 'mandatory',
  shall: 'mandatory',
  blocker: 'critical',
  important: 'recommended',
  essential: 'recommended',
  preferred: 'recommended',
  should: 'recommended',
  could: 'optional',
  informational: 'optional',
  may: 'optional',
  obsolete: 'deprecated',
  retired: 'deprecated',
};

/** Tried in this order; a word behind a negation ("not mandatory") says nothing of the kind. */
const requirementSigns: readonly (readonly [RegExp, Requirement])[] = [
  [/^(?:deprecated|obsolete)\b/i, 'deprecated'],
  [/(?<!\b(?:not|non|never|no longer)[\s-])\b(?:mandatory|must|required|shall)\b/i, 'mandatory'],
  [/(?<!\b(?:not|non|never|no longer)[\s-])\bcritical\b/i, 'critical'],
  [/(?<!\b(?:not|non|never|no longer)[\s-])\boptional\b/i, 'optional'],
];

export interface RequirementWord extends Word<Requirement> {
  /** True where a whole sentence stood in the field, which is worth keeping as the rationale. */
  readonly sentence: boolean;
}

export function requirementOf(raw: string): RequirementWord {
  const known = exactly(raw, requirements) ?? listed(raw, requirementWords);
  if (known !== undefined) return { ...known, sentence: false };
  const [, value] = requirementSigns.find(([sign]) => sign.test(raw)) ?? [];
  return {
    value: value ?? 'recommended',
    why:
      value === undefined
        ? `${quoted(raw)} has no word of duty in it, so it recommends`
        : `${quoted(raw)} says so by its words`,
    sentence: /\s/.test(raw.trim()),
  };
}

const statusWords: Readonly<Record<string, Status>> = {
  accepted: 'approved',
  active: 'approved',
  current: 'approved',
  final: 'approved',
  live: 'approved',
  published: 'approved',
  stable: 'approved',
  pending: 'draft',
  proposed: 'draft',
  wip: 'draft',
  'in-review': 'review',
  'in review': 'review',
  reviewing: 'review',
  archived: 'deprecated',
  obsolete: 'deprecated',
  retired: 'deprecated',
  superseded: 'deprecated',
};

/** A status nobody knows is a draft: listed and labelled, but not handed to agents before a person has looked. */
export function statusOf(raw: string): Word<Status> {
  const known = exactly(raw, statuses) ?? listed(raw, statusWords);
  return known ?? { value: 'draft', why: `${quoted(raw)} is no status that Cairn knows, so a person is to look at it` };
}

const classificationWords: Readonly<Record<string, Classification>> = {
  open: 'public',
  company: 'internal',
  team: 'internal',
  confidential: 'restricted',
  private: 'restricted',
  secret: 'restricted',
  sensitive: 'restricted',
};

/** A classification nobody knows is the narrowest: to open it later is a choice, to have leaked it is not. */
export function classificationOf(raw: string): Word<Classification> {
  const known = exactly(raw, classifications) ?? listed(raw, classificationWords);
  return (
    known ?? { value: 'restricted', why: `${quoted(raw)} is no classification that Cairn knows; the narrowest is safe` }
  );
}

function exactly<T extends string>(raw: string, allowed: readonly T[]): Word<T> | undefined {
  const value = allowed.find((word) => word === raw.trim().toLowerCase());
  if (value === undefined) return undefined;
  return value === raw ? { value } : { value, why: 'written in lower case and without blanks around it' };
}

function listed<T>(raw: string, words: Readonly<Record<string, T>>): Word<T> | undefined {
  const word = raw.trim().toLowerCase();
  const value = Object.hasOwn(words, word) ? words[word] : undefined;
  return value === undefined ? undefined : { value, why: `${quoted(raw)} is another word for it` };
}

function quoted(raw: string): string {
  return `"${raw.length > 80 ? `${raw.slice(0, 79)}…` : raw}"`;
}
