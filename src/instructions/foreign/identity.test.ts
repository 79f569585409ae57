import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isId } from '../entry.ts';
import type { Draft } from './catalog.ts';
import { withSettledIds } from './identity.ts';

const draft = (id: string, more: Partial<Draft['facts']> = {}): Draft => ({
  path: 'f.json',
  from: 'f.json',
  facts: { ...more, id, body: 'b' },
  changes: [],
});
const idsOf = (drafts: readonly Draft[]) => drafts.map(({ facts }) => facts.id);

describe('the ids of what was read', () => {
  it('are repaired, numbered where they collide, and each change is told', () => {
    const settled = withSettledIds([draft('My Id'), draft('my-id'), draft('my-id'), draft('MY ID')]);
    expect(idsOf(settled)).toEqual(['my-id-2', 'my-id', 'my-id-3', 'my-id-4']);
    expect(settled.map(({ changes }) => changes.map(({ field, from }) => [field, from]))).toEqual([
      [['id', 'My Id']],
      [],
      [['id', 'my-id']],
      [['id', 'MY ID']],
    ]);
  });

  it('take the references between the entries along', () => {
    const settled = withSettledIds([
      draft('Old One'),
      draft('new', { supersedes: 'Old One', dependencies: ['Old One', 'else', 'Not Here'], deprecatedBy: 'new' }),
    ]);
    expect(settled[1]?.facts).toMatchObject({
      supersedes: 'old-one',
      dependencies: ['old-one', 'else', 'not-here'],
      deprecatedBy: 'new',
    });
    expect(settled[1]?.changes).toHaveLength(3);
    const numbered = withSettledIds([
      draft('a-b'),
      draft('A B'),
      draft('c', { supersedes: 'A B', deprecatedBy: 'a-b' }),
    ]);
    expect(numbered[2]?.facts).toMatchObject({ supersedes: 'a-b-2', deprecatedBy: 'a-b' });
  });

  it('are always allowed and each there once, and one that was in order is kept', () => {
    const name = fc.oneof(
      fc.constantFrom('a', 'A', 'a-2', 'a-2-2', 'gates', '', '..', `${'x'.repeat(119)}Y`, 'x'.repeat(120)),
      fc.string({ maxLength: 130 }),
    );
    fc.assert(
      fc.property(fc.array(name, { maxLength: 12 }), (names) => {
        const ids = idsOf(withSettledIds(names.map((id) => draft(id))));
        expect(ids.every(isId)).toBe(true);
        expect(new Set(ids).size).toBe(names.length);
        names.forEach((id, index) => {
          if (isId(id) && names.indexOf(id) === index) expect(ids[index]).toBe(id);
        });
      }),
    );
  });
});
