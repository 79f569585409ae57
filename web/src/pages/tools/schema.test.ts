import { describe, expect, it } from 'vitest';
import { argumentsOf, fieldKind, typedOf } from './schema.ts';

const schema = {
  properties: {
    text: { type: 'string' },
    count: { type: 'integer' },
    on: { type: 'boolean' },
    list: { type: 'array', items: { type: 'string' } },
  },
};

describe('a form for a tool', () => {
  it('has a field for each kind of argument', () => {
    expect(Object.values(schema.properties).map(fieldKind)).toEqual(['line', 'line', 'tick', 'json']);
    expect(fieldKind({ type: 'string', enum: ['a'] })).toBe('choice');
  });

  it('turns what was typed into arguments, and leaves out what was not', () => {
    expect(argumentsOf(schema, { text: '5', count: '5', on: 'false', list: '["a"]', more: 'x' })).toEqual({
      text: '5',
      count: 5,
      on: false,
      list: ['a'],
    });
    expect(argumentsOf(schema, { text: '', count: '' })).toEqual({});
    expect(() => argumentsOf(schema, { list: 'a, b' })).toThrow('list is not JSON');
  });

  it('gives back an example that was filled in', () => {
    const example = { text: 'a', count: 2, list: ['b'] };
    expect(argumentsOf(schema, typedOf(example))).toEqual(example);
  });
});
