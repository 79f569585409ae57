import { describe, expect, it } from 'vitest';
import { progressLine } from './progress.ts';
import { widthOf } from './terminal.ts';

const atOnce = { milliseconds: 0, done: 0 };

describe('the progress bar', () => {
  it('shows share, speed and what is left where the total is known', () => {
    const line = progressLine({ done: 250, total: 1000, message: 'docs/a.md' }, { milliseconds: 5000, done: 250 }, 100);
    expect(line).toBe('[██████░░░░░░░░░░░░░░░░░░] 25 % 250/1,000, 50/s, 15 s left docs/a.md');
  });

  it('counts bytes as sizes', () => {
    const progress = { done: 3_000_000, unit: 'bytes', message: 'bytes from example.com' } as const;
    expect(progressLine(progress, { milliseconds: 2000, done: 3_000_000 }, 100)).toBe(
      '3.0 MB, 1.5 MB/s bytes from example.com',
    );
  });

  it('says no speed before there is one', () => {
    expect(progressLine({ done: 5, message: 'a' }, { milliseconds: 10, done: 5 }, 80)).toBe('5 a');
  });

  it('cuts a long name to one line, keeps its end, and obeys nothing in it', () => {
    const message = `${'folder/'.repeat(40)}last\x1b[2J\n.md`;
    const line = progressLine({ done: 1, total: 2, message }, atOnce, 60);
    expect(widthOf(line)).toBeLessThanOrEqual(60);
    expect(line.endsWith('last\\x1b[2J\\n.md')).toBe(true);
    expect(line).not.toMatch(/\p{Cc}/u);
  });

  it('fits a terminal that is narrower than the bar', () => {
    expect(widthOf(progressLine({ done: 1, total: 2, message: 'x' }, atOnce, 10))).toBeLessThanOrEqual(10);
  });
});
