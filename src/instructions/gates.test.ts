import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CairnError } from '../errors.ts';
import { derive } from './derive.ts';
import { type Entry, fieldOrder, type Head, requirements } from './entry.ts';
import { evaluateGates, type GateResult, parseGates } from './gates.ts';

const now = new Date('2025-08-24T00:00:00.000Z');
const DAY_MS = 86_400_000;

function entry(facts: Partial<Entry> = {}): Entry {
  const whole = derive(
    { id: 'alpha', body: 'Alpha.', title: 'Alpha rules', priority: 30, categories: ['security', 'testing'], ...facts },
    { now: '2025-08-01T00:00:00.000Z', canonical: true, owner: 'unowned', status: 'approved' },
  );
  return { ...whole, ...facts };
}

const gate = (facts: object = {}) => ({
  id: 'g',
  type: 'count',
  where: {},
  op: '>=',
  value: 1,
  severity: 'error',
  ...facts,
});
const file = (...gates: unknown[]) => JSON.stringify({ gates });
const evaluated = (gates: readonly unknown[], entries: readonly Entry[] = [entry()]) =>
  evaluateGates(parseGates(file(...gates)), entries, now);

function resultOf(facts: object, entries?: readonly Entry[]): GateResult {
  const [result] = evaluated([gate(facts)], entries).results;
  if (result === undefined) throw new Error('There is no result.');
  return result;
}

/** Whether the entry is counted by the condition. */
function matches(where: unknown, facts: Partial<Entry> = {}): boolean {
  const { count, error } = resultOf({ where }, [entry(facts)]);
  expect(error).toBeUndefined();
  return count === 1;
}

const errorOf = (where: unknown) => resultOf({ where, op: '>=', value: 0 }).error;

describe('the report', () => {
  it('is exactly what the seeds document', () => {
    const gates = [
      gate({ id: 'min-alpha', where: { title: { contains: 'alpha' } } }),
      gate({
        id: 'no-low',
        where: { priority: { '>': 90 } },
        op: '==',
        value: 0,
        severity: 'warning',
        description: 'None.',
      }),
    ];
    expect(evaluated(gates)).toEqual({
      generatedAt: '2025-08-24T00:00:00.000Z',
      results: [
        { id: 'min-alpha', passed: true, count: 1, op: '>=', value: 1, severity: 'error' },
        { id: 'no-low', passed: true, count: 0, op: '==', value: 0, severity: 'warning' },
      ],
      summary: { errors: 0, warnings: 0, total: 2 },
    });
  });

  it('counts failed gates by their severity', () => {
    const failing = (id: string, severity: string) => gate({ id, severity, value: 9 });
    const { summary } = evaluated([failing('a', 'error'), failing('b', 'warning'), failing('c', 'info'), gate()]);
    expect(summary).toEqual({ errors: 1, warnings: 1, total: 4 });
  });

  it.each([
    ['>=', [false, true, true]],
    ['>', [false, false, true]],
    ['<=', [true, true, false]],
    ['<', [true, false, false]],
    ['==', [false, true, false]],
    ['!=', [true, false, true]],
  ])('compares the count by %s', (op, expected) => {
    const passed = [1, 2, 3].map((size) => resultOf({ op, value: 2 }, Array(size).fill(entry())).passed);
    expect(passed).toEqual(expected);
  });

  it('is empty without gates, and counts everything without a condition', () => {
    expect(evaluated([]).summary).toEqual({ errors: 0, warnings: 0, total: 0 });
    expect(resultOf({ where: undefined }, [entry(), entry()]).count).toBe(2);
  });
});

describe('a condition', () => {
  it.each([
    ['equality', { requirement: 'optional' }, { requirement: 'mandatory' }],
    ['any of a list', { requirement: ['mandatory', 'optional'] }, { requirement: ['mandatory', 'critical'] }],
    ['a value of a list', { categories: 'testing' }, { categories: 'test' }],
    ['any of a list in a list', { categories: ['docs', 'security'] }, { categories: ['docs'] }],
    ['comparison of numbers', { priority: { '<=': 30 } }, { priority: { '<': 30 } }],
    ['two comparisons at once', { priority: { '>': 20, '<': 40 } }, { priority: { '>': 20, '<': 25 } }],
    ['inequality', { owner: { '!=': 'ada' } }, { owner: { '!=': 'unowned' } }],
    ['none of a list', { owner: { '!=': ['ada', 'bob'] } }, { categories: { '!=': ['docs', 'testing'] } }],
    ['explicit equality', { owner: { '==': 'unowned' } }, { owner: { '==': 'Unowned' } }],
    ['a part of a text, without regard to case', { title: { contains: 'ALPHA' } }, { title: { contains: 'beta' } }],
    ['an element, with contains', { categories: { contains: 'testing' } }, { categories: { contains: 'test' } }],
    ['a line of the change log', { changeLog: { contains: 'created' } }, { changeLog: { contains: 'removed' } }],
    ['a time before now', { createdAt: { before: 'now' } }, { nextReviewDue: { before: 'now' } }],
    ['a time after a day', { createdAt: { after: '2025-07-31' } }, { createdAt: { after: '2025-08-01' } }],
    ['a time as a number', { createdAt: { '<=': '2025-08-01T02:00:00+02:00' } }, { createdAt: { '<': '2025-08-01' } }],
    [
      'the same time in another zone',
      { createdAt: '2025-08-01T02:00:00+02:00' },
      { createdAt: '2025-08-01T02:00:00Z' },
    ],
    ['a field that is there', { owner: { exists: true } }, { deprecatedBy: { exists: true } }],
    ['a field that is not there', { deprecatedBy: { exists: false } }, { owner: { exists: false } }],
    ['something else than an absent value', { userId: { '!=': 'ada' } }, { userId: 'ada' }],
    ['the body', { body: { contains: 'alpha' } }, { body: { contains: 'omega' } }],
    ['several fields together', { owner: 'unowned', priority: 30 }, { owner: 'unowned', priority: 31 }],
    ['all', { all: [{ priority: 30 }, { owner: 'unowned' }] }, { all: [{ priority: 30 }, { owner: 'ada' }] }],
    ['any', { any: [{ priority: 31 }, { owner: 'unowned' }] }, { any: [{ priority: 31 }, { owner: 'ada' }] }],
    ['not', { not: { owner: 'ada' } }, { not: { owner: 'unowned' } }],
    [
      'a nest of them',
      { any: [{ not: { all: [{ priority: 30 }, { owner: 'ada' }] } }] },
      { not: { any: [{ priority: 30 }] } },
    ],
  ])('can be %s', (_, yes, no) => {
    expect([matches(yes), matches(no)]).toEqual([true, false]);
  });

  it('takes an empty list for an absent one', () => {
    expect(matches({ categories: { exists: false } }, { categories: [] })).toBe(true);
  });

  it('sees an overdue review', () => {
    const due = (days: number) => ({ nextReviewDue: new Date(now.getTime() + days * DAY_MS).toISOString() });
    expect([-1, 0, 1].map((days) => matches({ nextReviewDue: { before: 'now' } }, due(days)))).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('may ask about every field of an entry', () => {
    for (const field of fieldOrder) expect(errorOf({ [field]: { exists: true } }), field).toBeUndefined();
  });

  it('says so where it asks about bodies and there are none', () => {
    const gates = parseGates(file(gate({ where: { not: { body: { contains: 'x' } } } })));
    const { body: _, ...head } = entry();
    const heads: Head[] = [head];
    expect(gates.map((parsed) => 'readsBody' in parsed && parsed.readsBody)).toEqual([true]);
    expect(evaluateGates(gates, heads, now).results[0]).toMatchObject({
      passed: false,
      error: 'the bodies are not loaded',
    });
  });
});

describe('a gate without meaning', () => {
  it.each([
    ['an unknown field', { priorty: 1 }, 'where: the field "priorty" is not known; the nearest is "priority"'],
    [
      'an unknown field below',
      { any: [{ not: { category: 'a' } }] },
      'where.any[0].not: the field "category" is not known; the nearest is "categories"',
    ],
    [
      'an unknown operator',
      { priority: { '=<': 1 } },
      'where.priority: the operator "=<" is not known; the nearest is "<="',
    ],
    ['an unknown operator of words', { title: { contain: 'a' } }, 'the nearest is "contains"'],
    ['a combinator of another language', { or: [{ priority: 1 }] }, 'where: the field "or" is not known'],
    [
      'an unknown value of a field with few',
      { requirement: 'mandatry' },
      'where.requirement: the requirement "mandatry" is not known; the nearest is "mandatory"',
    ],
    ['a number for a text', { owner: 3 }, 'where.owner: owner is text, not 3'],
    ['a text for a number', { priority: { '<': 'high' } }, 'where.priority.<: priority is a number, not "high"'],
    ['an order that is none', { title: { '<': 'b' } }, 'where.title.<: the values of title have no such order'],
    [
      'a time for a number',
      { priority: { before: 'now' } },
      'where.priority.before: the values of priority have no such order',
    ],
    [
      'a time that is none',
      { createdAt: { before: 'yesterday' } },
      'a time is "now" or like 2025-08-24, not "yesterday"',
    ],
    ['a null', { owner: null }, 'where.owner: owner is text, not null'],
    ['an empty list', { owner: [] }, 'where.owner is an empty list'],
    ['no operator', { owner: {} }, 'where.owner has no operator'],
    ['an empty combinator', { any: [] }, 'where.any is a list of conditions'],
    ['a combinator that is no list', { all: { owner: 'ada' } }, 'where.all is a list of conditions'],
    ['exists that is neither', { owner: { exists: 'no' } }, 'where.owner.exists is true or false, not "no"'],
    ['a condition that is a list', [{ owner: 'ada' }], 'where is an object of conditions, not a list'],
    ['the prototype of objects', { constructor: { exists: true } }, 'where: the field "constructor" is not known'],
    ['an operator of the prototype', { owner: { toString: 'a' } }, 'where.owner: the operator "toString" is not known'],
  ])('fails for %s, even where it would pass', (_, where, complaint) => {
    const result = resultOf({ where, op: '>=', value: 0 });
    expect(result).toMatchObject({ passed: false, count: 0 });
    expect(result.error).toContain(complaint);
  });

  it.each([
    ['an unknown key', { wheer: {} }, 'key "wheer" is not known; the nearest is "where"'],
    ['another type', { type: 'sum' }, 'type is "count", not "sum"'],
    ['an unknown op', { op: '=' }, 'op "=" is not known; the nearest is "=="'],
    ['no op', { op: undefined }, 'op nothing is not known (>=, >, <=, <, ==, !=)'],
    ['a value that is text', { value: '1' }, 'value is a whole number from 0, not "1"'],
    ['a negative value', { value: -1 }, 'value is a whole number from 0, not -1'],
    ['an unknown severity', { severity: 'warn' }, 'severity "warn" is not known; the nearest is "warning"'],
    ['a description that is a number', { description: 1 }, 'description is text, not 1'],
    ['no id', { id: '' }, 'a gate needs an "id"'],
  ])('fails for %s', (_, facts, complaint) => {
    const { results, summary } = evaluated([
      gate({ ...facts, value: 0, ...('value' in facts && { value: facts.value }) }),
    ]);
    expect(results[0]?.passed).toBe(false);
    expect(results[0]?.error).toContain(complaint);
    expect(summary).toEqual({ errors: 1, warnings: 0, total: 1 });
  });

  it('leaves the others alone', () => {
    const { results } = evaluated([gate(), gate(), 'nonsense', gate({ id: 'last' })]);
    expect(results.map(({ id, passed, error }) => [id, passed, error])).toEqual([
      ['g', true, undefined],
      ['g', false, 'another gate has the id "g"'],
      ['gates[2]', false, 'a gate is an object, not "nonsense"'],
      ['last', true, undefined],
    ]);
  });

  it('is refused beyond a depth, however deep it is', () => {
    const nested = (depth: number) => `${'{"not":'.repeat(depth)}{}${'}'.repeat(depth)}`;
    const text = (depth: number) =>
      `{"gates":[{"id":"g","type":"count","where":${nested(depth)},"op":">=","value":0,"severity":"info"}]}`;
    const errors = [15, 16, 5_000].map((depth) => evaluateGates(parseGates(text(depth)), [], now).results[0]?.error);
    expect(errors).toEqual([
      undefined,
      expect.stringContaining('deeper than 16'),
      expect.stringContaining('deeper than 16'),
    ]);
  });

  it('does not reach through a prototype that the file brings along', () => {
    const text =
      '{"gates":[{"id":"g","type":"count","where":{"__proto__":{"owner":"x"}},"op":">=","value":0,"severity":"info"}]}';
    expect(evaluateGates(parseGates(text), [entry()], now).results[0]?.error).toContain(
      'the field "__proto__" is not known',
    );
    const borrowed: Entry = Object.assign(Object.create({ deprecatedBy: 'x' }), entry());
    expect(matches({ deprecatedBy: { exists: true } }, borrowed)).toBe(false);
    expect(
      evaluateGates(parseGates(file(gate({ where: { deprecatedBy: 'x' } }))), [borrowed], now).results[0]?.count,
    ).toBe(0);
  });
});

describe('a file', () => {
  it.each(['{', '[]', 'null', '{}', '{"gates":{}}', '{"__proto__":{"gates":[]}}'])(
    'without a list of gates is refused: %s',
    (text) => {
      expect(() => parseGates(text)).toThrow(CairnError);
      expect(() => parseGates(text)).toThrow(/gates\.json/);
    },
  );

  it('may hold other keys beside the gates, as older servers leave them', () => {
    expect(parseGates('{"version":1,"gates":[],"changeLog":[]}')).toEqual([]);
  });
});

describe('combinators', () => {
  const condition = fc.oneof(
    fc.record({ priority: fc.record({ '<=': fc.integer({ min: 1, max: 100 }) }) }),
    fc.record({ requirement: fc.constantFrom(...requirements) }),
    fc.record({ categories: fc.constantFrom('a', 'b', 'c') }),
    fc.record({ tags: fc.record({ exists: fc.boolean() }) }),
    fc.record({ owner: fc.record({ '!=': fc.constantFrom('ada', 'bob') }) }),
  );
  const { where } = fc.letrec((tie) => ({
    where: fc.oneof(
      { depthSize: 'small' },
      condition,
      fc.record({ not: tie('where') }),
      fc.record({ all: tie('list') }),
      fc.record({ any: tie('list') }),
    ),
    list: fc.array(tie('where'), { minLength: 1, maxLength: 3 }),
  }));
  const entries = fc.array(
    fc
      .record({
        priority: fc.integer({ min: 1, max: 100 }),
        requirement: fc.constantFrom(...requirements),
        categories: fc.subarray(['a', 'b', 'c']),
        owner: fc.constantFrom('ada', 'bob', 'unowned'),
      })
      .map((facts) => entry(facts)),
    { maxLength: 8 },
  );
  const counted = (condition: unknown, of: readonly Entry[]) => {
    const { count, error } = resultOf({ where: condition }, of);
    return error ?? count;
  };
  const holds = (claim: (a: unknown, b: unknown, of: Entry[]) => void) =>
    fc.assert(fc.property(where, where, entries, claim), { numRuns: 200 });

  it('obey De Morgan', () => {
    holds((a, b, of) => {
      expect(counted({ not: { all: [a, b] } }, of)).toBe(counted({ any: [{ not: a }, { not: b }] }, of));
      expect(counted({ not: { any: [a, b] } }, of)).toBe(counted({ all: [{ not: a }, { not: b }] }, of));
    });
  });

  it('split the catalog in two by not, and mean the same twice', () => {
    holds((a, b, of) => {
      expect(Number(counted(a, of)) + Number(counted({ not: a }, of))).toBe(of.length);
      expect(counted({ not: { not: b } }, of)).toBe(counted(b, of));
    });
  });

  it('count either as the one and the other less both', () => {
    holds((a, b, of) => {
      const [either, both] = [counted({ any: [a, b] }, of), counted({ all: [a, b] }, of)];
      expect(Number(either)).toBe(Number(counted(a, of)) + Number(counted(b, of)) - Number(both));
    });
  });
});

describe('whatever the file holds', () => {
  it('no gate passes that has an error, and every gate has a result', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.jsonValue(),
            fc.jsonValue().map((where) => gate({ where, value: 0 })),
          ),
        ),
        (gates) => {
          const { results, summary } = evaluated(gates);
          expect(results).toHaveLength(gates.length);
          expect(summary.total).toBe(gates.length);
          for (const { passed, error } of results) if (error !== undefined) expect(passed).toBe(false);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('10,000 entries are counted at once', () => {
    const many = Array.from({ length: 10_000 }, (_, at) => entry({ id: `e${at}`, priority: (at % 100) + 1 }));
    const gates = parseGates(
      file(gate({ where: { any: [{ priority: { '<=': 20 } }, { nextReviewDue: { before: 'now' } }] } })),
    );
    const started = performance.now();
    expect(evaluateGates(gates, many, now).results[0]?.count).toBe(2_000);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
