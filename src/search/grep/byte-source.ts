/** Letters as the source of a regular expression that reads the bytes of UTF-8. */

/** As it is written. */
export function byteSource(letters: string): string {
  return [...Buffer.from(letters)].map(byteOf).join('');
}

/** In any case; of ASCII letters only. Two of them have another case beyond ASCII: the long s and the Kelvin sign. */
export function foldedSource(letters: string): string {
  return [...letters].map(foldedLetter).join('');
}

export function foldedLetter(letter: string): string {
  const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()];
  if (lower === upper) return byteSource(letter);
  const plain = `[${lower}${upper}]`;
  const beyond = otherCases[lower];
  return beyond === undefined ? plain : `(?:${plain}|${byteSource(beyond)})`;
}

export const otherCases: Readonly<Record<string, string>> = { k: '\u212a', s: '\u017f' };

export function byteOf(byte: number): string {
  const letter = String.fromCharCode(byte);
  return /[A-Za-z0-9_]/.test(letter) ? letter : `\\x${byte.toString(16).padStart(2, '0')}`;
}
