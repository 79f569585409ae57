/**
 * What stays of an English word without its endings, by the rules that Porter published in 1980. The same as the `porter`
 * tokenizer of SQLite: both engines find the same texts.
 */

/** Longer ones are no words; SQLite leaves them alone as well. In bytes. */
const LONGEST = 64;
const SHORTEST = 3;

export function stemOf(word: string): string {
  if (isAscii.test(word)) return stemmed(word);
  // Byte by byte, as SQLite reads it: every byte of another letter is a consonant.
  return Buffer.from(stemmed(Buffer.from(word).toString('latin1')), 'latin1').toString();
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
const isAscii = /^[\x00-\x7f]*$/;

function stemmed(word: string): string {
  if (word.length > LONGEST || word.length < SHORTEST) return word;
  let stem = pastAndGoing(plural(word));
  if (stem.endsWith('y') && hasVowel(stem.slice(0, -1))) stem = `${stem.slice(0, -1)}i`;
  stem = replaced(stem, doubleEndings, 0);
  stem = replaced(stem, endings, 0);
  return tidied(withoutEnding(stem));
}

function plural(word: string): string {
  if (!word.endsWith('s') || word.endsWith('ss')) return word;
  const cut = (word.endsWith('sses') && word.length > 4) || (word.endsWith('ies') && word.length > 3) ? 2 : 1;
  return word.slice(0, -cut);
}

function pastAndGoing(word: string): string {
  if (ends(word, 'eed')) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const ending = ['ed', 'ing'].find((each) => ends(word, each));
  if (ending === undefined) return word;
  const stem = word.slice(0, -ending.length);
  return hasVowel(stem) ? mended(stem) : word;
}

/** An `e` that the ending took, or a consonant that it doubled. */
function mended(stem: string): string {
  if (['at', 'bl', 'iz'].some((each) => ends(stem, each))) return `${stem}e`;
  const last = stem.at(-1) ?? '';
  if (last === stem.at(-2) && !'aeioulsz'.includes(last)) return stem.slice(0, -1);
  return measure(stem) === 1 && isShort(stem) ? `${stem}e` : stem;
}

type Endings = readonly (readonly [ending: string, instead: string])[];

const doubleEndings: Endings = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['logi', 'log'],
  ['bli', 'ble'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
];

const endings: Endings = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
];

/** A longer ending stands before those that it ends with. */
const lastEndings: Endings = (
  'al ance ence er ic able ible ant ement ment ent sion tion ou ism ate iti ous ive ize'.split(' ') as string[]
).map((ending) => [ending, ending.endsWith('ion') ? ending.slice(0, 1) : '']);

function withoutEnding(stem: string): string {
  return replaced(stem, lastEndings, 1);
}

/** Only the first that fits is tried, and only where what is left of it is more than so much. */
function replaced(word: string, known: Endings, least: number): string {
  const found = known.find(([ending]) => ends(word, ending));
  if (found === undefined) return word;
  const [ending, instead] = found;
  const stem = word.slice(0, -ending.length);
  // What an ending needs before it belongs to the stem.
  const kept = `${stem}${instead}`;
  return measure(ending.endsWith('ion') && least > 0 ? kept : stem) > least ? kept : word;
}

function tidied(word: string): string {
  let stem = word;
  if (stem.endsWith('e')) {
    const before = stem.slice(0, -1);
    const size = measure(before);
    if (size > 1 || (size === 1 && !isShort(before))) stem = before;
  }
  return stem.length > 1 && stem.endsWith('ll') && measure(stem.slice(0, -1)) > 1 ? stem.slice(0, -1) : stem;
}

/** Something is left before it. */
function ends(word: string, ending: string): boolean {
  return word.length > ending.length && word.endsWith(ending);
}

/** An `y` is a vowel after a consonant. */
function isVowel(letter: string | undefined, afterConsonant: boolean): boolean {
  return 'aeiou'.includes(letter ?? '-') || (afterConsonant && letter === 'y');
}

function hasVowel(stem: string): boolean {
  for (let at = 0; at < stem.length; at++) if (isVowel(stem[at], at > 0)) return true;
  return false;
}

/** How often a consonant follows a vowel. */
function measure(stem: string): number {
  let found = 0;
  let consonant = false;
  let vowelBefore = false;
  for (const letter of stem) {
    consonant = !isVowel(letter, consonant);
    if (consonant && vowelBefore) found++;
    vowelBefore = !consonant;
  }
  return found;
}

/** Ends with a consonant, a vowel and a consonant that may be doubled: `hop`, not `how`. */
function isShort(stem: string): boolean {
  if (/[wxy]$/.test(stem)) return false;
  let shape = '';
  let consonant = false;
  for (const letter of stem) {
    consonant = !isVowel(letter, consonant);
    shape += consonant ? 'c' : 'v';
  }
  return shape.endsWith('cvc');
}
