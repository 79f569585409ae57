import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Places } from './places.ts';

/** Counts how many are inside at once. */
function visitors(places: Places) {
  let [inside, most] = [0, 0];
  const order: number[] = [];
  const visit = async (number: number, work: () => Promise<unknown>) => {
    await places.take();
    most = Math.max(most, ++inside);
    order.push(number);
    try {
      await work();
    } finally {
      inside--;
      places.giveBack();
    }
  };
  return { visit, order, most: () => most };
}

describe('places', () => {
  it('are taken by so many at a time, in order, and all of a thousand get one', async () => {
    const { visit, order, most } = visitors(new Places(3));
    await Promise.all(Array.from({ length: 1000 }, (_, number) => visit(number, () => Promise.resolve())));
    expect(order).toEqual(Array.from({ length: 1000 }, (_, number) => number));
    expect(most()).toBe(3);
  });

  it('do not lock up where everyone who has one needs another, and are no more than before afterwards', async () => {
    const places = new Places(2, { standstillMs: 5 });
    const { visit, order, most } = visitors(places);
    const nested = (number: number) => visit(number, () => visit(number + 100, () => delay(1)));
    await Promise.all(Array.from({ length: 6 }, (_, number) => nested(number)));
    expect(order).toHaveLength(12);
    expect(most()).toBeGreaterThan(2);
    const later = visitors(places);
    await Promise.all(Array.from({ length: 50 }, (_, number) => later.visit(number, () => Promise.resolve())));
    expect(later.most()).toBe(2);
  });

  it('are no more than allowed where it is not the moment for another', async () => {
    let may = false;
    const places = new Places(1, { standstillMs: 5, mayAdd: () => may });
    await places.take();
    let entered = false;
    places.enter(() => {
      entered = true;
    });
    await delay(50);
    expect(entered).toBe(false);
    may = true;
    await expect.poll(() => entered).toBe(true);
  });

  it('are not held up by those that keep theirs for long', async () => {
    const { visit, order } = visitors(new Places(2, { standstillMs: 5 }));
    const slow = [1, 2].map((number) => visit(number, () => delay(2000)));
    const quick = Array.from({ length: 20 }, (_, number) => visit(10 + number, () => delay(1)));
    const start = performance.now();
    await Promise.all(quick);
    expect(performance.now() - start).toBeLessThan(1500);
    expect(order.slice(0, 2)).toEqual([1, 2]);
    await Promise.all(slow);
  });
});
