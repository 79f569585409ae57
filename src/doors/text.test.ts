import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { render } from './text.ts';

describe('a result as text', () => {
  it.each([
    [
      'fields, one a line',
      { status: 'ok', count: 2, ratio: 0.5, live: true, none: null },
      'status: ok\ncount: 2\nratio: 0.5\nlive: true\nnone: null',
    ],
    ['a field without a value', { a: undefined, b: 1 }, 'b: 1'],
    ['a text of several lines below its name', { body: 'one\ntwo' }, 'body:\none\ntwo'],
    ['an empty list', { tags: [] }, 'tags: none'],
    ['a short list in one line', { tags: ['a', 'b', 3, null] }, 'tags: a, b, 3, null'],
    [
      'a long list in rows',
      { tags: ['x'.repeat(100), 'y'.repeat(100)] },
      `tags:\n- ${'x'.repeat(100)}\n- ${'y'.repeat(100)}`,
    ],
    [
      'records in rows',
      {
        rows: [
          { id: 'a', n: 1 },
          { id: 'b', gone: undefined },
        ],
      },
      'rows:\n- id: a, n: 1\n- id: b',
    ],
    ['what is nested as JSON', { inner: { a: [1, { b: null }] } }, 'inner: {"a":[1,{"b":null}]}'],
    [
      'what is nested in a row as JSON',
      { rows: [{ id: 'a', tags: ['x'] }, [1, 2], 'word'] },
      'rows:\n- id: a, tags: ["x"]\n- [1,2]\n- word',
    ],
    ['an empty text', { a: '' }, 'a: '],
    ['nothing at all', {}, ''],
  ])('%s', (_, result, text) => {
    expect(render(result)).toBe(text);
  });

  it.each([
    ['plain', 'plain'],
    [5, '5'],
    [null, 'null'],
    [undefined, ''],
    [true, 'true'],
    [[1, 'a', { b: 2 }], '[1,"a",{"b":2}]'],
    [[], '[]'],
  ])('that is no object: %j', (result, text) => {
    expect(render(result)).toBe(text);
  });

  const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
  const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

  it('holds every name and value of a flat result, in order', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ minLength: 1 }), fc.oneof(scalar, fc.array(scalar, { minLength: 1 }))),
        (result) => {
          let rest = render(result);
          for (const [key, value] of Object.entries(result)) {
            for (const part of [key, ...(Array.isArray(value) ? value : [value]).map(shown)]) {
              expect(rest).toContain(part);
              rest = rest.slice(rest.indexOf(part) + part.length);
            }
          }
        },
      ),
    );
  });

  it('holds every name and value of a list of flat records', () => {
    const record = fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), scalar, { minKeys: 1 });
    fc.assert(
      fc.property(fc.array(record, { minLength: 1 }), (rows) => {
        const text = render({ rows });
        for (const row of rows)
          for (const [key, value] of Object.entries(row)) expect(text).toContain(`${key}: ${shown(value)}`);
      }),
    );
  });

  it('is the same for the same result, however deep, and for its copy through JSON', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (result) => {
        const text = render(result);
        expect(render(result)).toBe(text);
        expect(render(JSON.parse(JSON.stringify(result)))).toBe(text);
      }),
    );
  });

  it('costs no more than twice its JSON', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (result) => {
        expect(render(result).length).toBeLessThanOrEqual(2 * JSON.stringify(result).length);
      }),
    );
  });
});
