/**
 * Changes one thing in a JSON text and leaves every other byte as it was: comments, order, indentation, line ends and
 * trailing commas. What is put in at the end of a container comes out again without a trace.
 */
import { CairnError } from '../../../errors.ts';
import { type Container, commentEnd, type JsonNode, lineOf, parseJsonc, plainValue } from './jsonc.ts';

export type Path = readonly string[];

export interface JsonText {
  readonly text: string;
  /** The name of the file in messages. */
  readonly file: string;
}

/** The value at a path, or `undefined` where there is none. */
export function valueAt(json: JsonText, path: Path): unknown {
  const node = nodeAt(json, path);
  return node === undefined ? undefined : plainValue(node);
}

/** Sets a property; objects that are missing on the way are made. */
export function setProperty(json: JsonText, path: Path, value: unknown): string {
  const present = nodeAt(json, path);
  if (present !== undefined) {
    return replaced(
      json.text,
      present.start,
      present.end,
      written(json.text, value, indentOfLine(json.text, present.start)),
    );
  }
  const { parent, rest } = deepest(json, path);
  const [key = '', ...inner] = rest;
  return inserted(json.text, parent, nested(inner, value), key);
}

/** Adds an item at the end of an array; the array is made where it is missing. */
export function appendItem(json: JsonText, path: Path, value: unknown): string {
  const array = nodeAt(json, path);
  if (array === undefined) return setProperty(json, path, [value]);
  if (array.kind !== 'array') throw notA(json, 'an array', path, array);
  return inserted(json.text, array, value);
}

export function replaceItem(json: JsonText, path: Path, index: number, value: unknown): string {
  const item = containerAt(json, path)?.elements[index]?.value;
  if (item === undefined) return json.text;
  return replaced(json.text, item.start, item.end, written(json.text, value, indentOfLine(json.text, item.start)));
}

export function removeProperty(json: JsonText, path: Path): string {
  const parent = containerAt(json, path.slice(0, -1));
  const index = parent?.kind === 'object' ? lastIndexOfKey(parent, path.at(-1) ?? '') : -1;
  return parent === undefined || index === -1 ? json.text : withoutElement(json.text, parent, index);
}

export function removeItem(json: JsonText, path: Path, index: number): string {
  const array = containerAt(json, path);
  return array?.kind !== 'array' || array.elements[index] === undefined
    ? json.text
    : withoutElement(json.text, array, index);
}

/** Where a path leads, seen from the root; a way that is barred by another kind of value is an error. */
function nodeAt(json: JsonText, path: Path): JsonNode | undefined {
  let node: JsonNode = rootOf(json);
  for (const [depth, key] of path.entries()) {
    if (node.kind === 'scalar') throw notA(json, 'an object', path.slice(0, depth), node);
    const index: number = node.kind === 'array' ? indexFrom(json, path, depth, node) : lastIndexOfKey(node, key);
    const element: JsonNode | undefined = node.elements[index]?.value;
    if (element === undefined) return undefined;
    node = element;
  }
  return node;
}

function containerAt(json: JsonText, path: Path): Container | undefined {
  const node = nodeAt(json, path);
  return node === undefined || node.kind === 'scalar' ? undefined : node;
}

/** The innermost object on the way to a path that exists, and what is left of the way. */
function deepest(json: JsonText, path: Path): { parent: Container; rest: Path } {
  for (let used = path.length - 1; used >= 0; used--) {
    const node = nodeAt(json, path.slice(0, used));
    if (node === undefined) continue;
    if (node.kind !== 'object') throw notA(json, 'an object', path.slice(0, used), node);
    return { parent: node, rest: path.slice(used) };
  }
  throw notA(json, 'an object', [], rootOf(json));
}

function rootOf(json: JsonText): Container {
  const root = parseJsonc(json.text, json.file);
  if (root.kind !== 'object') throw notA(json, 'an object', [], root);
  return root;
}

/** A step into an array is a number; any other is a way that expected an object. */
function indexFrom(json: JsonText, path: Path, depth: number, node: Container): number {
  const key = path[depth] ?? '';
  if (!/^\d+$/.test(key)) throw notA(json, 'an object', path.slice(0, depth), node);
  return Number(key);
}

/** Of a key that is given twice the last one counts, as it does for JSON.parse. */
function lastIndexOfKey({ elements }: Container, key: string): number {
  return elements.findLastIndex((element) => element.key === key);
}

function notA({ text, file }: JsonText, wanted: string, path: Path, node: JsonNode): CairnError {
  const line = lineOf(text, node.start);
  const what = path.length === 0 ? 'the file' : path.join('.');
  return new CairnError('validation_failed', `${file}, line ${line}: ${what} is not ${wanted}. Nothing was changed`, {
    file,
    line,
    suggestion: `Make it ${wanted}, or move the file away, then try again.`,
  });
}

function nested(path: Path, value: unknown): unknown {
  return path.reduceRight((inner, key) => ({ [key]: inner }), value);
}

function inserted(text: string, parent: Container, value: unknown, key?: string): string {
  const lead = key === undefined ? '' : `${JSON.stringify(key)}: `;
  const last = parent.elements.at(-1);
  if (last === undefined) return insertedFirst(text, parent, value, lead);
  const lastEnd = last.comma === undefined ? last.value.end : last.comma + 1;
  const trailing = last.comma === undefined ? '' : ',';
  const comma = last.comma === undefined ? ',' : '';
  const before = text.slice(0, lastEnd) + comma;
  if (!beginsLine(text, last.start)) {
    return `${before} ${lead}${compact(value)}${trailing}${text.slice(lastEnd)}`;
  }
  const indent = indentOfLine(text, last.start);
  const point = endOfLineComments(text, lastEnd);
  const element = `${eolOf(text)}${indent}${lead}${written(text, value, indent)}${trailing}`;
  return before + text.slice(lastEnd, point) + element + text.slice(point);
}

function insertedFirst(text: string, parent: Container, value: unknown, lead: string): string {
  const outer = indentOfLine(text, parent.start);
  const indent = outer + unitOf(text);
  const point = afterLastComment(text, parent);
  const rest = text.slice(point, parent.end - 1);
  const close = rest.includes('\n') ? rest : eolOf(text) + outer;
  const element = `${eolOf(text)}${indent}${lead}${written(text, value, indent)}`;
  return text.slice(0, point) + element + close + text.slice(parent.end - 1);
}

function withoutElement(text: string, parent: Container, index: number): string {
  const element = parent.elements[index];
  if (element === undefined) return text;
  const from = blanksBefore(text, element.start);
  const to = element.comma === undefined ? element.value.end : element.comma + 1;
  const previous = parent.elements[index - 1];
  const alone = parent.elements.length === 1;
  if (alone && text.slice(parent.start + 1, from).trim() === '' && text.slice(to, parent.end - 1).trim() === '') {
    return replaced(text, parent.start + 1, parent.end - 1, '');
  }
  // The line break that ends a line comment must stay, unless another one follows.
  const kept =
    endsInLineComment(text, parent.start + 1, from) && !/^[ \t]*\r?\n/.test(text.slice(to)) ? eolOf(text) : '';
  const shortened = replaced(text, from, to, kept);
  // The last element goes with the comma that parted it from the one before.
  const lone = element.comma === undefined && previous?.comma !== undefined;
  return lone ? replaced(shortened, previous.comma, previous.comma + 1, '') : shortened;
}

/** The blanks that belong to an element: those before it on its line, and one line break. */
function blanksBefore(text: string, offset: number): number {
  let at = offset;
  while (text[at - 1] === ' ' || text[at - 1] === '\t') at--;
  if (text[at - 1] !== '\n') return at;
  return text[at - 2] === '\r' ? at - 2 : at - 1;
}

/** Whether the last thing between `start` and `end` is a line comment. */
function endsInLineComment(text: string, start: number, end: number): boolean {
  let comment = false;
  for (let at = start; at < end; ) {
    const close = commentEnd(text, at);
    comment = close > at && text[at + 1] === '/' && close === end;
    if (close > at) at = close;
    else if (text[at] === '"') at = stringEnd(text, at);
    else at++;
  }
  return comment;
}

function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** Past the comments that stand on the same line: they speak of the element before them. */
function endOfLineComments(text: string, from: number): number {
  let point = from;
  for (let at = from; ; ) {
    while (text[at] === ' ' || text[at] === '\t') at++;
    const end = commentEnd(text, at);
    if (end === at || text.slice(at, end).includes('\n')) return point;
    point = end;
    at = end;
  }
}

function afterLastComment(text: string, parent: Container): number {
  let point = parent.start + 1;
  for (let at = point; at < parent.end - 1; ) {
    const end = commentEnd(text, at);
    if (end > at) point = end;
    at = end > at ? end : at + 1;
  }
  return point;
}

function beginsLine(text: string, offset: number): boolean {
  return /(^|\n)[ \t]*$/.test(text.slice(Math.max(0, text.lastIndexOf('\n', offset - 1)), offset));
}

function indentOfLine(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))?.[0] ?? '';
}

export function eolOf(text: string): string {
  const first = text.indexOf('\n');
  return first > 0 && text[first - 1] === '\r' ? '\r\n' : '\n';
}

/** One step of indentation: what the first indented line has. */
function unitOf(text: string): string {
  return /\n(\t| {1,8})(?=["[{\]}\w])/.exec(text)?.[1] ?? '  ';
}

function written(text: string, value: unknown, indent: string): string {
  return JSON.stringify(value, null, unitOf(text)).replaceAll('\n', eolOf(text) + indent);
}

function compact(value: unknown): string {
  return JSON.stringify(value);
}

function replaced(text: string, start: number, end: number, by: string): string {
  return text.slice(0, start) + by + text.slice(end);
}
