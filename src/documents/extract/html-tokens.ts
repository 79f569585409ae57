/**
 * A page as tags and text, in one pass from left to right, whatever is wrong with it: no step goes back, and what is not
 * closed goes to the end. Scripts, styles and comments are left out here, so that nothing after this meets them.
 */
import { decodeEntities } from './html-entities.ts';

export type HtmlToken =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'open'; readonly name: string; readonly attributes: ReadonlyMap<string, string> }
  | { readonly kind: 'close'; readonly name: string };

/** What they hold is not markup; that of the last two is text to read. */
const rawElements = new Set(['script', 'style', 'iframe', 'noembed', 'noframes', 'xmp', 'textarea', 'title']);
const shownRaw = new Set(['xmp', 'textarea', 'title']);
const LONGEST_NAME = 40;
const LONGEST_VALUE = 2000;
const MAX_ATTRIBUTES = 50;

export function* tokensOf(html: string): Generator<HtmlToken> {
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    if (open < 0) break;
    const next = html.charCodeAt(open + 1);
    if (isLetter(next) || (next === SLASH && isLetter(html.charCodeAt(open + 2)))) {
      if (open > at) yield textToken(html.slice(at, open));
      const tag = tagAt(html, open);
      if (tag === undefined) return;
      yield tag.token;
      at = tag.end;
      if (tag.token.kind === 'open' && rawElements.has(tag.token.name)) {
        const { name } = tag.token;
        const end = rawEnd(html, at, name);
        if (shownRaw.has(name) && end > at) yield textToken(html.slice(at, end));
        at = end;
      }
    } else if (next === BANG || next === QUESTION || next === SLASH) {
      if (open > at) yield textToken(html.slice(at, open));
      at = remarkEnd(html, open);
    } else {
      yield textToken(html.slice(at, open + 1));
      at = open + 1;
    }
  }
  if (at < html.length) yield textToken(html.slice(at));
}

const BANG = 0x21;
const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const SLASH = 0x2f;
const EQUALS = 0x3d;
const MORE = 0x3e;
const QUESTION = 0x3f;

function isLetter(code: number): boolean {
  return (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 9 && code <= 13);
}

function textToken(text: string): HtmlToken {
  return { kind: 'text', text: decodeEntities(text) };
}

/** The tag that begins here; nothing where the page ends within it. */
function tagAt(html: string, open: number): { token: HtmlToken; end: number } | undefined {
  const closing = html.charCodeAt(open + 1) === SLASH;
  let at = open + (closing ? 2 : 1);
  const from = at;
  while (at < html.length && !endsName(html.charCodeAt(at))) at += 1;
  const name = html.slice(from, Math.min(at, from + LONGEST_NAME)).toLowerCase();
  const attributes = new Map<string, string>();
  while (at < html.length) {
    const code = html.charCodeAt(at);
    if (code === MORE) {
      const token: HtmlToken = closing ? { kind: 'close', name } : { kind: 'open', name, attributes };
      return { token, end: at + 1 };
    }
    at = isSpace(code) || code === SLASH ? at + 1 : readAttribute(html, at, attributes);
  }
  return undefined;
}

function endsName(code: number): boolean {
  return code === MORE || code === SLASH || isSpace(code);
}

/** Keeps the attribute, the first of its name, and answers where it ends. */
function readAttribute(html: string, from: number, attributes: Map<string, string>): number {
  let at = from + 1;
  while (at < html.length && !endsName(html.charCodeAt(at)) && html.charCodeAt(at) !== EQUALS) at += 1;
  const name = html.slice(from, Math.min(at, from + LONGEST_NAME)).toLowerCase();
  const nameEnd = at;
  while (at < html.length && isSpace(html.charCodeAt(at))) at += 1;
  if (html.charCodeAt(at) !== EQUALS) {
    keep(attributes, name, '');
    return nameEnd;
  }
  at += 1;
  while (at < html.length && isSpace(html.charCodeAt(at))) at += 1;
  const quote = html.charCodeAt(at);
  if (quote === QUOTE || quote === APOSTROPHE) {
    const close = html.indexOf(quote === QUOTE ? '"' : "'", at + 1);
    if (close < 0) return html.length;
    keep(attributes, name, html.slice(at + 1, close));
    return close + 1;
  }
  const start = at;
  while (at < html.length && html.charCodeAt(at) !== MORE && !isSpace(html.charCodeAt(at))) at += 1;
  keep(attributes, name, html.slice(start, at));
  return at;
}

function keep(attributes: Map<string, string>, name: string, value: string): void {
  if (attributes.size >= MAX_ATTRIBUTES || attributes.has(name)) return;
  attributes.set(name, decodeEntities(value.slice(0, LONGEST_VALUE)));
}

function rawEnd(html: string, from: number, name: string): number {
  const close = new RegExp(`</${name}(?=[\\s/>])`, 'gi');
  close.lastIndex = from;
  return close.exec(html)?.index ?? html.length;
}

/** Behind a comment, a declaration or what browsers take for one. */
function remarkEnd(html: string, open: number): number {
  if (html.startsWith('<!--', open)) {
    if (html.startsWith('>', open + 4)) return open + 5;
    const close = html.indexOf('-->', open + 4);
    return close < 0 ? html.length : close + 3;
  }
  const close = html.indexOf('>', open);
  return close < 0 ? html.length : close + 1;
}
