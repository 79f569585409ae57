import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Act, linearize, type Step } from './linearizable.ts';

const never = Number.POSITIVE_INFINITY;
const act = (called: number, returned: number, step: Step, client = 'a'): Act => ({ client, step, called, returned });
const write = (value: string, version?: number): Step => ({ do: 'write', value, ...(version && { version }) });
const read = (value: string | undefined, version?: number): Step => ({
  do: 'read',
  value,
  ...(version && { version }),
});

const good: Readonly<Record<string, readonly Act[]>> = {
  'nothing at all': [],
  'a read of nothing': [act(0, 1, read(undefined))],
  'one after the other': [act(0, 1, write('x', 1)), act(2, 3, read('x', 1)), act(4, 5, write('y', 2))],
  'a read beside a write that sees it': [act(0, 9, write('x')), act(1, 2, read('x')), act(3, 4, read('x'))],
  'a read beside a write that does not': [act(0, 9, write('x')), act(1, 2, read(undefined)), act(3, 4, read('x'))],
  'two writes beside each other, the later call first': [
    act(0, 9, write('x', 2)),
    act(1, 8, write('y', 1)),
    act(10, 11, read('x', 2)),
  ],
  'a call that was cut off and happened': [act(0, never, write('x')), act(5, 6, read('x'))],
  'a call that was cut off and did not': [act(0, never, write('x')), act(5, 6, read(undefined))],
  'a call that was cut off and happens later': [
    act(0, never, write('x')),
    act(5, 6, read(undefined)),
    act(7, 8, read('x')),
  ],
  'one of two that replace the same version': [
    act(0, 1, { do: 'create', value: 'x', done: true }),
    act(2, 9, { do: 'swap', from: 1, value: 'y', done: false }),
    act(3, 8, { do: 'swap', from: 1, value: 'z', done: true }),
    act(10, 11, read('z', 2)),
  ],
  'a cut-off replacement that came too late': [
    act(0, 1, write('x')),
    act(2, never, { do: 'swap', from: 1, value: 'y' }),
    act(3, 4, { do: 'swap', from: 1, value: 'z', done: true }),
    act(5, 6, read('z', 2)),
  ],
  'removed and made again': [
    act(0, 1, write('x', 1)),
    act(2, 3, { do: 'remove', found: true }),
    act(4, 5, { do: 'look', found: false }),
    act(6, 7, { do: 'remove', found: false }),
    act(8, 9, write('y', 1)),
  ],
};

const bad: Readonly<Record<string, readonly Act[]>> = {
  'a lost write': [act(0, 1, write('x')), act(2, 3, read(undefined))],
  'a stale read': [act(0, 1, write('x')), act(2, 3, write('y')), act(4, 5, read('x'))],
  'a value nobody wrote': [act(0, 1, write('x')), act(2, 3, read('z'))],
  'a read from the future': [act(0, 1, read('x')), act(2, 3, write('x'))],
  'a read that goes back': [act(0, 9, write('x')), act(1, 2, read('x')), act(3, 4, read(undefined))],
  'two readers that disagree about the order': [
    act(0, 20, write('x')),
    act(0, 20, write('y')),
    act(1, 2, read('x'), 'b'),
    act(3, 4, read('y'), 'b'),
    act(5, 6, read('x'), 'c'),
  ],
  'a lost update: two writes and one version': [act(0, 9, write('x', 1)), act(1, 8, write('y', 1))],
  'two that replaced the same version': [
    act(0, 1, { do: 'create', value: 'x', done: true }),
    act(2, 9, { do: 'swap', from: 1, value: 'y', done: true }),
    act(3, 8, { do: 'swap', from: 1, value: 'z', done: true }),
  ],
  'a refusal without a reason': [
    act(0, 1, write('x')),
    act(2, 3, { do: 'swap', from: 1, value: 'y', done: false }),
    act(4, 5, read('x', 1)),
  ],
  'a refusal that was carried out': [
    act(0, 1, write('x')),
    act(2, 3, { do: 'create', value: 'y', done: false }),
    act(4, 5, read('y')),
  ],
  'two that made the same': [
    act(0, 9, { do: 'create', value: 'x', done: true }),
    act(1, 8, { do: 'create', value: 'y', done: true }),
  ],
  'something that came back after it was removed': [
    act(0, 1, write('x')),
    act(2, 3, { do: 'remove', found: true }),
    act(4, 5, read('x')),
  ],
  'two that removed the same': [
    act(0, 1, write('x')),
    act(2, 9, { do: 'remove', found: true }),
    act(3, 8, { do: 'remove', found: true }),
  ],
  'a cut-off call that happened and then had not': [
    act(0, never, write('x')),
    act(1, 2, read('x')),
    act(3, 4, read(undefined)),
  ],
  'a version that does not fit its value': [act(0, 1, write('x')), act(2, 3, write('y')), act(4, 5, read('y', 1))],
};

describe('a history that one after the other explains', () => {
  it.each(Object.entries(good))('is accepted: %s', (_, history) => {
    const verdict = linearize(history);
    expect(verdict.linearizable).toBe(true);
  });
});

describe('a history that nothing explains', () => {
  it.each(Object.entries(bad))('is rejected: %s', (_, history) => {
    const verdict = linearize(history);
    expect(verdict).toMatchObject({ linearizable: false });
  });

  it('is told with the acts that did not fit', () => {
    const stale = act(4, 5, read('x'));
    const verdict = linearize([act(0, 1, write('x')), act(2, 3, write('y')), stale]);
    expect(verdict).toMatchObject({ linearizable: false, stuck: [stale] });
    expect(verdict.order).toHaveLength(2);
  });
});

/** A register that is really one: each step happens at its own instant, and is called before and answered after it. */
const lived = fc
  .array(
    fc.record({
      what: fc.constantFrom('write', 'read', 'create', 'swap', 'remove', 'lost'),
      before: fc.nat(25),
      after: fc.nat(25),
      from: fc.nat(4),
    }),
    { minLength: 1, maxLength: 24 },
  )
  .map((plans) => {
    let [value, version] = [undefined as string | undefined, 0];
    const set = (next: string | undefined) => {
      value = next;
      version = next === undefined ? 0 : version + 1;
    };
    return plans.map(({ what, before, after, from }, at): Act => {
      const mine = `v${at}`;
      const step = ((): Step => {
        if (what === 'read') return { do: 'read', value, version };
        if (what === 'remove') {
          const found = version > 0;
          set(undefined);
          return { do: 'remove', found };
        }
        const done = what === 'create' ? version === 0 : what === 'swap' ? version === from : true;
        if (done) set(mine);
        if (what === 'create') return { do: 'create', value: mine, done };
        if (what === 'swap') return { do: 'swap', from, value: mine, done };
        return what === 'lost' ? { do: 'write', value: mine } : { do: 'write', value: mine, version };
      })();
      return act(at * 10 - before, what === 'lost' ? never : at * 10 + after, step, `c${at % 7}`);
    });
  });

it('accepts every life of a true register, however its calls overlap', () => {
  fc.assert(fc.property(lived, (history) => linearize(history).linearizable));
});

it('rejects a life in which a read, alone in its time, saw what nobody wrote', () => {
  const liar = act(10_000, 10_001, read('never written'));
  fc.assert(
    fc.property(lived, (history) => !linearize([...history, liar]).linearizable),
    { numRuns: 30 },
  );
});

it('decides a history of hundreds of steps of 32 clients at once', () => {
  const history: Act[] = [];
  for (let at = 0; at < 320; at++) {
    const step: Step = at % 2 === 0 ? write(`v${at}`, at / 2 + 1) : read(`v${at - 1}`, (at + 1) / 2);
    history.push(act(at - 16, at + 16, step, `c${at % 32}`));
  }
  expect(linearize(history).linearizable).toBe(true);
  expect(linearize([...history, act(500, 501, read('v0'))]).linearizable).toBe(false);
}, 30_000);
