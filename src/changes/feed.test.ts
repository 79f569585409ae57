import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openEmbedded } from '../store/embedded/engine.ts';
import type { Store } from '../store/store.ts';
import { Feed } from './feed.ts';

async function openStore(): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-feed-'));
  const store = openEmbedded({ home: join(folder, 'home'), history: false });
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  return store;
}

async function append(store: Store, count: number): Promise<void> {
  const record = { time: '', operation: 'o', principal: 'p', role: 'agent', door: 'cli', outcome: 'ok', ids: [] };
  for (let at = 0; at < count; at++) await store.write((change) => change.audit.append(record));
}

function following(feed: Feed, after?: number) {
  const seen: number[] = [];
  const end = feed.follow({
    ...(after !== undefined && { after }),
    take: (entries) => void seen.push(...entries.map(({ seq }) => seq)),
    failed: (thrown) => {
      throw thrown;
    },
  });
  onTestFinished(end);
  return { seen, end };
}

const upTo = (count: number, from = 1) => Array.from({ length: count - from + 1 }, (_, at) => at + from);

describe('a follower of the trail', () => {
  it('begins now, in the past, or now where it asks for the future', async () => {
    const store = await openStore();
    await append(store, 3);
    const feed = new Feed(store);
    const [now, past, future] = [following(feed), following(feed, 1), following(feed, 99)];
    await expect.poll(() => past.seen, { timeout: 10_000 }).toEqual([2, 3]);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await append(store, 2);
    for (const [follower, seen] of [
      [now, [4, 5]],
      [past, [2, 3, 4, 5]],
      [future, [4, 5]],
    ] as const)
      await expect.poll(() => follower.seen, { timeout: 10_000 }).toEqual(seen);
  });

  it('gets more than a page, and what comes while it catches up, once and in order', async () => {
    const store = await openStore();
    await append(store, 450);
    const feed = new Feed(store);
    const early = following(feed, 0);
    const writing = append(store, 60);
    const late = following(feed, 0);
    await writing;
    for (const { seen } of [early, late]) await expect.poll(() => seen, { timeout: 20_000 }).toEqual(upTo(510));
  });

  it('hears nothing after it ended, and others go on', async () => {
    const store = await openStore();
    const feed = new Feed(store);
    const [leaving, staying] = [following(feed, 0), following(feed, 0)];
    await append(store, 1);
    await expect.poll(() => [leaving.seen, staying.seen], { timeout: 10_000 }).toEqual([[1], [1]]);
    leaving.end();
    await append(store, 1);
    await expect.poll(() => staying.seen, { timeout: 10_000 }).toEqual([1, 2]);
    expect(leaving.seen).toEqual([1]);
    staying.end();
    // Whoever comes after a time without followers gets what was missed by nobody else.
    await append(store, 1);
    const next = following(feed, 2);
    await expect.poll(() => next.seen, { timeout: 10_000 }).toEqual([3]);
  });
});
