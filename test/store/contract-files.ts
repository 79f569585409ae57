/** The contract of the files on the shelves, and a random history of transactions against a plain model of them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/store/hash.ts';
import type { Change, Store } from '../../src/store/store.ts';
import {
  everythingIn,
  namesOn,
  type OpenStore,
  putFile,
  readFile,
  refusal,
  shelves,
  stagedIn,
  useBench,
} from './bench.ts';
import { feedbackRecord } from './samples.ts';

const refusedNames = [
  '',
  '.',
  '..',
  '.x',
  'a/b',
  '../b',
  'a\\b',
  'a\0b',
  'a\nb',
  'a:b',
  'x'.repeat(300),
  '漢'.repeat(80),
];

export function filesContract(open: OpenStore): void {
  describe('the files', () => {
    const bench = useBench(open);

    it.each(shelves)('puts, reads, lists and removes on the shelf %s', async (shelf) => {
      const store = await bench.open();
      const start = Date.now();
      await putFile(store, shelf, 'b.md', 'é 漢字 😀\r\n');
      await putFile(store, shelf, 'a.md', '');
      await putFile(store, shelf, 'B and c (1).md', 'x\0y');
      expect(await readFile(store, shelf, 'b.md')).toBe('é 漢字 😀\r\n');
      expect(await readFile(store, shelf, 'B and c (1).md')).toBe('x\0y');
      const listed = await store.read((view) => view.files.list(shelf));
      expect(listed.map(({ name, size }) => [name, size])).toEqual([
        ['B and c (1).md', 3],
        ['a.md', 0],
        ['b.md', 16],
      ]);
      for (const { modifiedMs } of listed) expect(Math.abs(modifiedMs - start)).toBeLessThan(60_000);
      expect(await store.write((change) => change.files.remove(shelf, 'b.md'))).toBe(true);
      expect(await store.write((change) => change.files.remove(shelf, 'b.md'))).toBe(false);
      expect(await readFile(store, shelf, 'b.md')).toBeUndefined();
      expect(await namesOn(store, shelf)).toEqual(['B and c (1).md', 'a.md']);
    });

    it('gives the first bytes of a file as they are, and in a transaction those it will have', async () => {
      const store = await bench.open();
      const start = (name: string, limit: number) => store.read(({ files }) => files.start('prompts', name, limit));
      await putFile(store, 'prompts', 'a.md', 'é 漢字');
      expect(Buffer.from((await start('a.md', 1)) ?? [])).toEqual(Buffer.from([0xc3]));
      expect(Buffer.from((await start('a.md', 100)) ?? []).toString()).toBe('é 漢字');
      expect(await start('missing.md', 100)).toBeUndefined();
      await refusal(start('../a.md', 100), 'validation_failed');
      await store.write(async ({ files }) => {
        await files.put('prompts', 'a.md', 'new');
        expect(Buffer.from((await files.start('prompts', 'a.md', 2)) ?? []).toString()).toBe('ne');
        await files.remove('prompts', 'a.md');
        expect(await files.start('prompts', 'a.md', 2)).toBeUndefined();
      });
    });

    it('keeps a name on one shelf apart from the same name on another', async () => {
      const store = await bench.open();
      await store.write(async ({ files }) => {
        for (const shelf of shelves) await files.put(shelf, 'same.md', shelf);
      });
      for (const shelf of shelves) expect(await readFile(store, shelf, 'same.md')).toBe(shelf);
      await store.write(({ files }) => files.remove('prompts', 'same.md'));
      expect(await readFile(store, 'decisions', 'same.md')).toBe('decisions');
    });

    it('shows the work its own puts and removals, and nobody else before it is done', async () => {
      const [store, other] = [await bench.open(), await bench.open()];
      await putFile(store, 'prompts', 'old.md', 'old');
      await putFile(store, 'prompts', 'gone.md', 'gone');
      await store.write(async ({ files }) => {
        await files.put('prompts', 'old.md', 'new');
        await files.put('prompts', 'added.md', 'é');
        await files.remove('prompts', 'gone.md');
        expect(await files.read('prompts', 'old.md')).toBe('new');
        expect(await files.read('prompts', 'added.md')).toBe('é');
        expect(await files.read('prompts', 'gone.md')).toBeUndefined();
        const listed = (await files.list('prompts')).map(({ name, size }) => [name, size]);
        expect(listed).toEqual([
          ['added.md', 2],
          ['old.md', 3],
        ]);
        expect(await files.list('decisions')).toEqual([]);
        expect(await readFile(other, 'prompts', 'old.md')).toBe('old');
        expect(await namesOn(other, 'prompts')).toEqual(['gone.md', 'old.md']);
      });
      expect(await readFile(other, 'prompts', 'old.md')).toBe('new');
      expect(await namesOn(other, 'prompts')).toEqual(['added.md', 'old.md']);
    });

    it('keeps the last word on a file that one work puts and removes several times', async () => {
      const store = await bench.open();
      await putFile(store, 'home', 'there.md', 'there');
      await store.write(async ({ files }) => {
        await files.put('home', 'never.md', '1');
        expect(await files.remove('home', 'never.md')).toBe(true);
        expect(await files.remove('home', 'never.md')).toBe(false);
        await files.put('home', 'there.md', '1');
        expect(await files.remove('home', 'there.md')).toBe(true);
        await files.put('home', 'last.md', '1');
        await files.remove('home', 'last.md');
        await files.put('home', 'last.md', '2');
      });
      expect(await namesOn(store, 'home')).toEqual(['last.md']);
      expect(await readFile(store, 'home', 'last.md')).toBe('2');
      expect(await stagedIn(bench.folder)).toEqual([]);
    });

    it('replaces a file only when its text is the expected one', async () => {
      const store = await bench.open();
      const put = (text: string, expect: string | null) =>
        store.write(({ files }) => files.put('decisions', 'd.md', text, expect));
      await refusal(put('zero', sha256('anything')), 'conflict');
      await put('one', null);
      const refused = await refusal(put('two', null), 'conflict');
      expect(refused.detail).toMatchObject({ expected: null, actual: sha256('one') });
      await refusal(put('two', sha256('another')), 'conflict');
      expect(await readFile(store, 'decisions', 'd.md')).toBe('one');
      await put('two', sha256('one'));
      expect(await readFile(store, 'decisions', 'd.md')).toBe('two');
      expect(await stagedIn(bench.folder)).toEqual([]);
    });

    it('compares the expected text with what the same work put before', async () => {
      const store = await bench.open();
      await store.write(async ({ files }) => {
        await files.put('decisions', 'd.md', 'one', null);
        await refusal(files.put('decisions', 'd.md', 'two', null), 'conflict');
        await files.put('decisions', 'd.md', 'two', sha256('one'));
        await files.remove('decisions', 'd.md');
        await files.put('decisions', 'd.md', 'three', null);
      });
      expect(await readFile(store, 'decisions', 'd.md')).toBe('three');
    });

    it.each(refusedNames)('refuses %j as the name of a file', async (name) => {
      const store = await bench.open();
      await putFile(store, 'instructions', 'a', 'a');
      const before = await everythingIn(bench.folder);
      for (const shelf of shelves) {
        await refusal(putFile(store, shelf, name, 'text'), 'validation_failed');
        await refusal(readFile(store, shelf, name), 'validation_failed');
        await refusal(
          store.write((change) => change.files.remove(shelf, name)),
          'validation_failed',
        );
      }
      expect(await everythingIn(bench.folder)).toEqual(before);
    });

    it('takes names up to two hundred bytes', async () => {
      const store = await bench.open();
      const names = ['x'.repeat(200), '漢'.repeat(66)].sort();
      for (const name of names) await putFile(store, 'decisions', name, name);
      expect(await namesOn(store, 'decisions')).toEqual(names);
    });

    it('equals a plain model after any history of transactions, failed ones included', {
      timeout: 120_000,
    }, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(transactions, { minLength: 1, maxLength: 6 }), async (history) => {
          const parent = await mkdtemp(join(tmpdir(), 'cairn-model-'));
          const stores = [await open(join(parent, 'home')), await open(join(parent, 'home'))];
          try {
            let model: Model = { files: new Map(), feedback: new Map() };
            for (const [n, transaction] of history.entries()) {
              model = await play(stores[n % 2] as Store, transaction, model);
              expect(await contentOf(stores[(n + 1) % 2] as Store)).toEqual(contentOfModel(model));
            }
          } finally {
            for (const store of stores) await store.close();
            await rm(parent, { recursive: true, force: true });
          }
        }),
        { numRuns: 25 },
      );
    });
  });
}

// ── the model ────────────────────────────────────────────────────────────────────────────────────────────────────

type Step =
  | { readonly do: 'put'; readonly name: string; readonly text: string }
  | { readonly do: 'remove'; readonly name: string }
  | { readonly do: 'feedback'; readonly id: string; readonly title: string };

interface Model {
  readonly files: Map<string, string>;
  readonly feedback: Map<string, string>;
}

const names = fc.constantFrom('a.md', 'b.md', 'c.md');
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('put' as const), name: names, text: fc.string({ unit: 'binary' }) }),
  fc.record({ do: fc.constant('remove' as const), name: names }),
  fc.record({ do: fc.constant('feedback' as const), id: fc.constantFrom('f1', 'f2'), title: fc.string() }),
);
const transactions = fc.record({ steps: fc.array(steps, { maxLength: 6 }), fails: fc.boolean() });

async function play(store: Store, work: { steps: readonly Step[]; fails: boolean }, model: Model): Promise<Model> {
  const next: Model = { files: new Map(model.files), feedback: new Map(model.feedback) };
  const written = store.write(async (change) => {
    for (const step of work.steps) await take(step, change, next);
    if (work.fails) throw new Error('failed at the end');
  });
  if (!work.fails) return written.then(() => next);
  await expect(written).rejects.toThrow('failed at the end');
  return model;
}

async function take(step: Step, { files, feedback }: Change, model: Model): Promise<void> {
  if (step.do === 'feedback') {
    await feedback.put(feedbackRecord(step));
    model.feedback.set(step.id, step.title);
  } else if (step.do === 'put') {
    await files.put('instructions', step.name, step.text);
    model.files.set(step.name, step.text);
    expect(await files.read('instructions', step.name)).toBe(step.text);
  } else {
    expect(await files.remove('instructions', step.name)).toBe(model.files.delete(step.name));
  }
}

async function contentOf(store: Store) {
  return store.read(async ({ files, feedback }) => {
    const listed = (await files.list('instructions')).map(({ name }) => name);
    const texts = listed.map(async (name) => [name, await files.read('instructions', name)] as const);
    const records = (await feedback.list({}, 100, 0)).map(({ id, title }) => [id, title] as const);
    return { files: await Promise.all(texts), feedback: records.sort() };
  });
}

function contentOfModel({ files, feedback }: Model) {
  return { files: [...files].sort(), feedback: [...feedback].sort() };
}
