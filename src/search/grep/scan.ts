/** Looks for the lines of texts that match a regular expression, in time that is linear in their length. */
import { isAscii } from 'node:buffer';
import { RE2JS } from 're2js';
import { mask } from '../../service/secret.ts';
import { excerpt, KEY_LINE } from '../excerpt.ts';
import { type Finder, finderOf, type Pattern } from './finder.ts';
import { hiddenLines } from './key-lines.ts';

export interface Wanted extends Pattern {
  /** The lines that do not match. */
  readonly invert: boolean;
  /** Lines around each match. */
  readonly context: number;
  /** Whether the lines are shown, or only counted. */
  readonly show: boolean;
}

export interface LineMatch {
  /** The first line is 1. */
  readonly line: number;
  readonly text: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export interface Found {
  readonly count: number;
  readonly matches: readonly LineMatch[];
}

/** Some lines of a block. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly firstLine: number;
  /** How far the lines around may reach. */
  readonly low: number;
  readonly high: number;
  readonly insideKey: boolean;
}

/** A line is shown so far around its match. */
const SHOWN = 300;

/** The signs beside a word, or the ends of the line. RE2's own `\b` knows ASCII only. */
const BESIDE = '[^\\pL\\pM\\pN_]';

/** Throws what is wrong with the pattern. */
export function compile({ pattern, ignoreCase, word }: Pattern): RE2JS {
  const flags = ignoreCase ? RE2JS.CASE_INSENSITIVE : 0;
  const compiled = RE2JS.compile(pattern, flags);
  return word ? RE2JS.compile(`(?:^|${BESIDE})(?:${pattern})(?:$|${BESIDE})`, flags) : compiled;
}

/** For many texts. A block holds whole texts or parts of them, as UTF-8 with every line ended. */
export function scanner(wanted: Wanted): (bytes: Buffer) => Block {
  const search = { wanted, compiled: compile(wanted), ...finderOf(wanted) };
  return (bytes) => new Block(bytes, search);
}

interface Search extends Finder {
  readonly wanted: Wanted;
  readonly compiled: RE2JS;
}

const NEWLINE = 10;

interface Line {
  readonly start: number;
  readonly end: number;
}

export class Block {
  readonly #search: Search;
  readonly #bytes: Buffer;
  /** Each byte as a letter; made where that is what is looked through. */
  #letters: string | undefined;
  #isPlain: boolean | undefined;
  /** The place that was found last, and from where on it is the first: texts between the two need not be looked at. */
  #hit = -1;
  #hitEnd = -1;
  #soughtFrom = Number.POSITIVE_INFINITY;

  constructor(bytes: Buffer, search: Search) {
    this.#bytes = bytes;
    this.#search = search;
  }

  scan(stretch: Stretch, most: number): Found {
    const { wanted } = this.#search;
    const shown = wanted.show ? new Shown(this.#bytes, stretch, wanted.context) : undefined;
    let count = 0;
    for (let at = stretch.from; at < stretch.to && count < most; ) {
      const match = this.#next(at, stretch.to);
      const next = match === undefined ? stretch.to : match.end + 1;
      if (!wanted.invert && match !== undefined) {
        shown?.take(match, () => this.#placeIn(match));
        count++;
      }
      if (wanted.invert) {
        const end = match?.start ?? stretch.to;
        for (; at < end && count < most; count++) {
          const line = { start: at, end: this.#endOf(at) };
          shown?.take(line, () => 0);
          at = line.end + 1;
        }
      }
      at = next;
    }
    return { count, matches: shown?.matches ?? [] };
  }

  /** Where the given line of a stretch begins, or the stretch ends. */
  lineIn({ from, to, firstLine }: Stretch, line: number): Pick<Stretch, 'from' | 'firstLine'> {
    let [at, reached] = [from, firstLine];
    for (; reached < line && at < to; reached++) at = this.#endOf(at) + 1;
    return { from: Math.min(at, to), firstLine: reached };
  }

  /** Each line is taken from its beginning, so what matches lies in it whole. */
  #next(from: number, to: number): Line | undefined {
    for (let at = from; at < to; ) {
      const hit = this.#find(at);
      if (hit >= to) return undefined;
      const start = hit === at ? at : Math.max(at, this.#bytes.lastIndexOf(NEWLINE, hit - 1) + 1);
      const line = { start, end: this.#endOf(hit) };
      if (this.#isSure() || this.#search.compiled.test(this.#lineOf(line))) return line;
      at = line.end + 1;
    }
    return undefined;
  }

  #find(from: number): number {
    if (this.#search.sought === undefined) return from;
    if (from < this.#soughtFrom || this.#hit < from) {
      const hit = this.#seek(this.#search.sought, from);
      this.#hit = hit < 0 ? Number.POSITIVE_INFINITY : hit;
      this.#soughtFrom = from;
    }
    return this.#hit;
  }

  #seek(sought: RegExp, from: number): number {
    const { literal } = this.#search;
    if (literal !== undefined) return this.#bytes.indexOf(literal, from);
    this.#letters ??= this.#bytes.toString('latin1');
    sought.lastIndex = from;
    const found = sought.exec(this.#letters);
    this.#hitEnd = sought.lastIndex;
    return found?.index ?? -1;
  }

  #isSure(): boolean {
    const { exact } = this.#search;
    if (exact !== 'beside ASCII') return exact;
    const [before, after] = [this.#bytes[this.#hit - 1] ?? NEWLINE, this.#bytes[this.#hitEnd] ?? NEWLINE];
    return before < 128 && after < 128;
  }

  #endOf(at: number): number {
    const end = this.#bytes.indexOf(NEWLINE, at);
    return end < 0 ? this.#bytes.length : end;
  }

  #lineOf({ start, end }: Line): string {
    this.#isPlain ??= isAscii(this.#bytes);
    return this.#bytes.toString(this.#isPlain ? 'latin1' : 'utf8', start, end);
  }

  #placeIn(line: Line): number {
    const matcher = this.#search.compiled.matcher(this.#lineOf(line));
    return matcher.find() ? matcher.start() : 0;
  }
}

/** Gathers the lines of one stretch as they are shown, without secrets. */
class Shown {
  readonly matches: LineMatch[] = [];
  readonly #bytes: Buffer;
  readonly #stretch: Stretch;
  readonly #context: number;
  #hidden: ReadonlySet<number> | undefined;
  #counted: number;
  #line: number;

  constructor(bytes: Buffer, stretch: Stretch, context: number) {
    this.#bytes = bytes;
    this.#stretch = stretch;
    this.#context = context;
    this.#counted = stretch.from;
    this.#line = stretch.firstLine;
  }

  take(line: Line, placeIn: () => number): void {
    for (; this.#counted < line.start; this.#counted = this.#endOf(this.#counted) + 1) this.#line++;
    this.matches.push({
      line: this.#line,
      text: this.#text(line, placeIn),
      before: this.#before(line.start),
      after: this.#after(line.end + 1),
    });
  }

  #before(end: number): string[] {
    const lines: string[] = [];
    for (let at = end; lines.length < this.#context && at > this.#stretch.low; ) {
      const start = at < 2 ? 0 : Math.max(this.#stretch.low, this.#bytes.lastIndexOf(NEWLINE, at - 2) + 1);
      lines.unshift(this.#text({ start, end: at - 1 }, () => 0));
      at = start;
    }
    return lines;
  }

  #after(start: number): string[] {
    const lines: string[] = [];
    for (let at = start; lines.length < this.#context && at < this.#stretch.high; ) {
      const end = this.#endOf(at);
      lines.push(this.#text({ start: at, end }, () => 0));
      at = end + 1;
    }
    return lines;
  }

  #text({ start, end }: Line, placeIn: () => number): string {
    this.#hidden ??= hiddenLines(this.#bytes, this.#stretch);
    if (this.#hidden.has(start)) return KEY_LINE;
    const text = this.#bytes.toString('utf8', start, end);
    return mask(text.length > SHOWN ? excerpt(text, placeIn(), SHOWN) : text);
  }

  #endOf(at: number): number {
    const end = this.#bytes.indexOf(NEWLINE, at);
    return end < 0 ? this.#bytes.length : end;
  }
}
