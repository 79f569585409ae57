import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isScopeToken, repairedCategory } from './category.ts';

describe('the spelling of a category', () => {
  it.each([
    ['build system', 'build-system'],
    ['CI/CD', 'ci-cd'],
    ['  Érror  handling! ', 'error-handling'],
    ['lang:ts_node', 'lang:ts_node'],
    ['#1 priority', '1-priority'],
    ['日本', undefined],
    ['', undefined],
  ])('%j becomes %j', (raw, spelled) => {
    expect(repairedCategory(raw)).toBe(spelled);
  });

  it('is always allowed, and stays as it is when it was', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), (raw) => {
        const spelled = repairedCategory(raw);
        if (spelled === undefined) return;
        expect(spelled).toMatch(/^[a-z0-9][a-z0-9:_-]{0,48}$/);
        expect(repairedCategory(spelled)).toBe(spelled);
      }),
    );
  });

  it('tells scopes from topics', () => {
    const scopes = ['scope:workspace:a', ' Scope:User:b', 'scope:team:c', 'scope:', 'scope:team:', 'scope:project:x'];
    expect(scopes.filter(isScopeToken)).toEqual(scopes.slice(0, 3));
  });
});
