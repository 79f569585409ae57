/** The words of texts as they are spelled, and which of them a misspelled one may be near to. Pure. */

const word = /\p{L}{4,40}/gu;
/** The same where there are no others, in a third of the time. */
const plainWord = /[A-Za-z]{4,40}/g;
/** Of one text, in characters: what comes later says little that is new. */
const MOST = 200_000;
/**
 * Lines of this length with so few spaces are written by programs: what their words are called tells nobody what to look
 * for. A paragraph on one line has a space after every six letters or so.
 */
const LINE = 500;
const LETTERS_TO_A_SPACE = 12;

export interface SpelledText {
  readonly title?: string;
  readonly text: string;
  /** Of the names in it. */
  readonly parts: readonly string[];
}

/** Each once, in lower case. */
export function spelledIn(texts: readonly SpelledText[]): Set<string> {
  const found = new Set<string>();
  /** As they stand there: most words of a text were met before, in the same spelling. */
  const spelled = new Set<string>();
  for (const { title = '', text, parts } of texts) {
    for (const each of title.match(word) ?? []) found.add(each.toLowerCase());
    if (isGenerated(text)) continue;
    for (const each of wordsAtFirst(text)) {
      if (spelled.has(each)) continue;
      spelled.add(each);
      found.add(each.toLowerCase());
    }
    for (const part of parts) if (part.length >= 4) found.add(part);
  }
  return found;
}

function wordsAtFirst(text: string): readonly string[] {
  const start = text.slice(0, MOST);
  return start.match(/[^\0-\x7f]/.test(start) ? word : plainWord) ?? [];
}

function isGenerated(text: string): boolean {
  const sample = text.slice(0, 20 * LINE);
  if (sample.length / sample.split('\n').length <= LINE) return false;
  return sample.length / sample.split(/[ \n]/).length > LETTERS_TO_A_SPACE;
}

/** More letters than two edits bring: taking the lowest bit off twice leaves some. */
export function isFar(letters: number): boolean {
  const rest = letters & (letters - 1);
  return (rest & (rest - 1)) !== 0;
}

const LATIN = 26;
const OTHERS = 5;

/** A bit for each of the latin letters, and five that all others share. */
export function lettersOf(text: string, from = 0, to = text.length): number {
  let letters = 0;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at) - 97;
    letters |= 1 << (code >= 0 && code < LATIN ? code : LATIN + (Math.abs(code) % OTHERS));
  }
  return letters;
}
