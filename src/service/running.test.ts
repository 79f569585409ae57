import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Running } from './running.ts';

describe('calls that run', () => {
  it('are waited for, nested ones too', async () => {
    const running = new Running();
    expect(await running.idle(0)).toBe(true);
    const outer = running.begin();
    const inner = running.begin();
    expect(running.count).toBe(2);
    let idle: boolean | undefined;
    const waiting = running.idle(10_000).then((answer) => {
      idle = answer;
    });
    inner();
    await delay(20);
    expect(idle).toBeUndefined();
    outer();
    await waiting;
    expect([idle, running.count]).toEqual([true, 0]);
  });

  it('are not waited for longer than said', async () => {
    const running = new Running();
    running.begin();
    expect(await running.idle(10)).toBe(false);
  });
});
