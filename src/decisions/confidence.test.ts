import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { confidenceNow, type Evidence } from './confidence.ts';

const DAY_MS = 86_400_000;
const MADE = '2026-01-01T00:00:00.000Z';
const dayOf = (days: number) => new Date(Date.parse(MADE) + days * DAY_MS).toISOString();
const upheld = (days: number): Evidence => ({ success: true, created: dayOf(days) });
const failed = (days: number): Evidence => ({ success: false, created: dayOf(days) });

const days = fc.integer({ min: -400, max: 4000 });
const base = fc.double({ min: 0, max: 1, noNaN: true });
const evidence = fc.array(fc.record({ success: fc.boolean(), created: days.map(dayOf) }), { maxLength: 12 });
const holds = (check: (base: number, evidence: Evidence[], days: number, more: number) => void) =>
  fc.assert(fc.property(base, evidence, days, fc.nat(4000), check), { numRuns: 500 });

describe('the confidence that is left', () => {
  it('halves in half a year, and never goes below a tenth', () => {
    expect(confidenceNow(1, MADE, [], MADE)).toBe(1);
    expect(confidenceNow(0.8, MADE, [], dayOf(180))).toBe(0.4);
    expect(confidenceNow(1, MADE, [], dayOf(100_000))).toBe(0.1);
    expect(confidenceNow(0.05, MADE, [], dayOf(100_000))).toBe(0.05);
    expect(confidenceNow(0, MADE, [], MADE)).toBe(0);
  });

  it('is the same when it is asked again, and changes nothing it is given', () => {
    holds((given, events, on) => {
      const frozen = Object.freeze(events.map((event) => Object.freeze(event)));
      expect(confidenceNow(given, MADE, frozen, dayOf(on))).toBe(confidenceNow(given, MADE, events, dayOf(on)));
    });
  });

  it('is never above what its maker had', () => {
    holds((given, events, on) => {
      const value = confidenceNow(given, MADE, events, dayOf(on));
      expect(value).toBeLessThanOrEqual(given);
      expect(value).toBeGreaterThanOrEqual(Math.min(given, 0.1));
    });
  });

  it('never rises as time passes', () => {
    holds((given, events, on, more) => {
      const [now, later] = [dayOf(on), dayOf(on + more)];
      expect(confidenceNow(given, MADE, events, later)).toBeLessThanOrEqual(confidenceNow(given, MADE, events, now));
    });
  });

  it('does not depend on the order of the evidence', () => {
    holds((given, events, on) => {
      const [now, reversed] = [dayOf(on), [...events].reverse()];
      expect(confidenceNow(given, MADE, reversed, now)).toBe(confidenceNow(given, MADE, events, now));
    });
  });

  it('is never lowered by what bears it out, never raised by what failed', () => {
    holds((given, events, on, more) => {
      const now = dayOf(on);
      const before = confidenceNow(given, MADE, events, now);
      expect(confidenceNow(given, MADE, [...events, upheld(more)], now)).toBeGreaterThanOrEqual(before);
      expect(confidenceNow(given, MADE, [...events, failed(more)], now)).toBeLessThanOrEqual(before);
    });
  });

  it('lasts longer the more bears it out', () => {
    const left = [0, 1, 3, 4].map((count) => confidenceNow(1, MADE, Array(count).fill(upheld(0)), dayOf(360)));
    expect(left).toEqual([0.25, 0.5, 0.841, 0.917]);
    expect(confidenceNow(1, MADE, [upheld(300)], dayOf(360))).toBeGreaterThan(left[1] ?? 1);
  });

  it('is doubted for each failure', () => {
    const left = [0, 1, 2, 8].map((count) => confidenceNow(1, MADE, Array(count).fill(failed(0)), MADE));
    expect(left).toEqual([1, 0.5, 0.333, 0.111]);
    expect(confidenceNow(1, MADE, [failed(0), upheld(0), upheld(0)], MADE)).toBe(0.75);
  });

  it('takes a clock that is behind for no time at all', () => {
    expect(confidenceNow(0.9, MADE, [upheld(5)], dayOf(-5))).toBe(0.9);
  });
});
