/**
 * Which runs of three letters a text holds, whatever their case, each as a number. Ours rather than the trigrams of a database:
 * SQLite's list every letter of a text (8 instead of 13 MB/s on a tree of small files), PostgreSQL's know letters and digits
 * only. Letters beyond ASCII end a run, but for the two that are another case of an ASCII letter.
 */

const KINDS = 96;
const NONE = 255;
const codes = new Uint8Array(128).fill(NONE);
for (let code = 0x20; code < 0x7f; code++) codes[code] = code - 0x20;
for (let code = 0x41; code <= 0x5a; code++) codes[code] = code; // as the small letter, 0x20 further on
codes[9] = KINDS - 1;
const otherCases = new Map([
  [0x212a, 0x6b - 0x20], // the Kelvin sign is a k
  [0x17f, 0x73 - 0x20], // the long s is an s
]);

/** Marks what a text has shown already, without clearing a million places for the next. */
const seen = new Uint32Array(KINDS ** 3);
let turn = 0;

/** Each once. */
export function threesOf(text: string): number[] {
  turn++;
  const threes: number[] = [];
  let [first, second] = [NONE, NONE];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const code = unit < 128 ? (codes[unit] as number) : (otherCases.get(unit) ?? NONE);
    if (first !== NONE && second !== NONE && code !== NONE) {
      const three = (first * KINDS + second) * KINDS + code;
      if (seen[three] !== turn) {
        seen[three] = turn;
        threes.push(three);
      }
    }
    first = second;
    second = code;
  }
  return threes;
}
