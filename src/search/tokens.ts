/** Words of a text as the `unicode61` tokenizer of SQLite makes them: letters and digits, lower case, without diacritics. */

// Marks belong to a word that they stand in, and are left out of it.
const token = /[\p{L}\p{N}\p{Co}]+(?:[\u0300-\u0331]+[\p{L}\p{N}\p{Co}]*)*/gu;
const marks = /\p{M}/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
const isAscii = /^[\x00-\x7f]*$/;

/** In the order of the text; not unique. */
export function tokensOf(text: string): string[] {
  const found = text.match(token) ?? [];
  return isAscii.test(text) ? found.map((each) => each.toLowerCase()) : found.map(folded);
}

function folded(word: string): string {
  if (isAscii.test(word)) return word.toLowerCase();
  let all = '';
  for (const letter of word.replace(marks, '')) all += foldedLetter(letter);
  return all;
}

const known = new Map<string, string>();
const KEPT = 5000;

function foldedLetter(letter: string): string {
  const before = known.get(letter);
  if (before !== undefined) return before;
  const after = withoutMark(lower(letter));
  if (known.size >= KEPT) known.clear();
  known.set(letter, after);
  return after;
}

/** By way of the capital, so that both sigmas are one. One letter stays one: `İ` would be two. */
function lower(letter: string): string {
  const capital = letter === 'ı' ? letter : letter.toUpperCase();
  const small = (isOne(capital) ? capital : letter).toLowerCase();
  return isOne(small) ? small : letter;
}

function isOne(text: string): boolean {
  return [...text].length === 1;
}

/** Of a Latin letter. One with two marks keeps both, as in SQLite. */
function withoutMark(letter: string): string {
  const [base = '', ...rest] = letter.normalize('NFD');
  return rest.length === 1 && /[a-z]/i.test(base) ? base.toLowerCase() : letter;
}
