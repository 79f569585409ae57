import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CairnError } from '../../errors.ts';
import { type SurfaceEntry, surface } from '../../operations/surface.ts';
import { parseArguments } from './arguments.ts';
import { flagFor, flagsOf, inputFrom, jsonOf } from './input.ts';

const entry: SurfaceEntry = {
  ...surface.resolve('health_check'),
  name: 'thing_add',
  positional: ['id', 'count', 'tags'],
  inputSchema: {
    type: 'object',
    properties: {
      id: { type: 'string' },
      count: { type: 'integer' },
      ratio: { type: 'number' },
      dryRun: { type: 'boolean' },
      tags: { type: 'array', items: { type: 'string' } },
      sizes: { type: 'array', items: { type: 'integer' } },
      steps: { type: 'array', items: { type: 'object' } },
      loose: { type: 'array' },
      context: { type: 'object' },
      output_path: { type: 'string', enum: ['a', 'b'] },
      any: {},
    },
  },
};

function typed(...argv: string[]): Record<string, unknown> {
  const { words, flags } = parseArguments(argv, flagsOf(entry));
  return inputFrom(entry, words, flags);
}

function complaint(...argv: string[]): CairnError {
  try {
    typed(...argv);
  } catch (thrown) {
    if (thrown instanceof CairnError) return thrown;
  }
  throw new Error(`${argv.join(' ')} was accepted`);
}

describe('the name of a flag', () => {
  it.each([
    ['outputPath', 'output-path'],
    ['include_content', 'include-content'],
    ['id', 'id'],
    ['sha256Hash', 'sha256-hash'],
  ])('for %s is --%s', (property, flag) => {
    expect(flagFor(property)).toBe(flag);
  });

  it('is another for every parameter of every operation', () => {
    for (const operation of surface.entries) {
      const properties = Object.keys((operation.inputSchema.properties ?? {}) as object);
      expect([operation.name, flagsOf(operation).size]).toEqual([operation.name, properties.length]);
    }
  });
});

describe('a value takes the type of its parameter', () => {
  it.each([
    [['--id', '5'], { id: '5' }],
    [['--id', 'true'], { id: 'true' }],
    [['--id', '{"a":1}'], { id: '{"a":1}' }],
    [['--count', '5'], { count: 5 }],
    [['--count', '-5'], { count: -5 }],
    [['--count', '1.5'], { count: 1.5 }],
    [['--count', 'five'], { count: 'five' }],
    [['--count', '5 '], { count: '5 ' }],
    [['--count', '0x10'], { count: '0x10' }],
    [['--count='], { count: '' }],
    [['--ratio', '0.25'], { ratio: 0.25 }],
    [['--dry-run'], { dryRun: true }],
    [['--no-dry-run'], { dryRun: false }],
    [['--dry-run=false'], { dryRun: false }],
    [['--dry-run=maybe'], { dryRun: 'maybe' }],
    [['--output-path', 'c'], { output_path: 'c' }],
    [['--context', '{"a":[1]}'], { context: { a: [1] } }],
    [['--any', '7'], { any: 7 }],
    [['--any', '"text"'], { any: 'text' }],
  ])('%j gives %j: what does not fit is left for the schema to name', (argv, input) => {
    expect(typed(...argv)).toEqual(input);
  });
});

describe('a list', () => {
  it.each([
    [['--tags', 'a', '--tags', 'b'], { tags: ['a', 'b'] }],
    [['--tags', 'a,b'], { tags: ['a', 'b'] }],
    [['--tags', 'a, b ,c'], { tags: ['a', 'b', 'c'] }],
    [['--tags', 'a,b', '--tags', 'c'], { tags: ['a', 'b', 'c'] }],
    [['--tags', '["a,b","c"]'], { tags: ['a,b', 'c'] }],
    [['--tags', '[]'], { tags: [] }],
    [['--sizes', '1,2', '--sizes', '3'], { sizes: [1, 2, 3] }],
    [['--sizes', '1,x'], { sizes: [1, 'x'] }],
    [['--steps', '{"op":"a","n":1}', '--steps', '{"op":"b"}'], { steps: [{ op: 'a', n: 1 }, { op: 'b' }] }],
    [['--steps', ' [{"op":"a"}]'], { steps: [{ op: 'a' }] }],
    [['--loose', '1,"a"'], { loose: [1, 'a'] }],
  ])('%j gives %j', (argv, input) => {
    expect(typed(...argv)).toEqual(input);
  });

  it('of any texts can be written as JSON', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (tags) => {
        expect(typed('--tags', JSON.stringify(tags))).toEqual({ tags });
      }),
    );
  });
});

describe('words', () => {
  it('fill the parameters that take no flag, in order and with their types', () => {
    expect(typed('x', '5', 'a,b')).toEqual({ id: 'x', count: 5, tags: ['a', 'b'] });
    expect(typed('x')).toEqual({ id: 'x' });
    expect(typed()).toEqual({});
  });

  it('pass over a parameter that a flag has filled', () => {
    expect(typed('--id', 'flag', '7')).toEqual({ id: 'flag', count: 7 });
  });

  it('may be anything after --', () => {
    expect(typed('--', '--id')).toEqual({ id: '--id' });
  });

  it('one too many is named', () => {
    expect(complaint('a', '1', 't', 'extra', 'more').message).toBe('"extra" is one word too many for thing_add');
    expect(complaint('--id', 'x', '1', 't', 'extra').message).toContain('"extra" is one word too many');
  });
});

describe('JSON', () => {
  it.each([
    [['--context', '{a:1}'], 'context'],
    [['--context', ''], 'context'],
    [['--tags', '[a'], 'tags'],
    [['--steps', 'op'], 'steps'],
  ])('%j that is none is refused by the name of its flag, with a hint for the shell', (argv, flag) => {
    const error = complaint(...argv);
    expect(error.message).toMatch(new RegExp(`^${flag} is not JSON: `));
    expect([error.kind, error.suggestion]).toEqual([
      'invalid_params',
      expect.stringContaining('Quote it for the shell'),
    ]);
  });

  it('is read as it is written', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(jsonOf(JSON.stringify(value), 'x')).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
