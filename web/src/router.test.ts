import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linkTo, parseRoute } from './router.ts';

describe('the address of a page', () => {
  it('says where one is and what is asked', () => {
    const { path, query } = parseRoute('#/instructions/a%2Fb?tab=history');
    expect([path, query.get('tab')]).toEqual([['instructions', 'a/b'], 'history']);
    expect(parseRoute('').path).toEqual([]);
    expect(parseRoute('#/%E0%A4%A').path).toEqual(['%E0%A4%A']);
  });

  it('leaves out what is not asked', () => {
    expect(linkTo(['search'], { q: 'a b', kind: '', all: false, show: 2 })).toBe('#/search?q=a+b&show=2');
  });

  it('leads back to whatever a name is made of', () => {
    const words = fc.array(fc.string({ minLength: 1, unit: 'grapheme' }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(words, fc.string({ minLength: 1, unit: 'grapheme' }), (names, q) => {
        const { path, query } = parseRoute(linkTo(names, { q }));
        expect([path, query.get('q')]).toEqual([names, q]);
      }),
    );
  });
});
