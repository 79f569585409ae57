import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isId } from '../record.ts';
import { readLedgermind, repaired, timeOf } from './ledgermind.ts';

const found = '2026-01-01T00:00:00.000Z';
const read = (text: string) => readLedgermind({ path: 'semantic/x.md', text }, found);

describe('a decision of LedgerMind', () => {
  it('has its facts in the front matter, or below context there', () => {
    const facts = 'title: T\ntarget: t\nstatus: deprecated\nrationale: Long enough to be one.\n';
    const flat = read(`---\n${facts}---\n`);
    const nested = read(`---\nkind: decision\ncontext:\n${facts.replace(/^(?=.)/gm, '  ')}---\n`);
    expect(flat).toEqual(nested);
    expect(flat).toMatchObject({ draft: { id: 'x', was: 'x', title: 'T', status: 'deprecated', created: found } });
  });

  it.each([
    ['draft', 'proposed'],
    ['falsified', 'rejected'],
    ['accepted', 'accepted'],
    ['odd', 'deprecated'],
  ])('is a proposal whose status %s is %s', (status, ours) => {
    const reading = read(`---\nkind: proposal\ntarget: t\nstatus: ${status}\n---\nThe reason of it all.\n`);
    expect(reading).toMatchObject({ draft: { kind: 'proposal', status: ours } });
    expect('mappings' in reading && reading.mappings.length).toBe(status === ours ? 0 : 1);
  });

  it.each([
    ['2024-01-15T10:30:00.123456', '2024-01-15T10:30:00.123Z'],
    ['2024-01-15 10:30:00', '2024-01-15T10:30:00.000Z'],
    ['2024-01-15T10:30:00+02:00', '2024-01-15T08:30:00.000Z'],
    ['2024-01-15', '2024-01-15T00:00:00.000Z'],
    ['yesterday', undefined],
    [7, undefined],
  ])('has a time %j, which is %s', (raw, time) => {
    expect(timeOf(raw)).toBe(time);
  });

  it('has an id that is allowed, whatever its file was called', () => {
    fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => isId(repaired(text))));
    expect(repaired('decision_2024-01.a')).toBe('decision_2024-01.a');
  });

  it('is read or refused, and never a reason to fail', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), fc.jsonValue(), (text, value) => {
        for (const each of [text, `---\n${text}\n---\n${text}`, `---\ncontext: ${JSON.stringify(value)}\n---\n`])
          expect(Object.keys(read(each)).length).toBeGreaterThan(0);
      }),
    );
  });
});
