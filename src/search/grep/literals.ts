/**
 * What a text must hold so that a regular expression can match in it. With it most texts need not be looked at. Where there
 * is doubt the answer is "anything": to look in vain costs time, to miss a match is wrong.
 */

/** Any of the alternatives, and of it every piece. An alternative without pieces may match anywhere. */
export type Required = readonly (readonly string[])[];

/** In RE2's syntax. Pieces are as the pattern writes them; whoever compares them minds the case. */
export function requiredIn(pattern: string): Required {
  const reader = new Reader(pattern);
  const alternatives = reader.alternatives();
  return reader.understood && reader.atEnd ? alternatives : [[]];
}

/** The text that a pattern stands for, where it is nothing but that text. */
export function literalOf(pattern: string): string | undefined {
  // Half a pair of surrogates is a letter of its own, never the half of another one.
  return /^[^\\^$.|?*+()[\]{}\p{Surrogate}]+$/u.test(pattern) ? pattern : undefined;
}

const escaped: Readonly<Record<string, string>> = { t: '\t' };
/** Classes and places: they match something, but no certain letters. */
const vague = /^[dDsSwWbBAzZnrfv]$/;

class Reader {
  readonly #pattern: string;
  #at = 0;
  understood = true;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  get atEnd(): boolean {
    return this.#at >= this.#pattern.length;
  }

  /** Up to the end, or to the bracket that closes the group one is in. */
  alternatives(): string[][] {
    const found: string[][] = [[]];
    let run = '';
    const end = () => {
      if (run !== '') found.at(-1)?.push(run);
      run = '';
    };
    while (this.#at < this.#pattern.length && this.#pattern[this.#at] !== ')') {
      if (this.#pattern[this.#at] === '|') {
        this.#at++;
        end();
        found.push([]);
        continue;
      }
      const literal = this.#atom();
      const least = this.#least();
      if (literal !== undefined && least > 0) run += literal;
      // What is repeated may stand there once or often: nothing is known of what follows it directly.
      if (literal === undefined || least !== 1 || this.#repeated) end();
      if (literal !== undefined && least === 0) run = '';
    }
    end();
    return found;
  }

  #repeated = false;

  /** One letter that must be there; `undefined` for anything else. */
  #atom(): string | undefined {
    const sign = this.#next();
    if (sign === '(') return this.#group();
    if (sign === '[') return this.#set();
    if (sign === '\\') return this.#escape();
    return sign === '.' || sign === '^' || sign === '$' ? undefined : sign;
  }

  #group(): undefined {
    // A group that sets flags changes what letters mean from there on.
    const named = /^\?(?::|P?<)/.exec(this.#pattern.slice(this.#at, this.#at + 3));
    if (named !== null) this.#at += named[0].length;
    else if (this.#pattern[this.#at] === '?') this.understood = false;
    // Its own pieces are not used: what is in a group may be optional, and groups are seldom all there is.
    this.alternatives();
    if (this.#next() !== ')') this.understood = false;
    return undefined;
  }

  #set(): undefined {
    if (this.#pattern[this.#at] === '^') this.#at++;
    if (this.#pattern[this.#at] === ']') this.#at++;
    while (this.#at < this.#pattern.length) {
      const sign = this.#next();
      if (sign === '\\') this.#at++;
      else if (sign === '[' && this.#pattern[this.#at] === ':') {
        const close = this.#pattern.indexOf(':]', this.#at);
        if (close >= 0) this.#at = close + 2;
      } else if (sign === ']') return undefined;
    }
    this.understood = false;
    return undefined;
  }

  #escape(): string | undefined {
    const sign = this.#next();
    if (vague.test(sign)) return undefined;
    const known = escaped[sign];
    if (known !== undefined) return known;
    if (/^[^A-Za-z0-9]$/u.test(sign)) return sign;
    this.understood = false;
    return undefined;
  }

  /** How often at least what was read must be there. */
  #least(): number {
    const sign = this.#pattern[this.#at];
    this.#repeated = true;
    if (sign === '?' || sign === '*') return this.#quantified(1, 0);
    if (sign === '+') return this.#quantified(1, 1);
    const counted = sign === '{' ? /^\{(\d+)(?:,\d*)?\}/.exec(this.#pattern.slice(this.#at, this.#at + 20)) : null;
    if (counted !== null) return this.#quantified(counted[0].length, Math.min(1, Number(counted[1])));
    this.#repeated = false;
    return 1;
  }

  #quantified(length: number, least: number): number {
    this.#at += length;
    if (this.#pattern[this.#at] === '?') this.#at++;
    return least;
  }

  #next(): string {
    const sign = String.fromCodePoint(this.#pattern.codePointAt(this.#at) ?? 0);
    this.#at += sign.length;
    return sign;
  }
}
