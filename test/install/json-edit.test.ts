/** One thing changes in a JSON text, every other byte stays. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  appendItem,
  type JsonText,
  removeItem,
  removeProperty,
  setProperty,
  valueAt,
} from '../../src/doors/cli/install/json-edit.ts';
import { parseJsonc, plainValue } from '../../src/doors/cli/install/jsonc.ts';

const json = (text: string): JsonText => ({ text, file: 'settings.json' });
const server = { command: 'node', args: ['cairn.js', 'serve'] };

describe('reading JSON with comments', () => {
  it('reads comments, trailing commas and a byte order mark', () => {
    const text = '\uFEFF// top\n{ "a": [1, 2,], /* b */ "b": { "c": "x\\"//y", }, } // end';
    expect(plainValue(parseJsonc(text, 'f'))).toEqual({ a: [1, 2], b: { c: 'x"//y' } });
  });

  it.each([
    ['{ "a": 1 "b": 2 }', 1, 'comma'],
    ['{\n  "a": \n}', 3, 'out of place'],
    ['{\n\n  a: 1 }', 3, 'double quotes'],
    ['{ "a": tru }', 1, 'no JSON value'],
    ['{ "a": "x\n" }', 1, 'not closed'],
    ['{ /* a', 1, 'comment is not closed'],
    ['{} {}', 1, 'more after the end'],
    ['', 1, 'ends early'],
  ])('names the line of what is wrong in %j', (text, line, why) => {
    expect(() => parseJsonc(text, 'settings.json')).toThrow(`settings.json, line ${line}`);
    expect(() => parseJsonc(text, 'settings.json')).toThrow(why);
  });

  it('gives up on a file that is nested without end', () => {
    expect(() => parseJsonc('['.repeat(100_000), 'f')).toThrow('levels deep');
  });
});

describe('changing JSON with comments', () => {
  it('adds a property after the last one, in the style of the file', () => {
    const text = '{\r\n\t// mine\r\n\t"a": 1, // why\r\n\t"b": 2 // and why\r\n}\r\n';
    expect(setProperty(json(text), ['c'], { d: [1] })).toBe(
      '{\r\n\t// mine\r\n\t"a": 1, // why\r\n\t"b": 2, // and why\r\n\t"c": {\r\n\t\t"d": [\r\n\t\t\t1\r\n\t\t]\r\n\t}\r\n}\r\n',
    );
  });

  it('keeps a trailing comma where the file has them', () => {
    expect(setProperty(json('{\n  "a": 1,\n}'), ['b'], 2)).toBe('{\n  "a": 1,\n  "b": 2,\n}');
  });

  it('stays on the line where the file does', () => {
    expect(setProperty(json('{"a":{"x":1}}'), ['a', 'y'], server)).toBe(
      `{"a":{"x":1, "y": ${JSON.stringify(server)}}}`,
    );
  });

  it('replaces only the value', () => {
    expect(setProperty(json('{ /*1*/ "a" /*2*/ : /*3*/ 1 /*4*/ , }'), ['a'], 2)).toBe(
      '{ /*1*/ "a" /*2*/ : /*3*/ 2 /*4*/ , }',
    );
  });

  it('puts the first property after the comments of an empty object', () => {
    expect(setProperty(json('{\n  // nothing yet\n}\n'), ['a'], 1)).toBe('{\n  // nothing yet\n  "a": 1\n}\n');
  });

  it('does not let a line comment swallow what follows a removal', () => {
    const text = '{ "a": 1, // note\n  "b": 2 }';
    expect(removeProperty(json(text), ['b'])).toBe('{ "a": 1 // note\n }');
    expect(valueAt(json(removeProperty(json(text), ['a'])), [])).toEqual({ b: 2 });
  });

  it('removes a property from the middle and the beginning', () => {
    expect(removeProperty(json('{ "a": 1, "b": 2, "c": 3 }'), ['b'])).toBe('{ "a": 1, "c": 3 }');
    expect(removeProperty(json('{\n  "a": 1, // x\n  "b": 2\n}'), ['a'])).toBe('{ // x\n  "b": 2\n}');
  });

  it('says which value bars the way', () => {
    expect(() => setProperty(json('{\n  "mcpServers": []\n}'), ['mcpServers', 'cairn'], 1)).toThrow(
      'line 2: mcpServers is not an object',
    );
    expect(() => setProperty(json('[]'), ['a'], 1)).toThrow('the file is not an object');
  });
});

/** A JSON value in the many ways people write one: spacing, comments, trailing commas. Empty containers are `{}` and `[]`. */
function texts(): fc.Arbitrary<string> {
  const gap = fc.constantFrom('', ' ', '\n', '\n  ', '\t', '\r\n\t', ' /* c */ ', ' // "{[,\n ', '\n\n    ');
  const scalar = fc
    .oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.string())
    .map((value) => JSON.stringify(value));
  const key = fc.string({ maxLength: 4 }).map((text) => JSON.stringify(`k${text}`));
  const { value } = fc.letrec<{ value: string; object: string; array: string }>((tie) => ({
    value: fc.oneof({ maxDepth: 3 }, scalar, tie('object'), tie('array')),
    object: container(
      '{',
      '}',
      fc.tuple(key, gap, gap, tie('value')).map(([name, a, b, text]) => `${name}${a}:${b}${text}`),
    ),
    array: container('[', ']', tie('value')),
  }));
  function container(open: string, close: string, element: fc.Arbitrary<string>): fc.Arbitrary<string> {
    const elements = fc.array(fc.tuple(gap, element, gap), { maxLength: 4 });
    return fc.tuple(elements, fc.constantFrom('', ','), gap).map(([parts, trailing, end]) => {
      if (parts.length === 0) return open + close;
      return open + parts.map((part) => part.join('')).join(',') + trailing + end + close;
    });
  }
  const root = container(
    '{',
    '}',
    fc.tuple(key, gap, gap, value).map(([name, a, b, text]) => `${name}${a}:${b}${text}`),
  );
  return fc.tuple(fc.constantFrom('', '\uFEFF'), gap, root, gap).map((parts) => parts.join(''));
}

describe('putting in and taking out', () => {
  it('gives the same bytes again, whatever the file looks like', () => {
    fc.assert(
      fc.property(texts(), (text) => {
        const before = valueAt(json(text), []) as Record<string, unknown>;
        const put = setProperty(json(text), ['cairn'], server);
        expect(valueAt(json(put), [])).toEqual({ ...before, cairn: server });
        expect(removeProperty(json(put), ['cairn'])).toBe(text);
      }),
      { numRuns: 400 },
    );
  });

  it('does so for items of an array and for objects that were made on the way', () => {
    fc.assert(
      fc.property(texts(), (text) => {
        const first = setProperty(json(text), ['hooks', 'Stop'], [1]);
        const second = appendItem(json(first), ['hooks', 'Stop'], server);
        expect(valueAt(json(second), ['hooks', 'Stop'])).toEqual([1, server]);
        expect(removeItem(json(second), ['hooks', 'Stop'], 1)).toBe(first);
        expect(removeProperty(json(first), ['hooks'])).toBe(text);
      }),
      { numRuns: 200 },
    );
  });

  it('removes any property without harm to the others', () => {
    fc.assert(
      fc.property(texts(), fc.nat(), (text, pick) => {
        const before = valueAt(json(text), []) as Record<string, unknown>;
        const keys = Object.keys(before);
        const key = keys[pick % Math.max(1, keys.length)];
        fc.pre(key !== undefined && text.split(JSON.stringify(key)).length === 2);
        const { [key ?? '']: _, ...rest } = before;
        expect(valueAt(json(removeProperty(json(text), [key ?? ''])), [])).toEqual(rest);
      }),
      { numRuns: 200 },
    );
  });
});
