/** What the store keeps of citations and mentions. */
import { expect, it, onTestFinished } from 'vitest';
import { namedBy } from '../../src/graph/anchors.ts';
import type { AnchorRecord } from '../../src/store/anchors.ts';
import { openEmbedded } from '../../src/store/embedded/engine.ts';
import { freshHome } from '../support/home.ts';

async function openStore() {
  const store = openEmbedded({ home: await freshHome() });
  onTestFinished(() => store.close());
  return store;
}

const anchor = (ref: string, more: Partial<AnchorRecord> = {}): AnchorRecord => ({
  kind: 'instruction',
  id: 'rule',
  ref,
  place: `default/${ref}`,
  content: 'c'.repeat(64),
  hash: 'h'.repeat(64),
  citedAt: '2025-01-01T00:00:00.000Z',
  by: 'ann',
  ...more,
});

it('keeps what was cited first, replaces it when told to, and forgets what is no longer named', async () => {
  const store = await openStore();
  await store.write(async ({ anchors }) => {
    expect(await anchors.putNew(anchor('a.md'))).toBe(true);
    expect(await anchors.putNew(anchor('a.md', { hash: 'other' }))).toBe(false);
    await anchors.put(anchor('b.md', { kind: 'decision', id: 'd' }));
    await anchors.put(anchor('c.md'));
    await anchors.put(anchor('c.md', { hash: 'renewed' }));
  });
  await store.read(async ({ anchors }) => {
    expect((await anchors.of('instruction', 'rule')).map(({ ref, hash }) => [ref, hash])).toEqual([
      ['a.md', 'h'.repeat(64)],
      ['c.md', 'renewed'],
    ]);
    expect((await anchors.all(undefined)).map(({ kind, ref }) => `${kind} ${ref}`)).toEqual([
      'decision b.md',
      'instruction a.md',
      'instruction c.md',
    ]);
    expect(await anchors.all('decision')).toHaveLength(1);
  });
  expect(await store.write(({ anchors }) => anchors.keepOnly('instruction', 'rule', ['c.md']))).toBe(1);
  expect(await store.read(({ anchors }) => anchors.of('instruction', 'rule'))).toMatchObject([{ ref: 'c.md' }]);
});

it('needs a content as long as something cites it', async () => {
  const store = await openStore();
  const content = 'd'.repeat(64);
  const isNeeded = () => store.read(({ documents }) => documents.isNeeded(content));
  await store.write(({ anchors }) => anchors.put(anchor('a.md', { content })));
  expect(await isNeeded()).toBe(true);
  await store.write(({ anchors }) => anchors.keepOnly('instruction', 'rule', []));
  expect(await isNeeded()).toBe(false);
});

it('finds mentions from both ends, as the files are now', async () => {
  const store = await openStore();
  await store.write(async ({ audit }) => {
    await audit.recent(1);
  });
  const file = (id: string, body: string) => ({
    name: `${id}.json`,
    size: 1,
    modifiedMs: 1,
    id,
    head: '{}',
    body,
    metaHash: '',
    mentions: namedBy(id, [body], ['src/given.ts']),
  });
  await store.instructions.update(
    [file('one', 'See `src/a.ts#open` and `two-ids`.'), file('two', 'See src/a.ts.')],
    [],
  );
  expect(await store.mentions.of('instruction', 'one')).toEqual([
    { type: 'path', value: 'src/given.ts', given: true },
    { type: 'path', value: 'src/a.ts', symbol: 'open', given: false },
    { type: 'symbol', value: 'open', given: false },
    { type: 'id', value: 'two-ids', given: false },
  ]);
  expect(await store.mentions.naming('path', ['src/a.ts', 'a.ts'])).toEqual([
    { kind: 'instruction', id: 'one', value: 'src/a.ts' },
    { kind: 'instruction', id: 'two', value: 'src/a.ts' },
  ]);
  await store.instructions.update([file('two', 'See nothing.')], ['one.json']);
  expect(await store.mentions.naming('path', ['src/a.ts'])).toEqual([]);
  expect((await store.mentions.citing(undefined)).map(({ id }) => id)).toEqual(['two']);
  expect(await store.mentions.citing('decision')).toEqual([]);
});
