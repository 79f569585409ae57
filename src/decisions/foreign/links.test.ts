import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mended } from './links.ts';

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'gone');

const decisions = fc.uniqueArray(
  fc.record(
    {
      id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      status: fc.constantFrom('active' as const, 'superseded' as const, 'deprecated' as const),
      supersedes: fc.uniqueArray(name, { maxLength: 3 }),
      supersededBy: name,
    },
    { requiredKeys: ['id', 'status', 'supersedes'] },
  ),
  { selector: ({ id }) => id },
);

describe('chains of imported decisions', () => {
  it('are returned by both ends, lead nowhere else, have no circle, and stay as they are', () => {
    fc.assert(
      fc.property(decisions, (given) => {
        const { decisions: linked } = mended(given);
        const by = new Map<string, (typeof linked)[number]>(linked.map((each) => [each.id, each]));
        for (const { id, status, supersedes, supersededBy } of linked) {
          for (const old of supersedes) expect(by.get(old)?.supersededBy).toBe(id);
          if (supersededBy !== undefined) {
            expect(by.get(supersededBy)?.supersedes).toContain(id);
            expect(status).not.toBe('active');
          }
          const seen = new Set<string>([id]);
          for (let next: string | undefined = supersededBy; next !== undefined; next = by.get(next)?.supersededBy) {
            expect(seen.has(next)).toBe(false);
            seen.add(next);
          }
        }
        expect(mended(linked)).toEqual({ decisions: linked, told: [] });
      }),
    );
  });

  it('tell of every link that was dropped', () => {
    const { told } = mended([
      { id: 'a', status: 'superseded', supersedes: [], supersededBy: 'gone' },
      { id: 'b', status: 'superseded', supersedes: [], supersededBy: 'c' },
      { id: 'c', status: 'active', supersedes: ['b'], supersededBy: 'b' },
      { id: 'd', status: 'active', supersedes: ['b'] },
    ]);
    expect(told.map(({ why }) => why)).toEqual([
      expect.stringContaining('leads to what is not here'),
      expect.stringContaining('closes a circle'),
      expect.stringContaining('b was replaced by c'),
    ]);
  });
});
