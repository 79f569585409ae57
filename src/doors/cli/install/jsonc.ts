/**
 * Reads JSON as editors write it (comments, trailing commas, a byte order mark) into a tree that knows where each thing
 * stands, so that json-edit.ts can change one thing and leave every other byte alone.
 */
import { CairnError } from '../../../errors.ts';

export interface Element {
  /** Where the element begins: at its key in an object, at its value in an array. */
  readonly start: number;
  readonly key?: string;
  readonly value: JsonNode;
  /** Where the comma after it stands, if one does. */
  readonly comma?: number;
}

export interface Container {
  readonly kind: 'object' | 'array';
  readonly start: number;
  readonly end: number;
  readonly elements: readonly Element[];
}

export interface Scalar {
  readonly kind: 'scalar';
  readonly start: number;
  readonly end: number;
  readonly value: string | number | boolean | null;
}

export type JsonNode = Container | Scalar;

/** No configuration is as deep; a file that is would only exhaust the stack. */
const DEEPEST = 200;

export function parseJsonc(text: string, file: string): JsonNode {
  return new Reader(text, file).document();
}

export function plainValue(node: JsonNode): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'array') return node.elements.map(({ value }) => plainValue(value));
  return Object.fromEntries(node.elements.map(({ key = '', value }) => [key, plainValue(value)]));
}

/** The line on which an offset stands, counted from one. */
export function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let index = text.indexOf('\n'); index !== -1 && index < offset; index = text.indexOf('\n', index + 1)) line++;
  return line;
}

/** Where blanks and comments from an offset end. */
export function skipTrivia(text: string, from: number): number {
  let at = from;
  for (;;) {
    while (isBlank(text.charCodeAt(at))) at++;
    const end = commentEnd(text, at);
    if (end === at) return at;
    at = end;
  }
}

/** Where the comment that begins here ends (a line comment before its line break); the same offset if none does. */
export function commentEnd(text: string, at: number): number {
  if (text.startsWith('//', at)) {
    let end = at;
    while (end < text.length && text[end] !== '\n' && text[end] !== '\r') end++;
    return end;
  }
  if (!text.startsWith('/*', at)) return at;
  const close = text.indexOf('*/', at + 2);
  return close === -1 ? at : close + 2;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}

export function unreadable(file: string, line: number, why: string): CairnError {
  return new CairnError('validation_failed', `${file}, line ${line}: ${why}. Nothing was changed`, {
    file,
    line,
    suggestion: 'Mend the file (your editor shows the place), then try again.',
  });
}

class Reader {
  readonly #text: string;
  readonly #file: string;
  #at = 0;

  constructor(text: string, file: string) {
    this.#text = text;
    this.#file = file;
    if (text.charCodeAt(0) === 0xfeff) this.#at = 1;
  }

  document(): JsonNode {
    this.#skip();
    const node = this.#value(0);
    this.#skip();
    if (this.#at < this.#text.length) throw this.#error('there is more after the end of the JSON value');
    return node;
  }

  #value(depth: number): JsonNode {
    if (depth > DEEPEST) throw this.#error(`it is nested more than ${DEEPEST} levels deep`);
    const next = this.#text[this.#at];
    if (next === '{') return this.#container('object', '}', depth);
    if (next === '[') return this.#container('array', ']', depth);
    if (next === '"') return this.#string();
    return this.#word();
  }

  #container(kind: 'object' | 'array', close: string, depth: number): Container {
    const start = this.#at++;
    const elements: Element[] = [];
    for (this.#skip(); this.#text[this.#at] !== close; this.#skip()) {
      const last = elements.at(-1);
      if (last !== undefined && last.comma === undefined) throw this.#error(`a comma or ${close} is missing`);
      elements.push(this.#element(kind, depth));
    }
    this.#at++;
    return { kind, start, end: this.#at, elements };
  }

  #element(kind: 'object' | 'array', depth: number): Element {
    const start = this.#at;
    const key = kind === 'object' ? this.#key() : undefined;
    const value = this.#value(depth + 1);
    this.#skip();
    const comma = this.#text[this.#at] === ',' ? this.#at++ : undefined;
    return { start, value, ...(key !== undefined && { key }), ...(comma !== undefined && { comma }) };
  }

  #key(): string {
    if (this.#text[this.#at] !== '"') throw this.#error('a key in double quotes is missing');
    const key = String(this.#string().value);
    this.#skip();
    if (this.#text[this.#at] !== ':') throw this.#error(`a colon is missing after ${JSON.stringify(key)}`);
    this.#at++;
    this.#skip();
    return key;
  }

  #string(): Scalar {
    const start = this.#at;
    let end = start + 1;
    while (this.#text[end] !== '"') {
      if (end >= this.#text.length || this.#text[end] === '\n') throw this.#error('a string is not closed');
      end += this.#text[end] === '\\' ? 2 : 1;
    }
    return this.#scalar(start, end + 1, 'a string has a character or an escape that JSON does not allow');
  }

  #word(): Scalar {
    const start = this.#at;
    let end = start;
    while (end < this.#text.length && /[\w.+-]/.test(this.#text.charAt(end))) end++;
    if (end === start) {
      throw this.#error(
        end < this.#text.length ? `${JSON.stringify(this.#text[end])} is out of place` : 'it ends early',
      );
    }
    return this.#scalar(start, end, `${JSON.stringify(this.#text.slice(start, start + 20))} is no JSON value`);
  }

  #scalar(start: number, end: number, complaint: string): Scalar {
    try {
      const value = JSON.parse(this.#text.slice(start, end)) as Scalar['value'];
      this.#at = end;
      return { kind: 'scalar', start, end, value };
    } catch {
      throw this.#error(complaint);
    }
  }

  #skip(): void {
    this.#at = skipTrivia(this.#text, this.#at);
    if (this.#text.startsWith('/*', this.#at)) throw this.#error('a comment is not closed');
  }

  #error(why: string): CairnError {
    return unreadable(this.#file, lineOf(this.#text, this.#at), why);
  }
}
