/**
 * Where in a text to look for a match. Texts are looked through as bytes of UTF-8, each taken for a letter: that needs no
 * decoding, and V8 compares such letters many at a time. So what is sought is written as such bytes too.
 */
import { boundedOf } from './bounded.ts';
import { byteSource, foldedSource } from './byte-source.ts';
import { literalOf, requiredIn } from './literals.ts';

export interface Finder {
  /** Global and multiline; `undefined` where any line may match. */
  readonly sought: RegExp | undefined;
  /** Bytes to look for instead: they are found without taking each for a letter. */
  readonly literal: Buffer | undefined;
  /** A line matches where this is found: always, or where what stands beside it is ASCII. Else it is to be verified. */
  readonly exact: boolean | 'beside ASCII';
}

export interface Pattern {
  readonly pattern: string;
  readonly ignoreCase: boolean;
  readonly word: boolean;
}

/** Of more, V8 tries one after the other at every letter. */
const MOST_ALTERNATIVES = 64;
const TELLING = 3;

export function finderOf({ pattern, ignoreCase, word }: Pattern): Finder {
  const bounded = boundedOf(pattern, ignoreCase);
  if (word && bounded?.whole) return wholeWords(bounded.source);
  const exact = bounded?.exact === true && !word;
  const source = bounded?.source ?? soughtPieces(pattern, ignoreCase)?.join('|');
  return {
    sought: source === undefined ? undefined : new RegExp(source, 'gm'),
    literal: source === undefined || ignoreCase ? undefined : exact ? literalIn(pattern) : pieceOf(pattern),
    exact,
  };
}

function literalIn(pattern: string): Buffer | undefined {
  const written = pattern.includes('\n') ? undefined : literalOf(pattern);
  return written === undefined ? undefined : Buffer.from(written);
}

/** Letters that every match holds, where the line is looked at again: they are found faster than sets beside them. */
function pieceOf(pattern: string): Buffer | undefined {
  const [pieces = [], another] = requiredIn(pattern);
  const piece = pieces.reduce(longer, '');
  const tells = another === undefined && piece.length >= TELLING && !/[\n\p{Surrogate}]/u.test(piece);
  return tells ? Buffer.from(piece) : undefined;
}

function wholeWords(source: string): Finder {
  const sought = new RegExp(`(?<![0-9A-Za-z_])(?:${source})(?![0-9A-Za-z_])`, 'gm');
  return { sought, literal: undefined, exact: 'beside ASCII' };
}

/** Any of the letters that every match holds: of each alternative the longest run. */
function soughtPieces(pattern: string, ignoreCase: boolean): string[] | undefined {
  const longest = requiredIn(pattern).map((pieces) =>
    pieces.flatMap((piece) => (ignoreCase ? plainRuns(piece) : [piece])).reduce(longer, ''),
  );
  if (longest.length > MOST_ALTERNATIVES || longest.some((piece) => piece === '' || /\p{Surrogate}/u.test(piece)))
    return undefined;
  return longest.map((piece) => (ignoreCase ? foldedSource(piece) : byteSource(piece)));
}

/** Letters beyond ASCII have cases that only the engine knows. */
function plainRuns(piece: string): string[] {
  return piece.split(/[^\0-\x7f]+/);
}

function longer(one: string, other: string): string {
  return other.length > one.length ? other : one;
}
