/**
 * Reading one instruction file: text in, an entry or the reason why it is none. People write these files by hand, so what
 * can be filled is filled, and what is wrong is named. The same bytes give the same entry in any process on any day.
 */
import { sha256 } from '../store/hash.ts';
import { derive, type EntryFacts } from './derive.ts';
import {
  audiences,
  classifications,
  type Entry,
  fieldOrder,
  type Head,
  isId,
  requirements,
  statuses,
} from './entry.ts';

export interface ReadEntry {
  readonly entry: Entry;
  /** The hash that the file carries, where the body no longer has it. */
  readonly storedHash?: string;
  /** The file as it was written, before anything was filled in. */
  readonly raw: Readonly<Record<string, unknown>>;
}

export type FileReading = ReadEntry | { readonly problem: string };

/** Files that carry no date must not seem to change with the day they are read on. */
const NO_DATE = '1970-01-01T00:00:00.000Z';

export function readEntry(id: string, text: string): FileReading {
  let raw: unknown;
  try {
    raw = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (thrown) {
    if (/^<{7} /m.test(text) && /^>{7} /m.test(text))
      return { problem: 'has the marks of a merge conflict: choose one side, remove the marks' };
    return { problem: `is not JSON: ${thrown instanceof Error ? thrown.message : thrown}` };
  }
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return { problem: 'is not a JSON object' };
  const facts = raw as Record<string, unknown>;
  const problem = problemOf(id, facts);
  if (problem !== undefined) return { problem };
  const known = Object.fromEntries(
    fieldOrder.filter((field) => facts[field] !== undefined).map((field) => [field, facts[field]]),
  );
  const created = isTime(facts.createdAt) ? facts.createdAt : NO_DATE;
  let entry: Entry;
  try {
    entry = derive(known as unknown as EntryFacts, {
      now: created,
      canonical: false,
      owner: 'unowned',
      status: 'approved',
    });
  } catch (thrown) {
    // The checks above should leave nothing to fail on; if they do, it is one file's fault and no other's.
    return { problem: `cannot be read: ${thrown instanceof Error ? thrown.message : thrown}` };
  }
  const storedHash =
    typeof facts.sourceHash === 'string' && facts.sourceHash !== entry.sourceHash ? facts.sourceHash : undefined;
  return { entry, raw: facts, ...(storedHash !== undefined && { storedHash }) };
}

function problemOf(id: string, facts: Readonly<Record<string, unknown>>): string | undefined {
  if (!isId(id))
    return `has a name that is no id; the nearest allowed form is lower case letters, digits, dots, dashes`;
  if (facts.id !== id) return `has the id ${JSON.stringify(facts.id)}, but its name says ${JSON.stringify(id)}`;
  if (typeof facts.body !== 'string' || facts.body === '') return 'has no body';
  const wrong = fieldChecks.find(([field, , fits]) => facts[field] !== undefined && !fits(facts[field]));
  return wrong && `has a ${wrong[0]} that is not ${wrong[1]}: ${JSON.stringify(facts[wrong[0]])?.slice(0, 100)}`;
}

type Check = readonly [field: string, allowed: string, fits: (value: unknown) => boolean];

const isText = (value: unknown): value is string => typeof value === 'string';
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText);
/** Far enough from the end of time that a review interval can be added. */
const LAST_TIME = Date.UTC(9999, 11, 31);
export const isTime = (value: unknown): value is string => isText(value) && Math.abs(Date.parse(value)) <= LAST_TIME;
const isOneOf = (all: readonly string[]) => (value: unknown) => isText(value) && all.includes(value);
const isNumber = (value: unknown) => typeof value === 'number' && Number.isFinite(value);

const fieldChecks: readonly Check[] = [
  ...['title', 'description', 'rationale', 'primaryCategory', 'version', 'owner', 'workspaceId', 'userId'].map(
    (field): Check => [field, 'text', isText],
  ),
  ...['supersedes', 'deprecatedBy', 'semanticSummary', 'source'].map((field): Check => [field, 'text', isText]),
  ...['categories', 'tags', 'examples', 'dependencies', 'teamIds', 'appliesTo'].map(
    (field): Check => [field, 'a list of texts', isTexts],
  ),
  ...['createdAt', 'updatedAt', 'lastReviewedAt', 'nextReviewDue'].map((field): Check => [field, 'a time', isTime]),
  ['priority', 'a number from 1 to 100', (value) => isNumber(value) && Number(value) >= 1 && Number(value) <= 100],
  ['riskScore', 'a number', isNumber],
  [
    'reviewIntervalDays',
    'a number from 1 to 3650',
    (value) => isNumber(value) && Number(value) >= 1 && Number(value) <= 3650,
  ],
  ['audience', `one of ${audiences.join(', ')}`, isOneOf(audiences)],
  ['requirement', `one of ${requirements.join(', ')}`, isOneOf(requirements)],
  ['status', `one of ${statuses.join(', ')}`, isOneOf(statuses)],
  ['classification', `one of ${classifications.join(', ')}`, isOneOf(classifications)],
  ['changeLog', 'a list', Array.isArray],
];

export function headOf(entry: Entry): Head {
  const { body: _, ...head } = entry;
  return head;
}

/** Over everything but the body and the counters of use: moves when anything that governs the entry does. */
export function metaHashOf(head: Head): string {
  const { sourceHash: _, ...governed } = head;
  return sha256(JSON.stringify(Object.entries(governed).sort(([a], [b]) => (a < b ? -1 : 1))));
}
