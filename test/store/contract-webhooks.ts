/** The contract of webhooks: how far each was served, whose turn it is, and what was given up. */
import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { type OpenStore, useBench } from './bench.ts';
import { auditRecord } from './samples.ts';

const created = '2026-01-01T00:00:00.000Z';
const hook = { id: 'h', address: 'https://a.example/hook', cursor: 3, created };

const revived = (store: Store) => store.read((view) => view.webhooks.revived('h'));

export function webhooksContract(open: OpenStore): void {
  describe('webhooks', () => {
    const bench = useBench(open);

    async function opened() {
      const store = await bench.open();
      await store.write((change) => change.audit.append(auditRecord()));
      return store;
    }

    it('begin where they are registered first, and stay where they are', async () => {
      const store = await opened();
      await store.webhooks.register(hook);
      await store.webhooks.advance('h', 5, created);
      await store.webhooks.register({ ...hook, cursor: 9 });
      expect(await store.read((view) => view.webhooks.list())).toEqual([
        { ...hook, cursor: 5, attempts: 0, dueMs: 0, delivered: 1, failures: 0, lastDelivered: created },
      ]);
      await store.webhooks.advance('h', 6, undefined);
      expect(await store.read((view) => view.webhooks.get('h'))).toMatchObject({ cursor: 6 });
      expect(await store.read((view) => view.webhooks.get('unknown'))).toBeUndefined();
      expect(await store.webhooks.claim('h', 'me', 1000)).toMatchObject({ cursor: 6, delivered: 1 });
    });

    it('are one holder’s at a time, until the turn is over or given back', async () => {
      const [one, two] = [await opened(), await bench.open()];
      await one.webhooks.register(hook);
      expect(await one.webhooks.claim('h', 'one', 60_000)).toBeDefined();
      expect(await two.webhooks.claim('h', 'two', 60_000)).toBeUndefined();
      expect(await one.webhooks.claim('h', 'one', 60_000)).toBeDefined();
      await one.webhooks.claim('h', 'one', 0);
      expect(await two.webhooks.claim('h', 'two', 1)).toBeDefined();
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(await one.webhooks.claim('h', 'one', 60_000)).toBeDefined();
      expect(await one.webhooks.claim('unknown', 'one', 60_000)).toBeUndefined();
    });

    it('count what failed, and keep what was given up until it is delivered after all', async () => {
      const store = await opened();
      await store.webhooks.register(hook);
      await store.webhooks.failed('h', 'no answer', 77);
      expect(await store.webhooks.claim('h', 'me', 1000)).toMatchObject({
        attempts: 1,
        failures: 1,
        dueMs: 77,
        cursor: 3,
      });
      for (const seq of [4, 5]) await store.webhooks.bury('h', seq, `no answer to ${seq}`, created);
      expect(await store.webhooks.claim('h', 'me', 1000)).toMatchObject({
        attempts: 0,
        failures: 3,
        dueMs: 0,
        cursor: 5,
      });
      const letters = await store.read((view) => view.webhooks.deadLetters(10));
      expect(letters.map(({ seq, error, retry }) => [seq, error, retry])).toEqual([
        [5, 'no answer to 5', false],
        [4, 'no answer to 4', false],
      ]);
      expect(await revived(store)).toBeUndefined();
      const retry = (which: { id?: number; webhook?: string }) => store.write((change) => change.webhooks.retry(which));
      expect(await retry({ webhook: 'another' })).toBe(0);
      expect(await retry({ id: letters[1]?.id ?? 0 })).toBe(1);
      expect(await retry({})).toBe(1);
      expect(await retry({})).toBe(0);
      const first = await revived(store);
      expect(first?.seq).toBe(4);
      await store.webhooks.settle(first?.id ?? 0, undefined);
      const second = await revived(store);
      await store.webhooks.settle(second?.id ?? 0, 'still no answer');
      expect(await revived(store)).toBeUndefined();
      await store.read(async ({ webhooks }) => {
        expect(await webhooks.deadLetters(10)).toMatchObject([{ seq: 5, error: 'still no answer', retry: false }]);
        expect(await webhooks.deadCount()).toBe(1);
      });
    });
  });
}
