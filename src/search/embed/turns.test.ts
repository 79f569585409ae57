import { describe, expect, it } from 'vitest';
import { createTurns } from './turns.ts';

const always = new AbortController().signal;

describe('turns', () => {
  it('are given to so many at a time', async () => {
    const turns = createTurns(2);
    const done = await turns.take(1, always);
    await turns.take(1, always);
    let third = false;
    const waiting = turns.take(1, always).then(() => {
      third = true;
    });
    await new Promise(setImmediate);
    expect([third, turns.waiting]).toEqual([false, 1]);
    done();
    await waiting;
    expect([third, turns.waiting]).toEqual([true, 0]);
  });

  it('go to the least work first, and of equals to the first', async () => {
    const turns = createTurns(1);
    const order: string[] = [];
    const done = await turns.take(1, always);
    const all = [32, 1, 8, 1].map(async (work, index) => {
      const end = await turns.take(work, always);
      order.push(`${index}:${work}`);
      end();
    });
    done();
    await Promise.all(all);
    expect(order).toEqual(['1:1', '3:1', '2:8', '0:32']);
  });

  it('are not waited for by those who have given up', async () => {
    const turns = createTurns(1);
    const done = await turns.take(1, always);
    const aborter = new AbortController();
    const waiting = turns.take(1, aborter.signal);
    aborter.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(turns.take(1, aborter.signal)).rejects.toThrow('enough');
    expect(turns.waiting).toBe(0);
    done();
    await turns.take(1, always);
  });
});
