/** Words of texts and questions, as the keyword index sees them. */

const word = /[\p{L}\p{N}]+/gu;

/** Lower case, in the order of the text; not unique. */
export function wordsIn(text: string): string[] {
  return text.toLowerCase().match(word) ?? [];
}

// Only where a run of letters and digits begins: from every letter of a long one it would be quadratic.
const camel = /(?<![A-Za-z0-9])[0-9]*[A-Za-z][a-z0-9]*(?:[A-Z]+[a-z0-9]*)+/g;
const numbered = /(?<![A-Za-z0-9])[A-Za-z]{2,}[0-9][A-Za-z0-9]*/g;
const piece = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;

/**
 * The words in names that are written as one, in lower case, each once: `parseHTMLPage` is parse, html and page, and
 * `sha256sum` is sha and sum. The name itself is a word anyway, and so is each part of one that is written with underscores.
 */
export function splitWords(text: string): string[] {
  const parts = new Set<string>();
  for (const name of new Set(text.match(camel) ?? [])) {
    const found = name.match(piece) ?? [];
    // A word in capitals is no name of several parts.
    if (found.length > 1) for (const part of found) parts.add(part.toLowerCase());
  }
  for (const name of new Set(text.match(numbered) ?? []))
    for (const part of name.match(piece) ?? []) parts.add(part.toLowerCase());
  return [...parts].filter((part) => part.length > 1);
}

/** Words that say how something is asked, not what. */
const asking = new Set(
  (
    'a about an and any are as at be been but by can could did do does for from had has have how i if in into is it its me my of ' +
    'on or our please shall should so tell than that the their them then there these they this those to us was we were what when ' +
    'where which who whose why will with would you your'
  ).split(' '),
);
const MOST = 32;

export function isAsking(word: string): boolean {
  return asking.has(word);
}

/** What a question is about: its words without those of asking, and the parts of names in it. All where nothing is left. */
export function soughtWords(question: string): string[] {
  const all = [...new Set([...wordsIn(question), ...splitWords(question)])];
  const sought = all.filter((each) => !asking.has(each));
  return (sought.length > 0 ? sought : all).slice(0, MOST);
}

const ROOT = 4;

/** What stays of a word whatever its ending, roughly: `caching` and `cache` begin alike. */
export function rootOf(word: string): string {
  return word.length > ROOT + 1 ? word.slice(0, Math.max(ROOT, word.length - 3)) : word;
}

/** Which of the words a text holds, whatever their endings. */
export function wordsHeld(text: string, words: readonly string[]): boolean[] {
  const own = [...new Set([...wordsIn(text), ...splitWords(text)])];
  return words.map((word) => {
    const root = rootOf(word);
    return own.some((each) => each.startsWith(root));
  });
}
