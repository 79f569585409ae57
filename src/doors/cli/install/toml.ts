/**
 * Codex keeps its settings in TOML. One table is put in or taken out; every other byte stays. The reader below knows only
 * as much TOML as it takes to be sure where statements begin and end and what they define.
 *
 * Ours is known by the comment above its header. There is no closing mark: Codex itself writes new tables at the end of
 * the file, before trailing comments, and what it wrote between two marks would be taken out with them.
 */
import { CairnError } from '../../../errors.ts';
import { eolOf } from './json-edit.ts';
import { lineOf, unreadable } from './jsonc.ts';

export interface TomlText {
  readonly text: string;
  readonly file: string;
}

export interface TomlServer {
  readonly command: string;
  readonly args: readonly string[];
}

interface Statement {
  readonly kind: 'table' | 'key';
  /** The whole name: of a key, that of its table is in front. */
  readonly path: readonly string[];
  readonly start: number;
  readonly end: number;
  readonly value?: string;
}

export const tomlMark = '# Written by cairn install; cairn uninstall takes it out.';
const OURS = ['mcp_servers', 'cairn'];

export interface TomlFound {
  readonly owner: 'nobody' | 'cairn' | 'user';
  /** The lines of the table, from its header to its last key. */
  readonly lines: string;
}

export function findServer(toml: TomlText): TomlFound {
  const { own } = look(toml);
  const [header] = own;
  if (header === undefined) return { owner: 'nobody', lines: '' };
  const marked = toml.text.slice(0, header.start).trimEnd().endsWith(tomlMark);
  return { owner: marked ? 'cairn' : 'user', lines: toml.text.slice(header.start, tableEnd(own)) };
}

/** With the server in it: in place of one that is there, else at the end. */
export function putServer(toml: TomlText, server: TomlServer): string {
  const { text } = toml;
  const { own } = look(toml);
  const eol = eolOf(text);
  const lines = serverLines(server).join(eol);
  const [header] = own;
  if (header !== undefined) return text.slice(0, header.start) + lines + text.slice(tableEnd(own));
  const gap = text.trim() === '' ? '' : text.endsWith('\n') ? eol : eol + eol;
  return `${text}${gap}${tomlMark}${eol}${lines}${eol}`;
}

export function serverLines({ command, args }: TomlServer): string[] {
  return [`[${OURS.join('.')}]`, `command = ${quoted(command)}`, `args = [${args.map(quoted).join(', ')}]`];
}

/** Without the server, the tables below it, our mark and the empty line that we put before it. */
export function takeServer(toml: TomlText): string {
  let { text } = toml;
  for (const part of stretches(toml).reverse()) {
    const before = text.slice(0, part.start).replace(new RegExp(`${escaped(tomlMark)}\\r?\\n$`), '');
    const marked = before.length < part.start;
    const after = text.slice(part.end).replace(/^[ \t]*\r?\n/, '');
    text = (marked ? before.replace(/(^|\n)\r?\n$/, '$1') : before) + after;
  }
  return text;
}

/** Each run of statements that belong to us, as tables may stand apart. */
function stretches(toml: TomlText): { start: number; end: number }[] {
  const parts: { start: number; end: number }[] = [];
  let open = false;
  for (const statement of look(toml).all) {
    const ours = isOurs(statement);
    if (ours && open) (parts.at(-1) as { end: number }).end = statement.end;
    else if (ours) parts.push({ start: statement.start, end: statement.end });
    open = ours;
  }
  return parts;
}

function isOurs({ path }: Statement): boolean {
  return OURS.every((name, index) => path[index] === name);
}

/** The end of the first table: its header and the keys below it, not the tables after it. */
function tableEnd(own: readonly Statement[]): number {
  const next = own.findIndex(({ kind }, index) => index > 0 && kind === 'table');
  return (next === -1 ? own : own.slice(0, next)).at(-1)?.end ?? 0;
}

function look(toml: TomlText): { all: readonly Statement[]; own: readonly Statement[] } {
  const all = statementsOf(toml);
  for (const { path, start, value, kind } of all) {
    const line = lineOf(toml.text, start);
    const inline = kind === 'key' && value?.startsWith('{') && (path.length === 1 ? path[0] === OURS[0] : false);
    if (inline) throw unreadable(toml.file, line, 'mcp_servers is written in braces, to which no table can be added');
  }
  const own = all.filter(isOurs);
  const [first] = own;
  if (first !== undefined && (first.kind !== 'table' || first.path.length !== OURS.length)) {
    throw new CairnError(
      'conflict',
      `${toml.file}, line ${lineOf(toml.text, first.start)}: the server cairn is there already, written in another way`,
      { suggestion: 'Remove those lines or write them as [mcp_servers.cairn], then try again.' },
    );
  }
  return { all, own };
}

function statementsOf({ text, file }: TomlText): Statement[] {
  const statements: Statement[] = [];
  let table: readonly string[] = [];
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const fail = (why: string) => unreadable(file, lineOf(text, at), why);
  for (;;) {
    at = skipBlankLines(text, at);
    if (at >= text.length) return statements;
    const start = at;
    const header = /\[{1,2}/y;
    header.lastIndex = at;
    const open = header.exec(text)?.[0];
    const name = nameAt(text, at + (open?.length ?? 0));
    if (name === undefined) throw fail('a name is missing or not closed');
    at = name.end;
    if (open !== undefined) {
      const close = open.replaceAll('[', ']');
      if (!text.startsWith(close, at)) throw fail(`${close} is missing`);
      at += close.length;
      table = name.path;
      statements.push({ kind: 'table', path: table, start, end: at });
    } else {
      if (text[at] !== '=') throw fail('an equals sign is missing');
      at++;
      while (text[at] === ' ' || text[at] === '\t') at++;
      const end = valueEnd(text, at);
      if (end === undefined) throw fail('the value is missing or not closed');
      statements.push({ kind: 'key', path: [...table, ...name.path], start, end, value: text.slice(at, end) });
      at = end;
    }
    const rest = /[ \t]*(#[^\n]*)?(\r?\n|$)/y;
    rest.lastIndex = at;
    if (!rest.test(text)) throw fail('there is more on the line than belongs there');
    at = rest.lastIndex;
  }
}

function skipBlankLines(text: string, from: number): number {
  const blank = /(?:[ \t\r\n]|#[^\n]*)*/y;
  blank.lastIndex = from;
  blank.test(text);
  return blank.lastIndex;
}

/** `a.b."c d"`, and where it ends, blanks included. */
function nameAt(text: string, from: number): { path: string[]; end: number } | undefined {
  const part = /[ \t]*(?:([A-Za-z0-9_-]+)|("(?:[^"\\\n]|\\.)*")|'([^'\n]*)')[ \t]*(\.?)/y;
  part.lastIndex = from;
  const path: string[] = [];
  for (;;) {
    const found = part.exec(text);
    if (found === null) return undefined;
    path.push(found[1] ?? found[3] ?? basicString(found[2] ?? ''));
    if (found[4] === '') return { path, end: part.lastIndex };
  }
}

/** A quoted name; one with an escape that only TOML has is no name of ours, whatever it is. */
function basicString(quotedName: string): string {
  try {
    return String(JSON.parse(quotedName));
  } catch {
    return quotedName;
  }
}

/** Where a value ends: strings whole, brackets closed, else up to the end of the line or a comment. */
function valueEnd(text: string, from: number): number | undefined {
  const closers: string[] = [];
  let at = from;
  while (at < text.length) {
    const char = text.charAt(at);
    if (char === '"' || char === "'") {
      const end = stringEnd(text, at, char);
      if (end === undefined) return undefined;
      at = end;
    } else if (char === '[' || char === '{') {
      closers.push(char === '[' ? ']' : '}');
      at++;
    } else if (char === ']' || char === '}') {
      if (closers.pop() !== char) return undefined;
      at++;
    } else if (closers.length === 0 && (char === '\n' || char === '#')) break;
    else if (char === '#') at = text.indexOf('\n', at) === -1 ? text.length : text.indexOf('\n', at);
    else at++;
  }
  const end = from + text.slice(from, at).trimEnd().length;
  return closers.length > 0 || end === from ? undefined : end;
}

function stringEnd(text: string, start: number, quote: string): number | undefined {
  const long = text.startsWith(quote.repeat(3), start);
  const close = long ? quote.repeat(3) : quote;
  for (let at = start + close.length; at < text.length; at++) {
    if (quote === '"' && text[at] === '\\') at++;
    else if (!long && text[at] === '\n') return undefined;
    else if (text.startsWith(close, at)) {
      let end = at + close.length;
      // A long string may end in quotes of its own: the last three close it.
      while (long && text[end] === quote) end++;
      return end;
    }
  }
  return undefined;
}

/** A JSON string is a TOML string but for one character, which JSON leaves bare. */
function quoted(value: string): string {
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f');
}

function escaped(literal: string): string {
  return literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
