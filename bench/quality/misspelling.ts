/** Words as people mistype them: a letter put in, left out, taken for another, or two neighbours swapped. Pure. */
import { below, type Random } from '../documents/random.ts';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

type Edit = (word: string, random: Random) => string;

const edits: readonly Edit[] = [
  (word, random) => spliced(word, below(random, word.length + 1), 0, letter(random)),
  (word, random) => spliced(word, below(random, word.length), 1, ''),
  (word, random) => spliced(word, below(random, word.length), 1, letter(random)),
  (word, random) => {
    const at = below(random, word.length - 1);
    return spliced(word, at, 2, `${word[at + 1]}${word[at]}`);
  },
];

/** After so many edits, none of which undoes another; never one of the words that exist. */
export function misspelled(word: string, count: number, random: Random, exists: (word: string) => boolean): string {
  for (let tries = 0; tries < 1000; tries++) {
    let wrong = word;
    for (let edit = 0; edit < count; edit++) wrong = (edits[below(random, edits.length)] as Edit)(wrong, random);
    if (wrong !== word && !exists(wrong)) return wrong;
  }
  throw new Error(`${word} cannot be misspelled into a word that is none`);
}

function letter(random: Random): string {
  return LETTERS[below(random, LETTERS.length)] ?? '';
}

function spliced(word: string, at: number, out: number, into: string): string {
  return word.slice(0, at) + into + word.slice(at + out);
}
