import { expect, it } from 'vitest';
import { Memory } from './memory.ts';
import { qualifiedNames } from './qualified.ts';

it('asks once, also for several who ask at the same time, and again after a failure', async () => {
  const memory = new Memory<number>(10);
  let asked = 0;
  const look = async () => ++asked;
  expect(await Promise.all([memory.of('a', look), memory.of('a', look)])).toEqual([1, 1]);
  await expect(memory.of('b', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await memory.of('b', look)).toBe(2);
});

it('forgets what nobody asked for the longest when there is no more room', async () => {
  const memory = new Memory<string>(6, (answer) => answer.length);
  await memory.of('a', async () => 'aaa');
  await memory.of('b', async () => 'bbb');
  await memory.of('a', async () => 'other');
  await memory.of('c', async () => 'ccc');
  expect(['a', 'b', 'c'].map((key) => memory.has(key))).toEqual([true, false, true]);
});

it('names symbols with what they stand in, each differently', () => {
  const symbol = { kind: 'function', line: 1, endLine: 1, exported: true } as const;
  const symbols = [
    { ...symbol, name: 'Outer' },
    { ...symbol, name: 'inner', parent: 0 },
    { ...symbol, name: 'inner', parent: 0 },
    { ...symbol, name: 'deep', parent: 2 },
    { ...symbol, name: 'away', owner: 'Outer' },
  ];
  expect(qualifiedNames({ symbols })).toEqual([
    'Outer',
    'Outer.inner',
    'Outer.inner~2',
    'Outer.inner.deep',
    'Outer.away',
  ]);
});
