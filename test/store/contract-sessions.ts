/** The contract of sessions: whose they are, what is pinned to them and was added in them. */
import { describe, expect, it } from 'vitest';
import type { DocumentDraft } from '../../src/store/documents.ts';
import type { SessionRecord } from '../../src/store/sessions.ts';
import { type OpenStore, useBench } from './bench.ts';

const time = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();

function sessionRecord(id: string, more: Partial<SessionRecord> = {}): SessionRecord {
  return { id, label: `label of ${id}`, principal: 'ada', role: 'agent', created: time(0), ...more };
}

function draft(path: string, hash: string, collection = 'default'): DocumentDraft {
  const now = time(0);
  return {
    ...{ collection, path, hash, size: 1, kind: 'text', mime: 'text/plain', tags: [], metadata: {} },
    ...{ created: now, modified: now, indexed: now },
  };
}

const created = time(1);

export function sessionsContract(open: OpenStore): void {
  describe('sessions', () => {
    const bench = useBench(open);

    it('are listed newest first, of one owner or of everybody, and stopped once', async () => {
      const store = await bench.open();
      await store.write(async ({ sessions }) => {
        await sessions.start(sessionRecord('first'));
        await sessions.start(sessionRecord('second', { created: time(1) }));
        await sessions.start(sessionRecord('viewer', { role: 'viewer', created: time(2) }));
        expect(await sessions.stop('first', time(9))).toBe(true);
        expect(await sessions.stop('first', time(10))).toBe(false);
        expect(await sessions.stop('never', time(9))).toBe(false);
      });
      await store.read(async ({ sessions }) => {
        const owner = { principal: 'ada', role: 'agent' };
        const ids = async (...asked: Parameters<typeof sessions.list>) =>
          (await sessions.list(...asked)).map(({ id }) => id);
        expect(await ids(undefined, 10, 0)).toEqual(['viewer', 'second', 'first']);
        expect(await ids(owner, 10, 0)).toEqual(['second', 'first']);
        expect(await ids(owner, 1, 1)).toEqual(['first']);
        expect([await sessions.count(undefined), await sessions.count(owner)]).toEqual([3, 2]);
        expect(await sessions.get('first')).toEqual(sessionRecord('first', { stopped: time(9) }));
        expect(await sessions.get('second')).toEqual(sessionRecord('second', { created: time(1) }));
        expect(await sessions.get('never')).toBeUndefined();
      });
    });

    it('forget the oldest that are stopped, then those without pins, never one that runs and has some', async () => {
      const store = await bench.open();
      const owner = { principal: 'ada', role: 'agent' };
      await store.write(async ({ sessions }) => {
        for (let n = 0; n < 6; n++) await sessions.start(sessionRecord(`s${n}`, { created: time(n) }));
        await sessions.start(sessionRecord('other', { principal: 'bob', stopped: time(9) }));
        for (const id of ['s1', 's3', 's4', 'other']) await sessions.stop(id, time(9));
        expect(await sessions.prune(owner, 4)).toBe(4);
        expect((await sessions.list(owner, 10, 0)).map(({ id }) => id)).toEqual(['s5', 's4', 's2', 's0']);
        await sessions.pin('s0', { hash: 'h1', created });
        expect(await sessions.prune(owner, 2)).toBe(2);
        expect((await sessions.list(owner, 10, 0)).map(({ id }) => id)).toEqual(['s5', 's0']);
        expect(await sessions.prune(owner, 0)).toBe(1);
        expect(await sessions.get('other')).toBeDefined();
      });
    });

    it('have the documents that were added in them or are pinned to them', async () => {
      const store = await bench.open();
      await store.write(async ({ documents, sessions }) => {
        await sessions.start(sessionRecord('s'));
        await sessions.start(sessionRecord('t'));
        const added = await documents.put(draft('added.md', 'h1'));
        await documents.put(draft('same/one.md', 'h2'));
        await documents.put(draft('same/two.md', 'h2'));
        await documents.put(draft('named.md', 'h3'));
        await documents.put(draft('named.md', 'h3', 'other'));
        await documents.put(draft('nobody.md', 'h4'));
        await sessions.include('s', added);
        await sessions.include('s', added);
        await sessions.pin('s', { hash: 'h2', created });
        await sessions.pin('s', { hash: 'h3', place: { collection: 'other', path: 'named.md' }, created });
        expect(await sessions.counts('s')).toEqual({ pins: 2, documents: 1 });
      });
      await store.read(async ({ documents }) => {
        const sorting = { by: 'name', descending: false } as const;
        const found = await documents.list({ session: 's' }, sorting, 10, 0);
        expect(found.map(({ collection, path }) => `${collection}/${path}`)).toEqual([
          'default/added.md',
          'other/named.md',
          'default/same/one.md',
          'default/same/two.md',
        ]);
        expect(await documents.count({ session: 's', collection: 'other' })).toBe(1);
        expect(await documents.count({ session: 't' })).toBe(0);
        expect(await documents.count({ session: 'never' })).toBe(0);
      });
    });

    it('pin a document once, whatever becomes of it, and need its content while they run', async () => {
      const store = await bench.open();
      const place = { collection: 'default', path: 'a.md' };
      const pinned = () => store.read(({ sessions }) => sessions.pins('s'));
      const needed = (hash: string) => store.read(({ documents }) => documents.isNeeded(hash));
      const id = await store.write(async ({ documents, sessions }) => {
        await sessions.start(sessionRecord('s'));
        await sessions.pin('s', { hash: 'h1', place, created });
        await sessions.pin('s', { hash: 'h1', created });
        await sessions.pin('s', { hash: 'h1', created });
        return documents.put(draft('a.md', 'h1'));
      });
      await store.write(async ({ documents }) => void (await documents.put(draft('a.md', 'h2'))));
      expect(await pinned()).toEqual([
        { hash: 'h1', created },
        { hash: 'h2', place, created },
      ]);
      await store.write(async ({ documents, sessions }) => {
        await documents.remove(id);
        await sessions.unpin('s', { hash: 'h1', created });
      });
      expect(await pinned()).toEqual([{ hash: 'h1', place, created }]);
      expect([await needed('h1'), await needed('h2')]).toEqual([true, false]);
      await store.write(async ({ sessions }) => void (await sessions.stop('s', time(9))));
      expect(await needed('h1')).toBe(false);
      await store.write(({ sessions }) => sessions.unpin('s', { hash: 'whatever', place, created }));
      expect(await pinned()).toEqual([]);
    });

    it('let go of documents that are removed', async () => {
      const store = await bench.open();
      await store.write(async ({ documents, sessions }) => {
        await sessions.start(sessionRecord('s'));
        const id = await documents.put(draft('a.md', 'h1'));
        await sessions.include('s', id);
        await documents.remove(id);
        expect(await sessions.counts('s')).toEqual({ pins: 0, documents: 0 });
      });
    });
  });
}
