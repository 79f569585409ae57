import { describe, expect, it } from 'vitest';
import { CairnError } from '../errors.ts';
import { type SurfaceEntry, surface, surfaceOf } from './surface.ts';

function entry(name: string, facts: Partial<SurfaceEntry> = {}): SurfaceEntry {
  return {
    name,
    description: 'For a test.',
    family: 'service',
    toolsets: ['admin'],
    envelope: false,
    spellings: [],
    capability: 'read',
    writes: false,
    mutation: false,
    destructive: false,
    idempotent: true,
    openWorld: false,
    kind: 'plain',
    positional: [],
    example: { input: {} },
    module: 'service',
    inputSchema: {},
    outputSchema: {},
    ...facts,
  };
}

const names = (entries: readonly SurfaceEntry[]) => entries.map(({ name }) => name);

describe('a table in which two operations answer to one name is refused', () => {
  it.each([
    ['the same name twice', [entry('a_b'), entry('a_b')], 'a_b'],
    ['a spelling that folds to another name', [entry('a_b'), entry('c', { spellings: ['a/b'] })], 'a_b'],
    ['a spelling before the name', [entry('c', { spellings: ['aB'] }), entry('a_b')], 'a_b'],
    ['one spelling twice', [entry('c', { spellings: ['x.y'] }), entry('d', { spellings: ['x/y'] })], 'x_y'],
    ['two names that fold to the same', [entry('instructions_x'), entry('index_x')], 'instructions_x'],
    ['two names with more underscores', [entry('a_b'), entry('a__b')], 'a_b'],
  ])('%s', (_, entries, name) => {
    expect(() => surfaceOf(entries)).toThrow(`Two operations answer to ${name}`);
  });

  it('but one operation may have many spellings of its own name', () => {
    const table = surfaceOf([entry('a_b', { spellings: ['a/b', 'a.b', 'aB', 'alias'] })]);
    for (const spelling of ['a_b', 'a/b', 'A.B', 'a-b', 'alias', 'ALIAS'])
      expect(table.find(spelling)?.name).toBe('a_b');
  });
});

describe('resolving', () => {
  function failure(spelling: string): CairnError {
    try {
      surface.resolve(spelling);
    } catch (thrown) {
      if (thrown instanceof CairnError) return thrown;
    }
    throw new Error(`${spelling} was found`);
  }

  it('an unknown name fails with the action, the nearest names and a question', () => {
    const error = failure('feedback/lst');
    expect([error.code, error.message, error.detail.action]).toEqual([
      -32601,
      'Method not found: feedback/lst',
      'feedback/lst',
    ]);
    expect(error.detail.nearest).toContain('feedback_list');
    expect(error.suggestion).toMatch(/^Did you mean feedback_list/);
  });

  it('a name like no other keeps the general advice', () => {
    const error = failure('zzzzzzzzzzzzzzzz');
    expect([error.detail.nearest, error.suggestion]).toEqual([[], expect.stringContaining('describe')]);
  });

  it.each(['__proto__', 'constructor', 'toString', '', '/', '\0', '../../etc/passwd'])('%j is unknown', (spelling) => {
    expect(surface.find(spelling)).toBeUndefined();
    expect(failure(spelling).kind).toBe('unknown_operation');
  });

  it('does not repeat an enormous name', () => {
    const error = failure('x'.repeat(1_000_000));
    expect(JSON.stringify([error.message, error.data]).length).toBeLessThan(1000);
  });
});

describe('what is listed', () => {
  const table = surfaceOf([
    entry('zebra', { toolsets: ['core'] }),
    entry('apple', { toolsets: ['memory', 'core'], writes: true }),
    entry('middle', { toolsets: [] }),
    entry('step', { toolsets: ['core'], kind: 'step' }),
    entry('beetle', { toolsets: ['admin'], kind: 'composite' }),
  ]);

  it.each([
    [['core'], false, ['zebra', 'apple']],
    [['core'], true, ['zebra']],
    [['memory', 'admin'], false, ['apple', 'beetle']],
    [['memory'], true, []],
    [['all'], false, ['zebra', 'apple', 'middle', 'beetle']],
    [['all'], true, ['zebra', 'middle', 'beetle']],
    [['core', 'all'], false, ['zebra', 'apple', 'middle', 'beetle']],
    [[], false, []],
  ] as const)('for %j, read-only %j, is %j in the order of the table', (toolsets, readOnly, expected) => {
    expect(names(table.listed(toolsets, readOnly))).toEqual(expected);
  });

  it('of the real table is sorted by name, holds at most ten tools in core, and no write when read-only', () => {
    const all = surface.listed(['all'], false);
    expect(names(all)).toEqual([...names(all)].sort());
    expect(surface.listed(['core'], false).length).toBeLessThanOrEqual(10);
    expect(all.some(({ writes }) => writes)).toBe(true);
    expect(surface.listed(['all'], true).filter(({ writes }) => writes)).toEqual([]);
  });
});
