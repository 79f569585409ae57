/**
 * How good a content is that holds what is sought, from what its sections and its paths score. A content is as good as its best
 * section. Pure.
 */
import type { ContentMatch, Sought } from './document-index.ts';
import type { Telling } from './frequency.ts';

/** So many are counted: more take longer, and tell nobody more. */
export const COUNTED = 1000;
export const LEAST_ROWS = 400;
export const MOST_PATHS = 200;
/** Rows that are taken for each content that is asked for: several may be of one. */
const ROWS = 2;
/** Sections of one content that are worth showing. */
const SHOWN = 3;
/** What two words side by side say more than each of them, and how much a name counts, were measured: bench/quality. */
const PAIRS = 0.15;
const MOST_PAIRS = 2;

export interface Found {
  words?: number;
  pairs?: number;
  path?: number;
  sections?: number[];
}

export interface SectionMatch {
  readonly number: number;
  readonly section: number;
  readonly score: number;
}

export function rowsFor(limit: number): number {
  return Math.max(LEAST_ROWS, limit * ROWS);
}

/** Sections come best first. */
export function addSections(found: Map<number, Found>, matches: readonly SectionMatch[]): void {
  for (const { number, section, score } of matches) {
    const known = found.get(number);
    if (known === undefined) found.set(number, { words: score, sections: [section] });
    else if ((known.sections?.length ?? 0) < SHOWN) known.sections?.push(section);
  }
}

/** Only where one of the two narrows: neighbours that are both everywhere take long to find, and say little. */
export function pairsAmong(sought: Sought, told: Telling): string[] {
  if (told.common) return [];
  return sought.pairs.filter((pair) => pair.split(' ').every((word) => told.words.includes(word)));
}

export function addPairs(found: Map<number, Found>, matches: readonly Omit<SectionMatch, 'section'>[]): void {
  for (const { number, score } of matches) {
    const known = found.get(number);
    if (known !== undefined) known.pairs = Math.max(known.pairs ?? 0, score);
  }
}

/** Files that are called by a number mean nothing to a question in words. */
export function namingWords({ names, words }: Sought): readonly string[] {
  return names >= 1 ? words : words.filter((word) => !/^\d+$/.test(word));
}

export function addPaths(
  found: Map<number, Found>,
  matches: readonly Omit<SectionMatch, 'section'>[],
  ideal: number,
): void {
  for (const { number, score } of matches) {
    const known = found.get(number) ?? {};
    known.path = Math.max(known.path ?? 0, score / ideal);
    found.set(number, known);
  }
}

export interface Scored extends Omit<ContentMatch, 'hash'> {
  readonly number: number;
}

export function bestOf(found: ReadonlyMap<number, Found>, ideal: number, names: number, limit: number): Scored[] {
  return [...found]
    .map(([number, { sections = [], words = 0, pairs = 0, path = 0 }]) => {
      // Neighbours may be rare where both words are everywhere: no more than as much again as all of them.
      const parts = { words: words / ideal, pairs: Math.min(MOST_PAIRS, pairs / ideal), path };
      return { number, sections, parts, score: parts.words + PAIRS * parts.pairs + names * parts.path };
    })
    .sort((a, b) => b.score - a.score || b.number - a.number)
    .slice(0, limit);
}

/** What is answered, where contents are by now, and how many there are. */
export function answerOf(
  best: readonly Scored[],
  hashes: ReadonlyMap<number, string>,
  total: number,
  cut: boolean,
): { total: number; found: ContentMatch[]; atLeast?: boolean } {
  const found = best.flatMap(({ number, ...match }): ContentMatch[] => {
    const hash = hashes.get(number);
    return hash === undefined ? [] : [{ hash, ...match }];
  });
  return { total, found, ...(cut && total >= COUNTED && { atLeast: true }) };
}
