/** Values that an argument of a prompt may take, for `completion/complete`: what begins as typed first, then what holds it. */
import { call } from '../../../operations/call.ts';
import { surface } from '../../../operations/surface.ts';
import type { Asking } from './prompt.ts';

const MOST = 100;
const PAGE = 1000;
/** A store may hold more than can be looked through while somebody types. */
const LOOKED_THROUGH = 20_000;

export type Completion = {
  readonly values: string[];
  /** Absent where not everything was looked through. */
  readonly total?: number;
  readonly hasMore: boolean;
};

/** All there is to choose from, or as much of it as was looked through. `others`: arguments that are filled in already. */
export type Choices = (asking: Asking, others: Readonly<Record<string, string>>) => Promise<Found>;

interface Found {
  readonly values: readonly string[];
  readonly whole: boolean;
}

export const none: Completion = { values: [], total: 0, hasMore: false };

export function completionOf(typed: string, { values, whole }: Found): Completion {
  const wanted = typed.toLowerCase();
  const [beginning, holding]: [string[], string[]] = [[], []];
  for (const value of new Set(values)) {
    const place = value.toLowerCase().indexOf(wanted);
    if (place === 0) beginning.push(value);
    else if (place > 0) holding.push(value);
  }
  const fitting = [...beginning, ...holding];
  return {
    values: fitting.slice(0, MOST),
    ...(whole && { total: fitting.length }),
    hasMore: fitting.length > MOST || !whole,
  };
}

export function fixed(...values: string[]): Choices {
  return async () => ({ values, whole: true });
}

export const operationNames: Choices = async () => ({ values: surface.entries.map(({ name }) => name), whole: true });

export const documentPaths: Choices = (asking, { collection }) =>
  paged(async (offset) => {
    const input = { paths_only: true, limit: PAGE, offset, ...(collection && { collection }) };
    const { paths, total } = await ask<{ paths: string[]; total: number }>(asking, 'list', input);
    return { values: paths, total };
  });

export const collectionNames: Choices = async (asking) => {
  const { collections } = await ask<{ collections: { name: string }[] }>(asking, 'list_collections', {});
  return { values: collections.map(({ name }) => name), whole: true };
};

export const decisionTargets: Choices = (asking, { namespace }) =>
  paged(async (offset) => {
    const input = { limit: PAGE, offset, ...(namespace && { namespace }) };
    const answer = await ask<{ targets?: { target: string }[]; total?: number }>(asking, 'target_list', input);
    return { values: (answer.targets ?? []).map(({ target }) => target), total: answer.total ?? 0 };
  });

export const instructionCategories: Choices = async (asking) => {
  const { categories } = await ask<{ categories: { name: string }[] }>(asking, 'instructions_categories', {});
  return { values: categories.map(({ name }) => name), whole: true };
};

async function paged(page: (offset: number) => Promise<{ values: string[]; total: number }>): Promise<Found> {
  const all: string[] = [];
  for (;;) {
    const { values, total } = await page(all.length);
    all.push(...values);
    if (values.length === 0 || all.length >= total) return { values: all, whole: true };
    if (all.length >= LOOKED_THROUGH) return { values: all, whole: false };
  }
}

async function ask<T>({ app, principal, signal }: Asking, operation: string, input: unknown): Promise<T> {
  return (await call(app, { operation, input, principal, ...(signal && { signal }) })) as T;
}
