/** What every engine behind the store port must do: transactions here, then records and files. */
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { everythingIn, namesOn, type OpenStore, putFile, readFile, refusal, shelves, useBench } from './bench.ts';
import { filesContract } from './contract-files.ts';
import { recordsContract } from './contract-records.ts';
import { sessionsContract } from './contract-sessions.ts';
import { webhooksContract } from './contract-webhooks.ts';
import { auditRecord, feedbackRecord, storedKey } from './samples.ts';

export function storeContract(name: string, open: OpenStore): void {
  describe(`the ${name} store`, () => {
    transactionsContract(open);
    recordsContract(open);
    sessionsContract(open);
    webhooksContract(open);
    filesContract(open);
  });
}

function transactionsContract(open: OpenStore): void {
  describe('transactions', () => {
    const bench = useBench(open);

    it('answers a read on a missing home with nothing and creates nothing', async () => {
      const store = await bench.open();
      const seen = await store.read(async (view) => ({
        recent: await view.audit.recent(10),
        head: await view.audit.head(),
        keys: await view.keys.list(),
        feedback: await view.feedback.list({}, 10, 0),
        tally: await view.feedback.tally('type', {}),
        text: await view.files.read('instructions', 'a.md'),
        lists: await Promise.all(shelves.map((shelf) => view.files.list(shelf))),
      }));
      expect(seen).toEqual({
        recent: [],
        head: { count: 0, seq: 0, hash: '' },
        keys: [],
        feedback: [],
        tally: {},
        text: undefined,
        lists: [[], [], [], []],
      });
      expect(await store.generation()).toBe(0);
      expect(await store.inspect()).toMatchObject({ exists: false, writable: true, generation: 0, problems: [] });
      await expect(access(bench.folder)).rejects.toMatchObject({ code: 'ENOENT' });
    });

    it('shows a write to another store on the same folder as soon as it is acknowledged', async () => {
      const [writer, reader] = [await bench.open(), await bench.open()];
      expect(await reader.read((view) => view.feedback.count({}))).toBe(0);
      for (const id of ['f1', 'f2', 'f3']) {
        await writer.write(async (change) => {
          await change.feedback.put(feedbackRecord({ id }));
          await change.files.put('decisions', `${id}.md`, id);
        });
        expect(await reader.read((view) => view.feedback.get(id))).toMatchObject({ id });
        expect(await readFile(reader, 'decisions', `${id}.md`)).toBe(id);
      }
    });

    it('gives back what the work resolves to', async () => {
      const store = await bench.open();
      expect(await store.write(async () => 'written')).toBe('written');
      expect(await store.read(async () => 'read')).toBe('read');
    });

    it('leaves nothing of a work that rejects', async () => {
      const store = await bench.open();
      await putFile(store, 'instructions', 'kept.md', 'kept');
      await putFile(store, 'instructions', 'gone.md', 'not gone');
      const before = { generation: await store.generation(), paths: await everythingIn(bench.folder) };
      const broken = new Error('the work broke');
      const work = store.write(async (change) => {
        await change.audit.append(auditRecord());
        await change.keys.add(storedKey());
        await change.feedback.put(feedbackRecord());
        await change.files.put('instructions', 'kept.md', 'overwritten');
        await change.files.put('prompts', 'new.md', 'new');
        await change.files.put('prompts', 'new.md', 'newer');
        await change.files.remove('instructions', 'gone.md');
        throw broken;
      });
      await expect(work).rejects.toBe(broken);
      const head = { count: 0, seq: 0, hash: '' };
      expect(await store.read((view) => view.audit.head())).toEqual(head);
      expect(await store.read((view) => view.keys.list())).toEqual([]);
      expect(await store.read((view) => view.feedback.count({}))).toBe(0);
      expect(await readFile(store, 'instructions', 'kept.md')).toBe('kept');
      expect(await readFile(store, 'instructions', 'gone.md')).toBe('not gone');
      expect(await namesOn(store, 'prompts')).toEqual([]);
      const paths = (await everythingIn(bench.folder)).filter((path) => path !== 'prompts');
      expect({ generation: await store.generation(), paths }).toEqual(before);
    });

    it('leaves no file of puts that were still under way when another of them was refused', async () => {
      const store = await bench.open();
      await putFile(store, 'instructions', 'first.md', 'first');
      const paths = await everythingIn(bench.folder);
      const many = Array.from({ length: 8 }, (_, n) => `many-${n}.md`);
      const work = store.write((change) =>
        Promise.all([
          ...many.map((file) => change.files.put('instructions', file, 'x'.repeat(200_000))),
          change.files.put('instructions', 'first.md', 'second', null),
        ]),
      );
      await refusal(work, 'conflict');
      expect(await everythingIn(bench.folder)).toEqual(paths);
    });

    it('takes nothing from a work that goes on after it was rejected', async () => {
      const store = await bench.open();
      await putFile(store, 'instructions', 'first.md', 'first');
      const paths = await everythingIn(bench.folder);
      const gate = new AbortController();
      const late: Promise<unknown>[] = [];
      const work = store.write(async ({ audit, feedback, files, keys }) => {
        const later = (change: () => Promise<unknown>) => late.push(once(gate.signal, 'abort').then(change));
        later(() => audit.append(auditRecord()));
        later(() => feedback.put(feedbackRecord()));
        later(() => keys.add(storedKey()));
        later(() => files.put('instructions', 'late.md', 'late'));
        later(() => files.remove('instructions', 'first.md'));
        throw new Error('too early');
      });
      await expect(work).rejects.toThrow('too early');
      // The late changes run in the middle of the next transaction, which must not take them in.
      await store.write(async (change) => {
        await change.feedback.put(feedbackRecord({ id: 'next' }));
        gate.abort();
        const outcomes = await Promise.allSettled(late);
        expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => 'rejected'));
        expect(outcomes).toHaveLength(5);
      });
      expect(await store.read((view) => view.feedback.list({}, 10, 0))).toEqual([feedbackRecord({ id: 'next' })]);
      expect(await store.read((view) => view.audit.recent(10))).toEqual([]);
      expect(await store.read((view) => view.keys.list())).toEqual([]);
      expect(await everythingIn(bench.folder)).toEqual(paths);
    });

    it('goes on after a rejected work', async () => {
      const store = await bench.open();
      await expect(store.write(() => Promise.reject(new Error('first')))).rejects.toThrow('first');
      await store.write((change) => change.feedback.put(feedbackRecord()));
      expect(await store.read((view) => view.feedback.count({}))).toBe(1);
    });

    it('runs the writes of one store one after the other and loses none', async () => {
      const store = await bench.open();
      let [running, most] = [0, 0];
      const increments = Array.from({ length: 20 }, () =>
        store.write(async ({ files }) => {
          most = Math.max(most, ++running);
          const count = Number((await files.read('home', 'count.txt')) ?? 0);
          await new Promise(setImmediate);
          await files.put('home', 'count.txt', String(count + 1));
          running--;
        }),
      );
      await Promise.all(increments);
      expect(most).toBe(1);
      expect(await readFile(store, 'home', 'count.txt')).toBe('20');
    });

    it('loses no write of two stores that write at the same time', async () => {
      const stores = [await bench.open(), await bench.open()];
      const increments = Array.from({ length: 20 }, (_, n) =>
        stores[n % 2]?.write(async ({ files, feedback }) => {
          const count = Number((await files.read('home', 'count.txt')) ?? 0);
          await files.put('home', 'count.txt', String(count + 1));
          await feedback.put(feedbackRecord({ id: `f${n}` }));
        }),
      );
      await Promise.all(increments);
      for (const store of stores) {
        expect(await readFile(store, 'home', 'count.txt')).toBe('20');
        expect(await store.read((view) => view.feedback.count({}))).toBe(20);
      }
    });

    it('keeps one read on one snapshot while another store writes', async () => {
      const [reader, writer] = [await bench.open(), await bench.open()];
      const add = (id: string) =>
        writer.write(async (change) => {
          await change.feedback.put(feedbackRecord({ id }));
          await change.audit.append(auditRecord({ ids: [id] }));
        });
      await add('f1');
      const [first, second] = await reader.read(async (view) => {
        const look = async () => [await view.feedback.count({}), (await view.audit.head()).count];
        const before = await look();
        await add('f2');
        return [before, await look()];
      });
      expect(first).toEqual([1, 1]);
      expect(second).toEqual([1, 1]);
      expect(await reader.read((view) => view.feedback.count({}))).toBe(2);
    });

    it('never shows half of a transaction to reads that run beside it', async () => {
      const [reader, writer] = [await bench.open(), await bench.open()];
      let writing = true;
      const writes = (async () => {
        for (let n = 0; n < 30; n++) {
          await writer.write(async (change) => {
            await change.feedback.put(feedbackRecord({ id: `f${n}` }));
            await new Promise(setImmediate);
            await change.audit.append(auditRecord());
          });
        }
        writing = false;
      })();
      const seen = new Set<number>();
      while (writing) {
        const [rows, entries] = await reader.read(async (view) => {
          return [await view.feedback.count({}), (await view.audit.head()).count] as const;
        });
        expect(entries).toBe(rows);
        seen.add(rows);
        await new Promise(setImmediate);
      }
      await writes;
      expect(seen.size).toBeGreaterThan(2);
    });

    it('grows its generation with every write, for every store on the folder', async () => {
      const [writer, other] = [await bench.open(), await bench.open()];
      const seen = [await other.generation()];
      for (const work of ['rows', 'files', 'nothing']) {
        await writer.write(async (change) => {
          if (work === 'rows') await change.feedback.put(feedbackRecord());
          if (work === 'files') await change.files.put('prompts', 'a.md', 'a');
        });
        seen.push(await other.generation());
        expect(await writer.generation()).toBe(seen.at(-1));
      }
      expect(new Set(seen).size).toBe(4);
      expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    });

    it('refuses every use after it was closed, and leaves other stores working', async () => {
      const [closed, other] = [await bench.open(), await bench.open()];
      await closed.write((change) => change.feedback.put(feedbackRecord()));
      await closed.close();
      await closed.close();
      await refusal(
        closed.read(async () => 1),
        'store_unavailable',
      );
      await refusal(
        closed.write(async () => 1),
        'store_unavailable',
      );
      await refusal(closed.generation(), 'store_unavailable');
      await other.write((change) => change.feedback.put(feedbackRecord({ id: 'f2' })));
      expect(await other.read((view) => view.feedback.count({}))).toBe(2);
    });
  });
}
