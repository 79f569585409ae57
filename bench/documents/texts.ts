/**
 * Documents made up for measuring: 1–2 KB of Markdown whose words are as unevenly common as those of real texts. The most
 * common word is one in eighteen, and most words stand in a handful of documents. Pure: number in, the same document out.
 */
import { below, type Random, randomFrom } from './random.ts';

const VOCABULARY = 200_000;
const SYLLABLES = [...'bcdfghjklmnprstvwyz'].flatMap((first) => [...'aeiou'].map((second) => first + second));

/** Common words are short. */
export function wordOf(rank: number): string {
  const base = SYLLABLES.length;
  let [left, word] = [rank + base, ''];
  for (; left > 0; left = Math.floor(left / base)) word += SYLLABLES[left % base];
  return word;
}

/** Zipf's law: the word of rank r is about r times as rare as the first one. */
function drawRank(random: Random): number {
  return Math.floor(Math.exp(random() * Math.log(VOCABULARY + 1))) - 1;
}

export interface MadeDocument {
  readonly path: string;
  readonly text: string;
  /** Its two rarest words. */
  readonly rare: readonly [string, string];
}

export function pathOf(number: number): string {
  return `notes/area-${number % 97}/${wordOf((number * 31) % 9000)}-${number}.md`;
}

export function documentNumber(number: number): MadeDocument {
  const random = randomFrom(number);
  const ranks = Array.from({ length: 150 + below(random, 150) }, () => drawRank(random));
  const [first = 0, second = 0] = [...new Set(ranks)].sort((a, b) => b - a);
  return { path: pathOf(number), text: textOf(ranks.map(wordOf), number), rare: [wordOf(first), wordOf(second)] };
}

/** Each of these words stands in nearly every document. */
export const commonWords = [wordOf(4), wordOf(9)] as const;
/** Each stands in one or two of a hundred: as common as a word can be that a search still looks up. */
export const middlingWords = [wordOf(1_200), wordOf(1_300)] as const;

const WORDS_IN_LINE = 11;
const LINES_IN_PARAGRAPH = 5;

function textOf(words: readonly string[], number: number): string {
  const lines: string[] = [`# ${words.slice(0, 4).join(' ')} ${number}`, ''];
  for (let at = 4; at < words.length; at += WORDS_IN_LINE) {
    lines.push(`${words.slice(at, at + WORDS_IN_LINE).join(' ')}.`);
    if (lines.length % (LINES_IN_PARAGRAPH + 1) === 0) lines.push('');
  }
  return `${lines.join('\n')}\n`;
}
