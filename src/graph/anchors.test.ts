import { describe, expect, it } from 'vitest';
import { anchorFault, anchorOf, namedBy, normalAnchors, refOf } from './anchors.ts';

describe('references', () => {
  it.each([
    ['src/a.ts', { path: 'src/a.ts' }],
    ['./src/a.ts#Store.open()', { path: 'src/a.ts', symbol: 'Store.open' }],
    ['handbook:guide/x.md', { collection: 'handbook', path: 'guide/x.md' }],
    ['code:src/a.ts#open', { collection: 'code', path: 'src/a.ts', symbol: 'open' }],
  ])('reads %s', (ref, anchor) => {
    expect(anchorOf(ref)).toEqual(anchor);
    expect(anchorOf(refOf(anchorOf(ref)))).toEqual(anchor);
    expect(anchorFault(ref)).toBeUndefined();
  });

  it.each([
    '/etc/passwd',
    '../x.ts',
    'src/../../x',
    'C:/x.ts',
    'a\\b.ts',
    '~/x',
    '',
    '#open',
    'a//b',
    'a\0b',
    `${'a/'.repeat(700)}b`,
  ])('refuses %j', (ref) => {
    expect(anchorFault(ref)).toBeTypeOf('string');
  });

  it('keeps one spelling of each', () => {
    expect(normalAnchors(['./src/a.ts', 'src/a.ts', 'src/a.ts#b()', 'src/a.ts#b'])).toEqual(['src/a.ts', 'src/a.ts#b']);
  });
});

describe('what an item names', () => {
  it('is what was given and what its texts mention, each once, and not itself', () => {
    expect(
      namedBy('own-id', ['See `src/a.ts`, `own-id` and `other-id`.', undefined], ['src/a.ts', 'src/b.ts#open']),
    ).toEqual([
      { type: 'path', value: 'src/a.ts', given: true },
      { type: 'path', value: 'src/b.ts', symbol: 'open', given: true },
      { type: 'symbol', value: 'open', given: true },
      { type: 'id', value: 'other-id', given: false },
    ]);
  });

  it('leaves out what cannot be an anchor, however it got into a file', () => {
    expect(namedBy('x', [], ['/etc/passwd', '../up.ts'])).toEqual([]);
  });
});
