/** The shelf in memory, its orders, its hash and the pages cut from it, against plain models. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CairnError } from '../errors.ts';
import { derive } from './derive.ts';
import { headOf, metaHashOf } from './file.ts';
import { queryShelf } from './query.ts';
import { InstructionShelf, type Shelved, type SortField, sortFields } from './shelf.ts';

const options = { now: '2026-01-01T00:00:00.000Z', canonical: true, owner: 'unowned', status: 'approved' as const };

const ids = fc.constantFrom('a', 'a-b', 'a.b', 'ab', 'b', 'c', 'c1', 'd', 'e', 'f');
const facts = fc.record({
  id: ids,
  body: fc.constantFrom('one', 'two', 'three'),
  title: fc.constantFrom('T', 'U', 'V'),
  priority: fc.integer({ min: 1, max: 100 }),
  categories: fc.subarray(['x', 'y', 'z']),
  createdAt: fc.constantFrom('2025-01-01T00:00:00.000Z', '2025-06-01T00:00:00.000Z'),
});

function shelved(given: { id: string; body: string }): Shelved {
  const head = headOf(derive(given, options));
  return { head, metaHash: metaHashOf(head) };
}

type Step = { readonly set: { id: string; body: string } } | { readonly remove: string };
const steps = fc.array(
  fc.oneof(
    facts.map((set): Step => ({ set })),
    ids.map((remove): Step => ({ remove })),
  ),
  { maxLength: 60 },
);

function play(history: readonly Step[], shelf = new InstructionShelf(), touchOrders = false): InstructionShelf {
  for (const step of history) {
    if (touchOrders) for (const field of sortFields) shelf.order(field);
    if ('set' in step) shelf.set(shelved(step.set));
    else shelf.delete(step.remove);
  }
  return shelf;
}

const listed = (shelf: InstructionShelf, field: SortField, ascending: boolean) =>
  [...shelf.order(field).after(undefined, ascending)].map(([, id]) => id);

describe('the shelf', () => {
  it('has the same hash, orders and categories however it came to its content', () => {
    fc.assert(
      fc.property(steps, (history) => {
        const stepwise = play(history, new InstructionShelf(), true);
        const atOnce = new InstructionShelf();
        atOnce.setAll([...stepwise.values()]);
        expect(atOnce.hash).toBe(stepwise.hash);
        for (const field of sortFields) expect(listed(atOnce, field, true)).toEqual(listed(stepwise, field, true));
        const members = (shelf: InstructionShelf) =>
          shelf.categories().map(([name, set]) => [name, set.page(0, set.size)]);
        expect(members(atOnce)).toEqual(members(stepwise));
      }),
    );
  });

  it('changes its hash with every change of an entry, and returns to it when the change is undone', () => {
    fc.assert(
      fc.property(steps, facts, (history, extra) => {
        const shelf = play(history);
        const before = shelf.hash;
        const present = shelf.get(extra.id);
        const next = shelved(extra);
        shelf.set(next);
        const same = present?.metaHash === next.metaHash && present.head.sourceHash === next.head.sourceHash;
        expect(shelf.hash === before).toBe(same);
        if (present === undefined) shelf.delete(extra.id);
        else shelf.set(present);
        expect(shelf.hash).toBe(before);
      }),
    );
  });

  it('orders by a field and then by id, both ways', () => {
    fc.assert(
      fc.property(steps, fc.constantFrom(...sortFields), (history, field) => {
        const shelf = play(history);
        const expected = [...shelf.values()]
          .map(({ head }) => head)
          .sort((a, b) => {
            const [left, right] = field === 'id' ? ['', ''] : [a[field], b[field]];
            return left === right ? (a.id < b.id ? -1 : 1) : left < right ? -1 : 1;
          })
          .map(({ id }) => id);
        expect(listed(shelf, field, true)).toEqual(expected);
        expect(listed(shelf, field, false)).toEqual(expected.reverse());
      }),
    );
  });
});

describe('pages of a query', () => {
  const request = (more: object) => ({ filters: {}, field: 'id' as SortField, ascending: true, limit: 2, ...more });

  it('return each entry that is there throughout exactly once, whatever is added and removed meanwhile', () => {
    fc.assert(
      fc.property(
        steps,
        steps,
        fc.constantFrom(...sortFields),
        fc.boolean(),
        (history, meanwhile, field, ascending) => {
          const shelf = play(history);
          const before = new Map([...shelf.values()].map((one) => [one.head.id, one]));
          const touched = new Set(meanwhile.map((step) => ('set' in step ? step.set.id : step.remove)));
          const steady = [...before.keys()].filter((id) => !touched.has(id));
          const seen: string[] = [];
          const pending = [...meanwhile];
          let cursor: string | undefined;
          do {
            const page = queryShelf(shelf, request({ field, ascending, cursor }));
            seen.push(...page.ids);
            cursor = page.nextCursor;
            play(pending.splice(0, 3), shelf);
          } while (cursor !== undefined);
          expect(seen.filter((id) => steady.includes(id)).sort()).toEqual(steady.sort());
        },
      ),
    );
  });

  it('count and filter as a plain filter would', () => {
    fc.assert(
      fc.property(
        steps,
        fc.subarray(['x', 'y', 'z']),
        fc.subarray(['P1', 'P2', 'P3', 'P4']),
        (history, categories, priorityTiers) => {
          const shelf = play(history);
          const fits = [...shelf.values()].filter(
            ({ head }) =>
              head.categories.some((one) => categories.includes(one)) && priorityTiers.includes(head.priorityTier),
          );
          const page = queryShelf(shelf, request({ filters: { categories, priorityTiers }, limit: 100 }));
          expect([page.total, [...page.ids].sort()]).toEqual([fits.length, fits.map(({ head }) => head.id).sort()]);
        },
      ),
    );
  });

  it('refuse a cursor of another query, or none of ours', () => {
    const shelf = play([
      { set: { id: 'a', body: 'x' } },
      { set: { id: 'b', body: 'x' } },
      { set: { id: 'c', body: 'x' } },
    ]);
    const { nextCursor } = queryShelf(shelf, request({}));
    for (const cursor of ['nonsense', '', nextCursor]) {
      expect(() => queryShelf(shelf, request({ cursor, field: 'title' }))).toThrow(CairnError);
    }
  });
});
