import { describe, expect, it } from 'vitest';
import { counted, numberText, sizeText, spanText, timeText } from './figures.ts';

describe('figures for people', () => {
  it('writes sizes with the unit that keeps them short', () => {
    expect([0, 999, 1000, 1536, 999_949, 999_950, 20_000_000, 3.2e12].map(sizeText)).toEqual([
      '0 B',
      '999 B',
      '1.0 kB',
      '1.5 kB',
      '999.9 kB',
      '1.0 MB',
      '20.0 MB',
      '3.2 TB',
    ]);
  });

  it('groups digits, and counts one thing as one', () => {
    expect([numberText(999), numberText(1000), numberText(1234567)]).toEqual(['999', '1,000', '1,234,567']);
    expect([counted(1, 'file'), counted(0, 'file'), counted(2, 'entry', 'entries')]).toEqual([
      '1 file',
      '0 files',
      '2 entries',
    ]);
  });

  it('writes times and spans; what is no time stays as it is', () => {
    expect(timeText(new Date(2025, 0, 2, 3, 4).toISOString())).toBe('2025-01-02 03:04');
    expect(timeText('soon')).toBe('soon');
    expect([spanText(0.2), spanText(59), spanText(61), spanText(3720)]).toEqual([
      '1 s',
      '59 s',
      '1 min 1 s',
      '1 h 2 min',
    ]);
  });
});
