/**
 * The part of RE2's syntax that means the same in any engine, as a tree: letters, sets of letters, groups, alternatives,
 * repetitions, edges. Of anything else, flags or classes of Unicode among it, there is no tree.
 */

export type Node =
  | { readonly kind: 'set'; readonly set: LetterSet }
  /** A letter beyond ASCII. */
  | { readonly kind: 'letter'; readonly letter: string }
  /** Matches no letter, but a place: written alike in both. */
  | { readonly kind: 'edge'; readonly source: string }
  | { readonly kind: 'sequence'; readonly nodes: readonly Node[] }
  | { readonly kind: 'choice'; readonly nodes: readonly Node[] }
  | { readonly kind: 'repeat'; readonly node: Node; readonly least: number; readonly most: number };

export interface LetterSet {
  /** Codes below 128, never that of a line end. */
  readonly ascii: ReadonlySet<number>;
  /** Of the others: all, or these. */
  readonly beyond: 'all' | readonly string[];
}

/** `undefined` where there is more in it than is understood here. */
export function treeOf(pattern: string, ignoreCase: boolean): Node | undefined {
  try {
    const parser = new Parser(pattern, ignoreCase);
    const tree = parser.choice();
    return parser.atEnd ? tree : undefined;
  } catch (thrown) {
    if (thrown instanceof NotUnderstood) return undefined;
    throw thrown;
  }
}

class NotUnderstood extends Error {}

const DEEPEST = 50;
const NEWLINE = 10;
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);
const codes = (letters: string) => [...letters].map((letter) => letter.charCodeAt(0));
const all = range(0, 127);
const digits = codes('0123456789');
const spaces = codes('\t\f\r ');
const words = [...digits, ...range(0x41, 0x5a), ...range(0x61, 0x7a), 0x5f];
const classes: Readonly<Record<string, readonly number[]>> = { d: digits, s: spaces, w: words };
const letters: Readonly<Record<string, string>> = { t: '\t', f: '\f', v: '\v', r: '\r' };
const edges: Readonly<Record<string, string>> = { b: '\\b', B: '\\B', A: '^', z: '$' };

class Parser {
  readonly #pattern: string;
  readonly #ignoreCase: boolean;
  #at = 0;
  #depth = 0;

  constructor(pattern: string, ignoreCase: boolean) {
    this.#pattern = pattern;
    this.#ignoreCase = ignoreCase;
  }

  get atEnd(): boolean {
    return this.#at >= this.#pattern.length;
  }

  choice(): Node {
    const nodes = [this.#sequence()];
    while (this.#takes('|')) nodes.push(this.#sequence());
    const [only, other] = nodes;
    return only !== undefined && other === undefined ? only : { kind: 'choice', nodes };
  }

  #sequence(): Node {
    const nodes: Node[] = [];
    while (!this.atEnd && !this.#sees('|') && !this.#sees(')')) nodes.push(this.#repeated(this.#atom()));
    return { kind: 'sequence', nodes };
  }

  #atom(): Node {
    const sign = this.#next();
    if (sign === '(') return this.#group();
    if (sign === '[') return this.#set();
    if (sign === '\\') return this.#escape();
    if (sign === '.') return set(all, 'all');
    if (sign === '^' || sign === '$') return { kind: 'edge', source: sign };
    if (/[*+?]/.test(sign)) throw new NotUnderstood();
    return this.#letter(sign);
  }

  #group(): Node {
    if (++this.#depth > DEEPEST) throw new NotUnderstood();
    const named = /^\?(?::|P?<\w+>)/.exec(this.#pattern.slice(this.#at, this.#at + 100));
    if (named !== null) this.#at += named[0].length;
    else if (this.#sees('?')) throw new NotUnderstood();
    const node = this.choice();
    if (!this.#takes(')')) throw new NotUnderstood();
    this.#depth--;
    return node;
  }

  #letter(sign: string): Node {
    const code = sign.codePointAt(0) ?? 0;
    if (code < 128) return this.#folded([code]);
    // Cases beyond ASCII are the engine's business; half a pair of surrogates is in no text.
    if (this.#ignoreCase || /\p{Surrogate}/u.test(sign)) throw new NotUnderstood();
    return { kind: 'letter', letter: sign };
  }

  #escape(): Node {
    const sign = this.#next();
    const edge = edges[sign];
    if (edge !== undefined) return { kind: 'edge', source: edge };
    const known = classes[sign.toLowerCase()];
    if (known !== undefined) return sign === sign.toLowerCase() ? this.#folded(known) : this.#others(known);
    return this.#letter(escaped(sign));
  }

  #set(): Node {
    const negated = this.#takes('^');
    const found: number[] = [];
    for (let first = true; first || !this.#sees(']'); first = false) {
      const from = this.#member(found);
      if (from === undefined) continue;
      const isRange = this.#sees('-') && this.#pattern[this.#at + 1] !== ']';
      if (isRange) this.#at++;
      const to = isRange ? this.#member([]) : from;
      if (to === undefined || to < from) throw new NotUnderstood();
      found.push(...range(from, to));
    }
    this.#at++;
    return negated ? this.#others(found) : this.#folded(found);
  }

  /** A letter by its code; a class is put in `found`. */
  #member(found: number[]): number | undefined {
    const sign = this.#next();
    if (sign === '[' && this.#sees(':')) throw new NotUnderstood();
    if (sign !== '\\') return asciiOf(sign);
    const name = this.#next();
    const known = classes[name];
    if (known === undefined) return asciiOf(escaped(name));
    // Of the class of blanks the line end is no part here, as nowhere.
    found.push(...known);
    return undefined;
  }

  #folded(given: readonly number[]): Node {
    if (!this.#ignoreCase) return set(given, []);
    return set(bothCases(given), beyondOf(given));
  }

  #others(given: readonly number[]): Node {
    const found = new Set(this.#ignoreCase ? bothCases(given) : given);
    if (this.#ignoreCase && beyondOf(given).length > 0) throw new NotUnderstood();
    return set(
      all.filter((code) => !found.has(code)),
      'all',
    );
  }

  #repeated(node: Node): Node {
    const bounds = this.#bounds();
    if (bounds === undefined) return node;
    this.#takes('?');
    if (node.kind === 'edge' || this.#bounds() !== undefined) throw new NotUnderstood();
    return { kind: 'repeat', node, ...bounds };
  }

  #bounds(): { least: number; most: number } | undefined {
    if (this.#takes('?')) return { least: 0, most: 1 };
    if (this.#takes('*')) return { least: 0, most: Number.POSITIVE_INFINITY };
    if (this.#takes('+')) return { least: 1, most: Number.POSITIVE_INFINITY };
    const counted = /^\{(\d+)(,?)(\d*)\}/.exec(this.#pattern.slice(this.#at, this.#at + 20));
    if (counted === null) return undefined;
    const [whole, least = '0', comma, most = ''] = counted;
    this.#at += whole.length;
    const open = comma === ',' ? Number.POSITIVE_INFINITY : Number(least);
    return { least: Number(least), most: most === '' ? open : Number(most) };
  }

  #sees(sign: string): boolean {
    return this.#pattern[this.#at] === sign;
  }

  #takes(sign: string): boolean {
    if (!this.#sees(sign)) return false;
    this.#at++;
    return true;
  }

  #next(): string {
    if (this.atEnd) throw new NotUnderstood();
    const sign = String.fromCodePoint(this.#pattern.codePointAt(this.#at) ?? 0);
    this.#at += sign.length;
    return sign;
  }
}

function escaped(sign: string): string {
  const known = letters[sign];
  if (known !== undefined) return known;
  if (/^[^A-Za-z0-9]$/u.test(sign)) return sign;
  throw new NotUnderstood();
}

function asciiOf(sign: string): number {
  const code = sign.codePointAt(0) ?? 0;
  if (code >= 128) throw new NotUnderstood();
  return code;
}

function set(given: readonly number[], beyond: LetterSet['beyond']): Node {
  return { kind: 'set', set: { ascii: new Set(given.filter((code) => code !== NEWLINE)), beyond } };
}

function bothCases(given: readonly number[]): number[] {
  return given.flatMap((code) => {
    const letter = String.fromCharCode(code);
    return codes(letter.toLowerCase() + letter.toUpperCase());
  });
}

/** Two letters of ASCII have another case beyond it: the long s and the Kelvin sign. */
function beyondOf(given: readonly number[]): string[] {
  const has = (letter: string) => bothCases(given).includes(letter.charCodeAt(0));
  return [...(has('s') ? ['\u017f'] : []), ...(has('k') ? ['\u212a'] : [])];
}
