/** The place of a text that speaks most of what is sought. Pure. */
import { excerpt, KEY_LINE, keyLines } from './excerpt.ts';
import { rootOf, splitWords, wordsIn } from './words.ts';

export interface Snippet {
  readonly text: string;
  /** The first line is 1. */
  readonly line: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

const LONGEST = 240;
/** Lines that are looked at; the first that holds all words ends the search before. */
const MOST_LINES = 50_000;

/** The line with the most of the words, the first of several; the beginning where none has any. Or a line that is known. */
export function snippetOf(text: string, words: readonly string[], context = 0, known?: number): Snippet {
  const stems = words.map(rootOf);
  const lines = text.split('\n', MOST_LINES);
  let best = {
    index:
      known ??
      Math.max(
        0,
        lines.findIndex((line) => line.trim() !== ''),
      ),
    count: 0,
    at: 0,
  };
  for (const [index, line] of lines.entries()) {
    if (known !== undefined && index !== known) continue;
    const lower = line.toLowerCase();
    const places = stems.map((stem) => lower.indexOf(stem)).filter((at) => at >= 0);
    if (places.length > best.count && holdsWord(line, stems))
      best = { index, count: places.length, at: Math.min(...places) };
    if (best.count === stems.length) break;
  }
  const secret = keyLines(lines);
  const shown = (index: number, at: number) =>
    secret.has(index) ? KEY_LINE : excerpt((lines[index] ?? '').trimEnd(), at, LONGEST);
  const around = (from: number, to: number) => lines.slice(from, to).map((_, index) => shown(from + index, 0));
  return {
    text: shown(best.index, best.at),
    line: best.index + 1,
    before: around(Math.max(0, best.index - context), best.index),
    after: around(best.index + 1, best.index + 1 + context),
  };
}

/** As the beginning of a word, not anywhere in one. */
function holdsWord(line: string, stems: readonly string[]): boolean {
  const words = [...wordsIn(line), ...splitWords(line)];
  return words.some((word) => stems.some((stem) => word.startsWith(stem)));
}

/** Where the words stand in an excerpt, in its order. */
export function highlightsIn(text: string, words: readonly string[]): { start: number; end: number }[] {
  const stems = words.map(rootOf);
  const found: { start: number; end: number }[] = [];
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    const parts = [word.toLowerCase(), ...splitWords(word)];
    if (parts.some((part) => stems.some((stem) => part.startsWith(stem))))
      found.push({ start: index, end: index + word.length });
  }
  return found;
}
