/** Looks for the lines of texts that match a regular expression, in time that is linear in their length. */
import { RE2JS } from 're2js';
import { excerpt, KEY_LINE, keyLines } from '../excerpt.ts';
import { literalOf, type Required, requiredIn } from './literals.ts';

export interface Wanted {
  readonly pattern: string;
  readonly ignoreCase: boolean;
  readonly word: boolean;
  /** Lines around each match. */
  readonly context: number;
  /** Stop after so many lines of one text. */
  readonly most: number;
}

export interface LineMatch {
  /** The first line is 1. */
  readonly line: number;
  readonly text: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export interface Scanned {
  readonly matches: readonly LineMatch[];
  /** Lines of the text, to number those that follow. */
  readonly lines: number;
}

/** A line is shown so far around its match. */
const SHOWN = 300;

/** The signs beside a word, or the ends of the line. RE2's own `\b` knows ASCII only. */
const BESIDE = '[^\\pL\\pM\\pN_]';

/** Throws what is wrong with the pattern. */
export function compile({ pattern, ignoreCase, word }: Pick<Wanted, 'pattern' | 'ignoreCase' | 'word'>): RE2JS {
  const flags = ignoreCase ? RE2JS.CASE_INSENSITIVE : 0;
  const compiled = RE2JS.compile(pattern, flags);
  return word ? RE2JS.compile(`(?:^|${BESIDE})(?:${pattern})(?:$|${BESIDE})`, flags) : compiled;
}

export function scanner(wanted: Wanted): (text: string, firstLine?: number) => Scanned {
  const mayMatch = prefilter(requiredIn(wanted.pattern), wanted.ignoreCase);
  const find = finderOf(wanted, mayMatch);
  return (text, firstLine = 1) =>
    // Many texts hold the letters of what is sought, and not in its order.
    mayMatch(text) ? scan(text, firstLine, find, wanted) : { matches: [], lines: linesIn(text) };
}

/** Where a line matches; -1 where it does not. */
type Finder = (line: string) => number;
type Filter = (text: string) => boolean;

function finderOf(wanted: Wanted, mayMatch: Filter): Finder {
  const literal = literalOf(wanted.pattern);
  if (literal !== undefined && !wanted.ignoreCase && !wanted.word) return (line) => line.indexOf(literal);
  const compiled = compile(wanted);
  return (line) => {
    if (!mayMatch(line)) return -1;
    const matcher = compiled.matcher(line);
    return matcher.find() ? matcher.start() : -1;
  };
}

function linesIn(text: string): number {
  let lines = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

const beyondAscii = /[^\0-\x7f]/;

/** Comparing letters is a hundred times as fast as matching: most texts and lines need no more. */
function prefilter(required: Required, ignoreCase: boolean): Filter {
  if (required.some((pieces) => pieces.length === 0)) return () => true;
  const longest = required.map((pieces) => pieces.reduce((a, b) => (b.length > a.length ? b : a)));
  if (!ignoreCase) return (line) => longest.some((piece) => line.includes(piece));
  // Letters beyond ASCII have other cases than lower and upper: such patterns and lines are matched.
  if (longest.some((piece) => beyondAscii.test(piece))) return () => true;
  const plain = longest.map((piece) => piece.toLowerCase());
  return (line) => {
    const lower = line.toLowerCase();
    return plain.some((piece) => lower.includes(piece)) || beyondAscii.test(line);
  };
}

function scan(text: string, firstLine: number, find: Finder, { context, most }: Wanted): Scanned {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const matches: LineMatch[] = [];
  const secret = text.includes('PRIVATE KEY-----') ? keyLines(lines) : undefined;
  const shown = (index: number, at: number) => {
    if (secret?.has(index)) return KEY_LINE;
    const line = lines[index] ?? '';
    return excerpt(line.endsWith('\r') ? line.slice(0, -1) : line, at, SHOWN);
  };
  const around = (from: number, to: number) => lines.slice(from, to).map((_, index) => shown(from + index, 0));
  for (const [index, line] of lines.entries()) {
    if (matches.length >= most) break;
    const at = find(line);
    if (at < 0) continue;
    matches.push({
      line: firstLine + index,
      text: shown(index, at),
      before: around(Math.max(0, index - context), index),
      after: around(index + 1, index + 1 + context),
    });
  }
  return { matches, lines: lines.length };
}
