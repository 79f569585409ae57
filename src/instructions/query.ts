/**
 * S1's query: filters, a sort and an opaque cursor. The cursor is the sort key of the last entry returned, so an entry that
 * is there throughout with the same key is returned exactly once, whatever is added or removed meanwhile.
 */
import { CairnError } from '../errors.ts';
import type { Head } from './entry.ts';
import type { Key } from './order.ts';
import type { InstructionShelf, SortField } from './shelf.ts';

export interface Filters {
  readonly categories?: readonly string[] | undefined;
  readonly priorityTiers?: readonly string[] | undefined;
  readonly status?: readonly string[] | undefined;
  readonly owners?: readonly string[] | undefined;
  readonly classification?: readonly string[] | undefined;
  readonly workspaceId?: string | undefined;
  readonly userId?: string | undefined;
  readonly teamIds?: readonly string[] | undefined;
  readonly createdAfter?: string | undefined;
  readonly updatedAfter?: string | undefined;
  readonly dueBefore?: string | undefined;
}

export interface QueryRequest {
  readonly filters: Filters;
  readonly field: SortField;
  readonly ascending: boolean;
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** The entries that hold the text asked for, where one was. */
  readonly containing?: ReadonlySet<string> | undefined;
}

export interface QueryPage {
  readonly ids: readonly string[];
  readonly total: number;
  readonly nextCursor?: string;
}

/** One pass over the candidates for the count, one from the cursor until the page is full: O(entries), without sorting. */
export function queryShelf(shelf: InstructionShelf, request: QueryRequest): QueryPage {
  const { field, ascending, limit } = request;
  const fits = predicate(request);
  let total = 0;
  for (const head of candidates(shelf, request.filters.categories)) if (fits(head)) total++;
  const keys: Key[] = [];
  for (const key of shelf.order(field).after(decode(request.cursor, field, ascending), ascending)) {
    const head = shelf.get(key[1])?.head;
    if (head === undefined || !fits(head)) continue;
    keys.push(key);
    if (keys.length > limit) break;
  }
  const last = keys.length > limit ? keys[limit - 1] : undefined;
  return {
    ids: keys.slice(0, limit).map(([, id]) => id),
    total,
    ...(last !== undefined && { nextCursor: encode(last, field, ascending) }),
  };
}

/** Where categories are asked for, only their members need a look. */
function* candidates(shelf: InstructionShelf, categories: readonly string[] | undefined): Generator<Head> {
  if (categories === undefined) {
    for (const { head } of shelf.values()) yield head;
    return;
  }
  const seen = new Set<string>();
  for (const category of categories) {
    const members = shelf.ids(category.trim().toLowerCase());
    for (const id of members.page(0, members.size)) seen.add(id);
  }
  for (const id of seen) {
    const head = shelf.get(id)?.head;
    if (head !== undefined) yield head;
  }
}

type Test = (head: Head) => boolean;

function predicate({ filters, containing }: QueryRequest): Test {
  const tests: Test[] = [];
  const wanted = (list: readonly string[] | undefined, make: (set: ReadonlySet<string>) => Test) => {
    if (list !== undefined) tests.push(make(new Set(list.map((one) => one.trim()))));
  };
  wanted(
    filters.categories?.map((one) => one.toLowerCase()),
    (set) => (head) => head.categories.some((one) => set.has(one)),
  );
  wanted(filters.priorityTiers, (set) => (head) => set.has(head.priorityTier));
  wanted(filters.status, (set) => (head) => set.has(head.status));
  wanted(filters.owners, (set) => (head) => set.has(head.owner));
  wanted(filters.classification, (set) => (head) => set.has(head.classification));
  wanted(filters.teamIds, (set) => (head) => head.teamIds?.some((one) => set.has(one)) ?? false);
  const { workspaceId, userId } = filters;
  if (workspaceId !== undefined) tests.push((head) => head.workspaceId === workspaceId);
  if (userId !== undefined) tests.push((head) => head.userId === userId);
  const timed = (given: string | undefined, test: (head: Head, time: number) => boolean) => {
    const time = given === undefined ? 0 : Date.parse(given);
    if (given !== undefined) tests.push((head) => test(head, time));
  };
  timed(filters.createdAfter, (head, time) => Date.parse(head.createdAt) > time);
  timed(filters.updatedAfter, (head, time) => Date.parse(head.updatedAt) > time);
  timed(filters.dueBefore, (head, time) => Date.parse(head.nextReviewDue) < time);
  if (containing !== undefined) tests.push((head) => containing.has(head.id));
  return (head) => tests.every((test) => test(head));
}

function encode(key: Key, field: SortField, ascending: boolean): string {
  return Buffer.from(JSON.stringify([field, ascending, ...key])).toString('base64url');
}

function decode(cursor: string | undefined, field: SortField, ascending: boolean): Key | undefined {
  if (cursor === undefined) return undefined;
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (Array.isArray(parts) && parts[0] === field && parts[1] === ascending && typeof parts[3] === 'string') {
      const sortable: unknown = parts[2];
      if (typeof sortable === 'string' || typeof sortable === 'number') return [sortable, parts[3]];
    }
  } catch {
    // Falls through: what cannot be read was not made here.
  }
  throw new CairnError('invalid_params', 'The cursor is not one of this query', {
    suggestion: 'Send nextCursor as it came, with the same sort; leave it out to begin anew.',
  });
}
