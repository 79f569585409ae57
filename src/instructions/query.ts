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

/** One pass for the count, one from the cursor until the page is full: O(entries), without sorting. */
export function queryShelf(shelf: InstructionShelf, request: QueryRequest): QueryPage {
  const { field, ascending, limit, containing } = request;
  const fits = predicate(request.filters);
  const passes = (head: Head | undefined) =>
    head !== undefined && (containing === undefined || containing.has(head.id)) && fits(head);
  let total = 0;
  for (const { head } of shelf.values()) if (passes(head)) total++;
  const keys: Key[] = [];
  for (const key of shelf.order(field).after(decode(request.cursor, field, ascending), ascending)) {
    if (!passes(shelf.get(key[1])?.head)) continue;
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

function predicate(filters: Filters): (head: Head) => boolean {
  const tests: ((head: Head) => boolean)[] = [];
  const anyOf = (wanted: readonly string[] | undefined, of: (head: Head) => readonly string[]) => {
    if (wanted === undefined) return;
    const set = new Set(wanted.map((one) => one.trim()));
    tests.push((head) => of(head).some((one) => set.has(one)));
  };
  anyOf(
    filters.categories?.map((one) => one.toLowerCase()),
    (head) => head.categories,
  );
  anyOf(filters.priorityTiers, (head) => [head.priorityTier]);
  anyOf(filters.status, (head) => [head.status]);
  anyOf(filters.owners, (head) => [head.owner]);
  anyOf(filters.classification, (head) => [head.classification]);
  anyOf(filters.teamIds, (head) => head.teamIds ?? []);
  const { workspaceId, userId } = filters;
  if (workspaceId !== undefined) tests.push((head) => head.workspaceId === workspaceId);
  if (userId !== undefined) tests.push((head) => head.userId === userId);
  const times: [string | undefined, (head: Head, time: number) => boolean][] = [
    [filters.createdAfter, (head, time) => Date.parse(head.createdAt) > time],
    [filters.updatedAfter, (head, time) => Date.parse(head.updatedAt) > time],
    [filters.dueBefore, (head, time) => Date.parse(head.nextReviewDue) < time],
  ];
  for (const [given, test] of times) {
    if (given !== undefined) tests.push((head) => test(head, Date.parse(given)));
  }
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
