import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { SchemaViolation } from '../errors.ts';
import { type JsonSchema, surface } from './surface.ts';
import { definitionOf } from './table.ts';
import { violationsOf } from './violations.ts';

/**
 * Ajv, the reference. Formats are left to their patterns, which the generated schemas also hold.
 *
 * The two agree but for three things, each justified and each pinned down in a test of its own below:
 * - an integer beyond 2^53 is refused here and no error to Ajv: a double cannot hold it, so another number would be used;
 * - the items of a list that is too long are not looked at here: the list may be enormous, and is wrong anyway;
 * - a field called __proto__ of a record is left out here rather than judged: nobody means well with it.
 */
const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false });

const compared = new Set(
  'type required additionalProperties enum minLength maxLength minItems maxItems minimum maximum pattern'.split(' '),
);

interface Judge {
  readonly zod: z.ZodType;
  readonly schema: JsonSchema;
}

type Violation = Pick<SchemaViolation, 'instancePath' | 'keyword' | 'params'>;

function ours({ zod, schema }: Judge, input: unknown): SchemaViolation[] {
  const { error } = zod.safeParse(input);
  return error === undefined ? [] : violationsOf(error, input, schema);
}

function theirs({ schema }: Judge, input: unknown): Violation[] {
  const validate = ajv.compile(schema);
  return validate(input) ? [] : (validate.errors ?? []);
}

function comparable(violations: readonly Violation[], within: readonly string[]): string[] {
  return violations
    .filter(
      ({ keyword, instancePath }) => compared.has(keyword) && !within.some((path) => instancePath.startsWith(path)),
    )
    .map(({ instancePath, keyword, params }) => JSON.stringify([instancePath, keyword, params]))
    .sort();
}

function expectAgreement(judge: Judge, input: unknown): void {
  const [mine, reference] = [ours(judge, input), theirs(judge, input)];
  const tooLong = reference.filter(({ keyword }) => keyword === 'maxItems').map((one) => `${one.instancePath}/`);
  expect(comparable(mine, [])).toEqual([...new Set(comparable(reference, tooLong))]);
  expect(mine.length > 0).toBe(reference.length > 0);
}

/** The schema as it is generated (scripts/reference.ts), without the bounds of safe integers. */
function judgeOf(zod: z.ZodType): Judge {
  const text = JSON.stringify(z.toJSONSchema(zod, { target: 'draft-7', io: 'input' }));
  return { zod, schema: JSON.parse(text.replace(/,?"(?:maximum|minimum)":-?9007199254740991/g, '')) as JsonSchema };
}

const judges = await Promise.all(
  surface.entries.map(async ({ module, name, inputSchema }) => ({
    name,
    zod: (await definitionOf(module, name)).input as z.ZodType,
    schema: inputSchema,
  })),
);

const plain = fc.string({ unit: fc.constantFrom(...'aZ09 -_/~"\\é\n', '🎉', '\ud800') });
const anything = fc
  .jsonValue({ maxDepth: 3, stringUnit: fc.constantFrom(...'ab/~') })
  .filter((value) => !hasUnsafe(value));

function hasUnsafe(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasUnsafe);
}

interface Shape {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly items?: Shape;
  readonly additionalProperties?: boolean | object;
  readonly properties?: Readonly<Record<string, Shape>>;
}

/** Values on both sides of every bound, and now and then something else altogether. */
function around(shape: Shape): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 1, arbitrary: anything }, { weight: 6, arbitrary: likely(shape) });
}

function likely(shape: Shape): fc.Arbitrary<unknown> {
  if (shape.enum !== undefined) return fc.constantFrom(...shape.enum, 'none of them');
  switch (shape.type) {
    case 'string': {
      const lengths = [shape.minLength ?? 0, shape.maxLength ?? 5].flatMap((bound) => [bound - 1, bound, bound + 1]);
      return fc.oneof(
        plain,
        fc.constantFrom(...lengths).map((length) => 'x'.repeat(Math.max(0, length))),
      );
    }
    case 'integer': {
      const bounds = [shape.minimum ?? 0, shape.maximum ?? 9].flatMap((bound) => [
        bound - 1,
        bound - 0.5,
        bound,
        bound + 1,
      ]);
      return fc.constantFrom(...bounds);
    }
    case 'array':
      return fc.array(around(shape.items ?? {}), { maxLength: Math.min(12, (shape.maxItems ?? 3) + 1) });
    case 'object': {
      const fields = Object.entries(shape.properties ?? {}).map(([name, field]) => [name, around(field)]);
      const others = fc.dictionary(
        fc.constantFrom('extra', 'a/b', '~', '', ...(shape.additionalProperties ? [] : ['__proto__'])),
        anything,
        { maxKeys: 2 },
      );
      const known = fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>, {
        requiredKeys: [],
      });
      return fc.tuple(known, others).map(([one, other]) => ({ ...one, ...other }));
    }
    default:
      return anything;
  }
}

describe('every operation finds what Ajv finds, at the same places', () => {
  it.each(judges)('$name', (judge) => {
    fc.assert(
      fc.property(around(judge.schema as Shape), (input) => expectAgreement(judge, input)),
      { numRuns: 150 },
    );
    fc.assert(
      fc.property(anything, (input) => expectAgreement(judge, input)),
      { numRuns: 30 },
    );
    for (const input of [{}, null, [], '', 0, true, JSON.parse('{"__proto__":{"x":1}}')]) expectAgreement(judge, input);
  });

  it.each(surface.entries)('$name accepts its own example', async ({ module, name, example, inputSchema }) => {
    const { input: zod, prepare } = await definitionOf(module, name);
    const given = JSON.parse(JSON.stringify(example.input).replaceAll(/\$prev[^"]*/g, 'x'));
    const input = prepare?.(given) ?? given;
    const judge = { zod, schema: inputSchema };
    expect([ours(judge, input), theirs(judge, input)]).toEqual([[], []]);
  });
});

const every = judgeOf(
  z.strictObject({
    text: z
      .string()
      .min(2)
      .max(4)
      .regex(/^[a-z/]+$/),
    word: z.enum(['one', 'two']),
    whole: z.int().min(1).max(10),
    number: z.number().min(-1.5).max(1.5),
    yes: z.boolean(),
    tags: z.array(z.string().min(1)).min(1).max(3),
    time: z.iso.datetime({ offset: true }).optional(),
    facts: z.record(z.string(), z.unknown()).optional(),
    counts: z.record(z.string(), z.int().min(0)).optional(),
    inner: z
      .strictObject({ list: z.array(z.strictObject({ id: z.string(), n: z.int().max(3).optional() })) })
      .optional(),
    'a/b~c': z.string().optional(),
    limit: z.int().min(1).default(5),
  }),
);

const good = { text: 'ab', word: 'one', whole: 1, number: 0, yes: true, tags: ['x'] };

describe('a schema with everything in it', () => {
  it.each([
    good,
    { ...good, text: '' },
    { ...good, text: 'ABCDE' },
    { ...good, text: 5, word: 5, whole: '5', number: '0', yes: 'true', tags: 'x' },
    { ...good, text: [], whole: [], tags: {}, time: 0, facts: [], counts: 'c', inner: [] },
    { ...good, text: ['a', 'b', 'c', 'd', 'e'], tags: 'a text as long as no list may be' },
    { ...good, text: null, word: null, whole: null, number: null, yes: null, tags: null, time: null, facts: null },
    { ...good, whole: 0.5, number: -1.6 },
    { ...good, whole: 10.5, number: 2 },
    { ...good, whole: 1.5 },
    { ...good, tags: [] },
    { ...good, tags: ['', 1, null] },
    { ...good, tags: ['a', 'b', 'c', 'd'] },
    { ...good, text: '🎉🎉🎉🎉' },
    { ...good, time: 'yesterday' },
    { ...good, time: '2026-02-30T00:00:00Z' },
    { ...good, time: '2026-02-03T04:05:06.789+01:00' },
    { ...good, counts: { a: 1, b: -1, c: 0.5, 'd/e': 'x', '': null } },
    { ...good, inner: { list: [{ id: 1 }, {}, { id: 'x', n: 4 }, 5, { id: 'x', extra: 1 }], more: 1 } },
    { ...good, 'a/b~c': 5, limit: 0, unknown: 1, toString: 1 },
    { limit: null },
    {},
    [],
    null,
    'text',
  ])('agrees on %j', (input) => {
    expectAgreement(every, JSON.parse(JSON.stringify(input)));
  });

  it('agrees on whatever is made for it', () => {
    fc.assert(
      fc.property(around(every.schema as Shape), (input) => expectAgreement(every, input)),
      { numRuns: 500 },
    );
  });

  it('says a missing field at its parent, in the words of Ajv', () => {
    expect(ours(every, { ...good, text: undefined })).toEqual([
      {
        instancePath: '',
        keyword: 'required',
        message: "must have required property 'text'",
        params: { missingProperty: 'text' },
      },
    ]);
  });

  it('uses the very messages of Ajv', () => {
    const input = { ...good, text: 'A', word: 'x', whole: 11, yes: 1, tags: [], extra: 1 };
    const validate = ajv.compile(every.schema);
    validate(input);
    const messages = (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
    expect(
      ours(every, input)
        .map(({ instancePath, message }) => `${instancePath} ${message}`)
        .sort(),
    ).toEqual(messages.sort());
  });

  it('names a format as the schema does, beside its pattern', () => {
    const [format, pattern] = ours(every, { ...good, time: 'x' });
    expect([format?.keyword, format?.params]).toEqual(['format', { format: 'date-time' }]);
    expect(pattern?.keyword).toBe('pattern');
  });
});

describe('the three differences', () => {
  it('an integer that a double cannot hold is refused', () => {
    const free = judgeOf(z.strictObject({ n: z.int() }));
    expect(theirs(free, { n: 2 ** 60 })).toEqual([]);
    expect(ours(free, { n: 2 ** 60 })).toMatchObject([
      { instancePath: '/n', keyword: 'maximum', params: { limit: 2 ** 53 - 1 } },
    ]);
    expect(ours(every, { ...good, whole: 2 ** 60 })).toMatchObject([{ keyword: 'maximum', params: { limit: 10 } }]);
  });

  it('the items of a list that is too long are not looked at', () => {
    const input = { ...good, tags: [1, 2, 3, 4] };
    expect(ours(every, input).map(({ keyword }) => keyword)).toEqual(['maxItems']);
    expect(theirs(every, input)).toHaveLength(5);
  });

  it('a field called __proto__ of a record is left out', () => {
    const counts = judgeOf(z.record(z.string(), z.int()));
    const input = JSON.parse('{"__proto__":"x","a":1}');
    expect(theirs(counts, input)).toMatchObject([{ instancePath: '/__proto__', keyword: 'type' }]);
    expect(ours(counts, input)).toEqual([]);
    expect(Object.keys(counts.zod.parse(input) as object)).toEqual(['a']);
  });
});
