import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bodyHash, canonicalBody, derive, scopeOf, tierOf } from './derive.ts';
import { isId, repairedId } from './entry.ts';

const options = { now: '2026-01-01T00:00:00.000Z', canonical: true, owner: 'unowned', status: 'approved' as const };

describe('the canonical form of a body', () => {
  it('has LF line ends, no blanks at the end of lines and no outer blank lines', () => {
    expect(canonicalBody('\r\n\n  indented  \r\n\tx\t\n\n\nlast \n \n')).toBe('  indented\n\tx\n\n\nlast');
  });

  it('is itself canonical, whatever it was made from', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(canonicalBody(canonicalBody(text))).toBe(canonicalBody(text));
      }),
    );
  });

  it('takes a time that grows with the text, not with its square', () => {
    const before = process.cpuUsage();
    canonicalBody(`${' '.repeat(900_000)}x${'\n'.repeat(90_000)}y`);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(1000);
  });
});

describe('deriving', () => {
  it('follows the table of tiers, review intervals and risk', () => {
    const cases = [
      [1, 'optional', 'P1', 30, 104],
      [20, 'recommended', 'P1', 30, 100],
      [21, 'recommended', 'P2', 60, 99],
      [41, 'optional', 'P3', 90, 64],
      [71, 'deprecated', 'P4', 120, -1],
      [100, 'mandatory', 'P1', 30, 50],
      [100, 'critical', 'P1', 30, 60],
    ] as const;
    for (const [priority, requirement, tier, days, risk] of cases) {
      const entry = derive({ id: 'a', body: 'b', priority, requirement }, options);
      expect([tierOf(priority, requirement), entry.priorityTier, entry.reviewIntervalDays, entry.riskScore]).toEqual([
        tier,
        tier,
        days,
        risk,
      ]);
      expect(Date.parse(entry.nextReviewDue) - Date.parse(entry.lastReviewedAt)).toBe(days * 86_400_000);
    }
  });

  it('moves legacy scopes to fields and keeps the topics', () => {
    expect(scopeOf(['B', 'a', ' b ', 'scope:workspace:web', 'scope:user:ann', 'scope:team:y', 'scope:team:x'])).toEqual(
      {
        categories: ['a', 'b'],
        workspaceId: 'web',
        userId: 'ann',
        teamIds: ['x', 'y'],
      },
    );
  });

  it('derives an entry from itself unchanged', () => {
    const entry = derive({ id: 'a', body: 'Hello. ', categories: ['Z', 'a'] }, options);
    expect(derive(entry, { ...options, now: '2030-01-01T00:00:00.000Z' })).toEqual(entry);
    expect(entry.sourceHash).toBe(bodyHash('Hello.'));
  });
});

describe('a repaired id', () => {
  it('is an id, whatever it was made from, and leaves an id alone', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(isId(repairedId(text))).toBe(true);
      }),
    );
    for (const id of ['a', 'a-b.c_d', '0x']) expect(repairedId(id)).toBe(id);
    expect(repairedId('Naïve Ünïcode')).toBe('naive-unicode');
  });
});
