/** The contract of the records: the audit trail, the API keys and the feedback. */
import { describe, expect, it } from 'vitest';
import { firstBreak } from '../../src/store/audit-chain.ts';
import type { FeedbackFilter, FeedbackRecord, Store } from '../../src/store/store.ts';
import { type OpenStore, useBench } from './bench.ts';
import { auditRecord, feedbackRecord, storedKey } from './samples.ts';

/** Texts that databases like to shorten or replace. */
const oddTexts = [
  '',
  'nul\0inside',
  'half \ud83d of a pair',
  '\ufeff mark',
  "quote ' and \\",
  'é 漢字 😀',
  'a\r\nb\tc',
];

export function recordsContract(open: OpenStore): void {
  describe('the audit trail', () => {
    const bench = useBench(open);

    it('keeps every fact of an entry and answers the newest first, or page by page from the oldest', async () => {
      const store = await bench.open();
      const full = auditRecord({ ids: ['a', 'b'], before: 'h1', after: 'h2', note: 'why' });
      const appended = await store.write(async ({ audit }) => [
        await audit.append(full),
        await audit.append(auditRecord({ operation: 'second' })),
        await audit.append(auditRecord({ operation: 'third' })),
      ]);
      expect(appended.map(({ seq }) => seq)).toEqual([1, 2, 3]);
      expect(appended[0]).toMatchObject({ ...full, previous: '' });
      expect(appended[1]).not.toHaveProperty('note');
      await store.read(async ({ audit }) => {
        expect(await audit.recent(10)).toEqual(appended.toReversed());
        expect(await audit.recent(1)).toEqual([appended[2]]);
        expect(await audit.page(0, 10)).toEqual(appended);
        expect(await audit.page(1, 1)).toEqual([appended[1]]);
        expect(await audit.page(3, 10)).toEqual([]);
        expect(await audit.head()).toEqual({ count: 3, seq: 3, hash: appended[2]?.hash });
      });
    });

    it('shows an entry to the work that appended it', async () => {
      const store = await bench.open();
      await store.write(async ({ audit }) => {
        const entry = await audit.append(auditRecord());
        expect(await audit.recent(1)).toEqual([entry]);
        expect(await audit.head()).toEqual({ count: 1, seq: 1, hash: entry.hash });
      });
    });

    it('chains the entries that two stores append in turn', async () => {
      const stores = [await bench.open(), await bench.open()];
      for (let n = 0; n < 60; n++) {
        await stores[n % 2]?.write(async ({ audit }) => {
          await audit.append(auditRecord({ principal: `writer-${n % 2}`, ids: [`e${n}`] }));
          if (n % 5 === 0) await audit.append(auditRecord({ note: `again ${n}` }));
        });
      }
      for (const store of stores) expect(await wholeChain(store)).toEqual({ count: 72, seq: 72 });
    });

    it('verifies whatever characters the facts are made of', async () => {
      const store = await bench.open();
      await store.write(async ({ audit }) => {
        for (const odd of oddTexts) {
          await audit.append(auditRecord({ principal: odd, note: odd, before: odd, operation: odd, ids: [odd] }));
        }
      });
      expect(await wholeChain(store)).toEqual({ count: oddTexts.length, seq: oddTexts.length });
    });
  });

  describe('the API keys', () => {
    const bench = useBench(open);

    it('finds a key by its digest and lists keys by age', async () => {
      const store = await bench.open();
      const [older, newer] = [storedKey(), storedKey({ id: 'k0', digest: 'd2', created: '2026-02-01T00:00:00.000Z' })];
      const retired = storedKey({ id: 'k9', digest: 'd9', created: '2025-01-01T00:00:00.000Z', revoked: '2025-06-01' });
      await store.write(async ({ keys }) => {
        for (const key of [newer, older, retired]) await keys.add(key);
        expect(await keys.byDigest('d2')).toEqual(newer);
      });
      await store.read(async ({ keys }) => {
        expect(await keys.list()).toEqual([retired, older, newer]);
        expect(await keys.byDigest('d1')).toEqual(older);
        for (const wrong of ['D1', 'd', 'd1\0', '']) expect(await keys.byDigest(wrong)).toBeUndefined();
      });
    });

    it('revokes a key once and keeps the time of it', async () => {
      const store = await bench.open();
      await store.write(({ keys }) => keys.add(storedKey()));
      const revoke = (id: string, time: string) => store.write(({ keys }) => keys.revoke(id, time));
      expect(await revoke('k1', '2026-03-01T00:00:00.000Z')).toBe(true);
      expect(await revoke('k1', '2026-04-01T00:00:00.000Z')).toBe(false);
      expect(await revoke('unknown', '2026-04-01T00:00:00.000Z')).toBe(false);
      const revoked = storedKey({ revoked: '2026-03-01T00:00:00.000Z' });
      expect(await store.read(({ keys }) => keys.byDigest('d1'))).toEqual(revoked);
    });

    it('refuses a second key with the same digest and leaves the first', async () => {
      const store = await bench.open();
      await store.write(({ keys }) => keys.add(storedKey()));
      await expect(store.write(({ keys }) => keys.add(storedKey({ id: 'k2' })))).rejects.toThrow();
      expect(await store.read(({ keys }) => keys.list())).toEqual([storedKey()]);
    });
  });

  describe('the feedback', () => {
    const bench = useBench(open);
    const records = [
      feedbackRecord({ id: 'f1', createdAt: '2026-01-01T00:00:00.000Z', tags: ['ui', 'slow'] }),
      feedbackRecord({ id: 'f2', createdAt: '2026-01-02T00:00:00.000Z', severity: 'high', tags: ['ui'] }),
      feedbackRecord({ id: 'f3', createdAt: '2026-01-03T00:00:00.000Z', type: 'idea', tags: ['u', 'i'] }),
      feedbackRecord({ id: 'f4', createdAt: '2026-01-03T00:00:00.000Z', status: 'done', type: 'idea' }),
    ];
    const filled = async () => {
      const store = await bench.open();
      await store.write(async ({ feedback }) => {
        for (const record of records) await feedback.put(record);
      });
      return store;
    };

    it('keeps every field of a record, and leaves out what was not given', async () => {
      const store = await bench.open();
      const full = feedbackRecord({ tags: ['x'], context: { deep: { list: [1, null] } }, metadata: {} });
      await store.write(({ feedback }) => feedback.put(full));
      await store.write(({ feedback }) => feedback.put(feedbackRecord({ id: 'bare' })));
      await store.read(async ({ feedback }) => {
        expect(await feedback.get('f1')).toEqual(full);
        expect(await feedback.get('bare')).toEqual(feedbackRecord({ id: 'bare' }));
        for (const wrong of ['F1', 'f', 'f1\0', 'unknown']) expect(await feedback.get(wrong)).toBeUndefined();
      });
    });

    it('replaces a record whole', async () => {
      const store = await bench.open();
      const replaced = feedbackRecord({ status: 'done', updatedAt: '2026-05-01T00:00:00.000Z' });
      await store.write(async ({ feedback }) => {
        await feedback.put(feedbackRecord({ context: { a: 1 }, tags: ['x'] }));
        await feedback.put(replaced);
        expect(await feedback.get('f1')).toEqual(replaced);
      });
      expect(await store.read(({ feedback }) => feedback.list({}, 10, 0))).toEqual([replaced]);
    });

    it('shortens no text, whatever its characters', async () => {
      const store = await bench.open();
      await store.write(async ({ feedback }) => {
        for (const [n, odd] of oddTexts.entries())
          await feedback.put(feedbackRecord({ id: `f${n}`, description: odd }));
      });
      const described = await store.read(async ({ feedback }) =>
        Promise.all(oddTexts.map(async (_, n) => (await feedback.get(`f${n}`))?.description)),
      );
      // What no database can hold as text stands as U+FFFD.
      expect(described).toEqual(oddTexts.map((odd) => odd.replace(/\0|\ud83d(?![\udc00-\udfff])/g, '\ufffd')));
    });

    const filters: readonly (readonly [string, FeedbackFilter, readonly string[]])[] = [
      ['no filter', {}, ['f4', 'f3', 'f2', 'f1']],
      ['type', { type: 'idea' }, ['f4', 'f3']],
      ['severity', { severity: 'high' }, ['f2']],
      ['status', { status: 'done' }, ['f4']],
      ['since, that instant included', { since: '2026-01-02T00:00:00.000Z' }, ['f4', 'f3', 'f2']],
      ['one tag', { tags: ['ui'] }, ['f2', 'f1']],
      ['all of several tags', { tags: ['slow', 'ui'] }, ['f1']],
      ['several fields at once', { type: 'issue', severity: 'low', tags: ['ui'] }, ['f1']],
      ['what nobody has', { type: 'idea', severity: 'high' }, []],
    ];
    it.each(filters)('lists and counts by %s, newest first', async (_name, filter, ids) => {
      const store = await filled();
      await store.read(async ({ feedback }) => {
        expect(idsOf(await feedback.list(filter, 10, 0))).toEqual(ids);
        expect(await feedback.count(filter)).toBe(ids.length);
      });
    });

    it('pages through a list without gap or repetition', async () => {
      const store = await filled();
      const pages = await store.read(async ({ feedback }) =>
        Promise.all([0, 3, 6].map(async (offset) => idsOf(await feedback.list({}, 3, offset)))),
      );
      expect(pages).toEqual([['f4', 'f3', 'f2'], ['f1'], []]);
    });

    it('tallies by each field, within a filter', async () => {
      const store = await filled();
      await store.read(async ({ feedback }) => {
        expect(await feedback.tally('type', {})).toEqual({ issue: 2, idea: 2 });
        expect(await feedback.tally('severity', {})).toEqual({ low: 3, high: 1 });
        expect(await feedback.tally('status', { type: 'idea' })).toEqual({ new: 1, done: 1 });
        expect(await feedback.tally('type', { tags: ['nobody'] })).toEqual({});
      });
    });
  });
}

function idsOf(records: readonly FeedbackRecord[]): string[] {
  return records.map(({ id }) => id);
}

async function wholeChain(store: Store): Promise<{ count: number; seq: number }> {
  return store.read(async ({ audit }) => {
    const [entries, { count, seq, hash }] = [await audit.page(0, 1000), await audit.head()];
    expect(firstBreak(entries, 0, '')).toBeUndefined();
    expect(entries.at(-1)?.hash).toBe(hash);
    return { count, seq };
  });
}
