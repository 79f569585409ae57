import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refersToPrevious, substitute } from './reference.ts';

const previous = {
  hash: 'abc',
  count: 0,
  empty: '',
  none: null,
  results: [
    { hash: 'first', tags: ['x', 'y'], 'content-type': 'text', $ref: 'kept' },
    { hash: 'second', lines: [[1, 2], [3]] },
  ],
};

describe('the patterns of seed 004', () => {
  it.each([
    ['$prev', previous],
    ['$prev.hash', 'abc'],
    ['$prev.results[1]', previous.results[1]],
    ['$prev.results[0].hash', 'first'],
    ['$prev.results[0].tags[1]', 'y'],
    ['$prev.results[1].lines[1][0]', 3],
    ['$prev.results[0].content-type', 'text'],
    ['$prev.results[0].$ref', 'kept'],
    ['$prev.count', 0],
    ['$prev.empty', ''],
  ])('%s', (reference, value) => {
    expect(substitute(reference, previous)).toEqual(value);
    expect(refersToPrevious(reference)).toBe(true);
  });

  it('are {} in the first step', () => {
    expect(substitute('$prev', {})).toEqual({});
    expect(substitute('$prev.hash', {})).toBeNull();
  });

  it('hold for a result that is a list', () => {
    expect(substitute('$prev[1].id', [{ id: 1 }, { id: 2 }])).toBe(2);
  });
});

describe('what does not resolve is null', () => {
  it.each([
    '$prev.missing',
    '$prev.results[2]',
    '$prev.results[999999999]',
    '$prev.results[0].missing.deeper',
    '$prev.hash.length',
    '$prev.hash[0]',
    '$prev[0]',
    '$prev.none',
    '$prev.none.deeper',
    '$prev.results.hash',
    '$prev.results.length',
    '$prev.results.map',
    '$prev.results[0][0]',
  ])('%s', (reference) => {
    expect(substitute(reference, previous)).toBeNull();
  });

  it.each(['__proto__', 'constructor', 'constructor.prototype', 'toString', 'hasOwnProperty', '__proto__.polluted'])(
    '$prev.%s, because it is no property of the result itself',
    (path) => {
      for (const value of [previous, [], {}, 'text', 5, null, undefined]) {
        expect(substitute(`$prev.${path}`, value)).toBeNull();
      }
    },
  );

  it('an own property of such a name is data', () => {
    expect(substitute('$prev.__proto__', JSON.parse('{"__proto__":7}'))).toBe(7);
  });
});

describe('what is no reference stays as it is', () => {
  it.each([
    'prev.hash',
    ' $prev',
    '$prev ',
    '$prev\n',
    'costs $prev.hash',
    '$previous',
    '$prev.',
    '$prev..hash',
    '$prev[',
    '$prev[]',
    '$prev[-1]',
    '$prev[1.5]',
    '$prev[x]',
    '$prev.1',
    '$prev.a b',
    '$PREV',
    '$',
    '',
  ])('%j', (text) => {
    expect(substitute(text, previous)).toBe(text);
    expect(refersToPrevious(text)).toBe(false);
  });
});

describe('a literal', () => {
  it.each([
    ['$$prev', '$prev'],
    ['$$prev.results[0].hash', '$prev.results[0].hash'],
    ['$$prev and more', '$prev and more'],
    ['$$$prev', '$$prev'],
    ['$$$$prev', '$$$prev'],
  ])('%j is %j', (written, text) => {
    expect(substitute(written, previous)).toBe(text);
    expect(refersToPrevious(written)).toBe(false);
  });

  it('can be written for every text that begins like a reference', () => {
    fc.assert(
      fc.property(fc.nat({ max: 4 }), fc.string(), (more, rest) => {
        const text = `${'$'.repeat(more + 1)}prev${rest}`;
        expect(substitute(`$${text}`, previous)).toBe(text);
      }),
    );
  });
});

describe('at any depth', () => {
  it('references are replaced in objects and lists, and names of fields are not', () => {
    const params = { $prev: '$prev.hash', deep: [{ list: ['$prev.results[0].hash', 5, null, '$$prev'] }] };
    expect(substitute(params, previous)).toEqual({ $prev: 'abc', deep: [{ list: ['first', 5, null, '$prev'] }] });
    expect(refersToPrevious(params)).toBe(true);
    expect(params.deep[0]?.list[0]).toBe('$prev.results[0].hash');
  });

  it('a reference within a result that was put in is not followed again', () => {
    expect(substitute(['$prev.text'], { text: '$prev.secret', secret: 'x' })).toEqual(['$prev.secret']);
  });

  it('a field called __proto__ stays a field', () => {
    const filled = substitute(JSON.parse('{"__proto__":{"role":"$prev.hash"}}'), previous) as Record<string, unknown>;
    expect(Object.keys(filled)).toEqual(['__proto__']);
    expect(filled.role).toBeUndefined();
  });

  it('parameters without references are unchanged', () => {
    const plain = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('prev'));
    fc.assert(
      fc.property(plain, fc.jsonValue(), (params, result) => {
        expect(substitute(params, result)).toEqual(params);
        expect(refersToPrevious(params)).toBe(false);
      }),
    );
  });

  it('every value of a result can be reached by its path', () => {
    const key = fc.stringMatching(/^[A-Za-z_$][\w$-]{0,8}$/);
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.integer(),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(key, tie('tree'), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(tree, (result) => {
        for (const [path, value] of places(result, '$prev')) expect(substitute(path, result)).toEqual(value);
      }),
    );
  });
});

function* places(value: unknown, path: string): Generator<[string, unknown]> {
  yield [path, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    yield* places(item, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`);
  }
}
