import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffOf, shortened } from './diff.ts';

describe('a difference', () => {
  it('is the fewest lines added and removed', () => {
    expect(diffOf('a\nb\nc\nd', 'a\nc\nx\nd')).toEqual([
      { kind: 'same', text: 'a' },
      { kind: 'removed', text: 'b' },
      { kind: 'same', text: 'c' },
      { kind: 'added', text: 'x' },
      { kind: 'same', text: 'd' },
    ]);
  });

  it('holds both texts, whatever they are', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 30 }).map((each) => each.join('\n'));
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = diffOf(before, after);
        const without = (kind: string) =>
          diff
            .filter((line) => line.kind !== kind)
            .map(({ text }) => text)
            .join('\n');
        expect(without('added')).toBe(before);
        expect(without('removed')).toBe(after);
      }),
    );
  });

  it('leaves out what is far from a change, and says so', () => {
    const text = Array.from({ length: 40 }, (_, line) => `line ${line}`);
    const changed = text.with(20, 'new');
    const shown = shortened(diffOf(text.join('\n'), changed.join('\n')));
    expect(shown[0]).toEqual({ kind: 'skipped', text: '17 lines alike' });
    expect(shown).toHaveLength(10);
    expect(shortened(diffOf('same', 'same'))).toEqual([]);
  });
});
