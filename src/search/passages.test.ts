import { describe, expect, it } from 'vitest';
import { passagesOf } from './passages.ts';

const line = 'Every change is reviewed by two people before it is merged.';

describe('the passages of a text', () => {
  it('are one for a short text, with its title', () => {
    expect(passagesOf('Reviews', line)).toEqual([`Reviews. ${line}`]);
  });

  it.each(['', ' \n\n '])('are the title where there is nothing else (%j)', (body) => {
    expect(passagesOf('Reviews', body)).toEqual(['Reviews']);
  });

  it('are all that a long text says, in its order, each short and with the title', () => {
    const lines = Array.from({ length: 100 }, (_, at) => `${at}: ${line}`);
    const passages = passagesOf('Reviews', lines.join('\n'));
    expect(passages.length).toBeGreaterThan(6);
    for (const passage of passages) expect(passage.length).toBeLessThanOrEqual('Reviews. '.length + 900);
    expect(passages.map((passage) => passage.replace('Reviews. ', '')).join('\n')).toBe(lines.join('\n'));
  });

  it('end where a sentence does in a line that is too long', () => {
    const passages = passagesOf('Reviews', Array.from({ length: 60 }, () => line).join(' '));
    expect(passages.length).toBeGreaterThan(3);
    for (const passage of passages) expect(passage).toMatch(/^Reviews\. Every .*merged\.$/s);
  });

  it('cut what has no end', () => {
    const passages = passagesOf('Blob', 'x'.repeat(2000));
    expect(passages.map((passage) => passage.length - 'Blob. '.length)).toEqual([900, 900, 200]);
  });

  it('are 64 at most', () => {
    expect(passagesOf('Blob', `${'x'.repeat(800)}\n`.repeat(500))).toHaveLength(64);
  });
});
