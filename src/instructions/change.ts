/**
 * What adding an entry means (CONTRACT section 4, rows "refused on add" and "overwrite"): a new entry, a replaced one, one
 * left as it is, or a refusal with its name. Pure: the caller reads what is there and writes what is decided.
 */
import {
  canonicalBody,
  type DeriveOptions,
  derive,
  type EntryFacts,
  riskScoreOf,
  summaryOf,
  tierOf,
} from './derive.ts';
import type { ChangeLogLine, Entry } from './entry.ts';
import { isId, repairedId } from './entry.ts';
import { bumped, compareVersions, isVersion } from './version.ts';

/** What a caller sends: any part of an entry, and an id. */
export type Given = { readonly [K in keyof Entry]?: Entry[K] | undefined } & { readonly id: string };

export interface AddOptions extends DeriveOptions {
  readonly overwrite: boolean;
  readonly lax: boolean;
  readonly strictCreate: boolean;
  readonly expectedVersion?: string | undefined;
  /** Of a source that is trusted: rules about owners are not asked for. */
  readonly trusted?: boolean;
}

export type Refusal = { readonly refused: string; readonly hint: string };
export type Decision =
  | { readonly kind: 'write'; readonly entry: Entry; readonly previous?: Entry }
  | { readonly kind: 'skip'; readonly entry: Entry }
  | ({ readonly kind: 'refuse' } & Refusal);

export const MAX_BODY = 1_000_000;
const MAX_CATEGORIES = 25;

export function decideAdd(given: Given, present: Entry | undefined, options: AddOptions): Decision {
  const { expectedVersion, overwrite } = options;
  if (!isId(given.id)) return refuse('invalid_id', `Use ${JSON.stringify(repairedId(given.id))} as id.`);
  if (expectedVersion !== undefined && present?.version !== expectedVersion) {
    return refuse(
      'version_conflict',
      `The stored version is ${present?.version ?? 'none'}: read the entry again first.`,
    );
  }
  if (present !== undefined && !overwrite) {
    if (!options.strictCreate) return { kind: 'skip', entry: present };
    return refuse('already_exists', 'Send overwrite: true to replace it.');
  }
  const whole = present === undefined ? given : overlaid(given, present);
  const wrong = refusalOf(whole, given, options);
  if (wrong !== undefined) return { kind: 'refuse', ...wrong };
  const facts = { ...whole, body: whole.body ?? '' } as EntryFacts;
  return present === undefined
    ? { kind: 'write', entry: derive(facts, options) }
    : replaced(facts, given, present, options);
}

function replaced(facts: EntryFacts, given: Given, present: Entry, options: AddOptions): Decision {
  const body = options.canonical ? canonicalBody(facts.body) : facts.body;
  const bodyChanged = body !== present.body;
  if (given.version !== undefined && compareVersions(given.version, present.version) < 0) {
    return refuse(
      'version_not_bumped',
      `The stored version is ${present.version}; send that one, a higher one, or none.`,
    );
  }
  const raised = given.version !== undefined && given.version !== present.version;
  const version = raised ? (given.version ?? '') : bodyChanged ? bumped(present.version, 'patch') : present.version;
  const entry = derive({ ...facts, version, createdAt: present.createdAt, updatedAt: present.updatedAt }, options);
  if (JSON.stringify(entry) === JSON.stringify(present)) return { kind: 'skip', entry: present };
  const changedAt = options.now;
  const line: ChangeLogLine = { version, changedAt, summary: bodyChanged ? 'body changed' : 'metadata changed' };
  const logged = version !== present.version && given.changeLog === undefined;
  const changeLog = logged ? [...present.changeLog, line] : entry.changeLog;
  return { kind: 'write', entry: { ...entry, changeLog, updatedAt: changedAt }, previous: present };
}

/** What is not sent stays as it is; what is derived from what was sent is derived again, unless somebody chose it. */
function overlaid(given: Given, present: Entry): Given {
  const sent = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const whole: Given = { ...present, ...sent };
  const tierMoved = tierOf(whole.priority ?? 50, whole.requirement ?? 'optional') !== present.priorityTier;
  return {
    ...whole,
    riskScore: given.riskScore ?? kept(present.riskScore, riskScoreOf(present.priority, present.requirement)),
    semanticSummary: given.semanticSummary ?? kept(present.semanticSummary, summaryOf(present.body)),
    ...(tierMoved && {
      reviewIntervalDays: given.reviewIntervalDays,
      nextReviewDue: given.nextReviewDue,
    }),
  };
}

/** A stored value that equals the derived one was derived: it may be derived anew. */
function kept<T>(stored: T, derived: T): T | undefined {
  return stored === derived ? undefined : stored;
}

const strictFields = ['title', 'body', 'priority', 'requirement', 'categories'] as const;

function refusalOf(whole: Given, given: Given, { lax, owner, trusted }: AddOptions): Refusal | undefined {
  const missing = strictFields.filter((field) => whole[field] === undefined && !(lax && field !== 'body'));
  if (missing.length > 0) {
    return {
      refused: `missing required fields: ${missing.join(', ')}`,
      hint: 'Send them, or lax: true to have all but the body filled.',
    };
  }
  if ((whole.body ?? '').trim() === '') return { refused: 'empty_body', hint: 'An instruction needs a body.' };
  if ((whole.body ?? '').length > MAX_BODY) {
    return {
      refused: 'body_too_large',
      hint: `A body has at most ${MAX_BODY} characters; split it, or store it as a document.`,
    };
  }
  if ((whole.categories ?? []).length > MAX_CATEGORIES) {
    return { refused: 'too_many_categories', hint: `An entry has at most ${MAX_CATEGORIES} categories.` };
  }
  if (given.version !== undefined && !isVersion(given.version)) {
    return { refused: 'invalid_semver', hint: 'Use MAJOR.MINOR.PATCH, for example 1.0.0, or leave the version out.' };
  }
  if (trusted) return undefined;
  const owned = !['', 'unowned'].includes((whole.owner ?? owner).trim().toLowerCase());
  const strict = whole.requirement === 'mandatory' || whole.requirement === 'critical';
  if (strict && !owned) return { refused: 'mandatory/critical require owner', hint: 'Name an owner in entry.owner.' };
  if (given.priorityTier === 'P1' && !(owned && (whole.categories ?? []).length > 0)) {
    return { refused: 'P1 requires category and owner', hint: 'Name an owner and at least one category.' };
  }
  return undefined;
}

function refuse(refused: string, hint: string): Decision {
  return { kind: 'refuse', refused, hint };
}
