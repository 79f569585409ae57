/** Names of symbols as keys say them: `Outer.inner`; of several that are called the same, later ones get a number. */
import type { Outline } from './code/outline.ts';

const DEEPEST = 50;

export function qualifiedNames({ symbols }: Pick<Outline, 'symbols'>): string[] {
  const plainName = (index: number, depth: number): string => {
    const { name, parent, owner } = symbols[index] ?? { name: '' };
    const outer = parent === undefined || depth > DEEPEST ? owner : plainName(parent, depth + 1);
    return outer === undefined ? name : `${outer}.${name}`;
  };
  const taken = new Map<string, number>();
  return symbols.map((_, index) => {
    const plain = plainName(index, 0);
    const times = (taken.get(plain) ?? 0) + 1;
    taken.set(plain, times);
    return times === 1 ? plain : `${plain}~${times}`;
  });
}
