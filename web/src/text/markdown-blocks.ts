/** Markdown as a tree of blocks: enough of CommonMark for instructions and decisions. Pure, and linear in the text. */

export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly start: number; readonly items: readonly Item[] }
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'rule' };

export interface Item {
  /** Of a task list: whether it is done. */
  readonly done?: boolean;
  readonly blocks: readonly Block[];
}

const MOST_DEPTH = 8;

export function blocksOf(text: string, depth = 0): Block[] {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const [block, next] = readBlock(lines, at, depth);
    if (block !== undefined) blocks.push(block);
    at = Math.max(next, at + 1);
  }
  return blocks;
}

type Read = readonly [Block | undefined, number];

function readBlock(lines: readonly string[], at: number, depth: number): Read {
  const line = lines[at] ?? '';
  if (line.trim() === '') return [undefined, at + 1];
  const fence = /^ {0,3}(`{3,}|~{3,})\s*([^`\s]*)/.exec(line);
  if (fence !== null) return readFence(lines, at, fence[1] ?? '```', fence[2] ?? '');
  const heading = /^ {0,3}(#{1,6})(?:\s+(.*))?$/.exec(line);
  if (heading !== null) {
    const words = (heading[2] ?? '').replace(/\s+#+\s*$/, '');
    return [{ kind: 'heading', level: (heading[1] ?? '#').length, text: words }, at + 1];
  }
  if (/^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/.test(line)) return [{ kind: 'rule' }, at + 1];
  if (depth < MOST_DEPTH && /^ {0,3}>/.test(line)) return readQuote(lines, at, depth);
  if (depth < MOST_DEPTH && markerOf(line) !== undefined) return readList(lines, at, depth);
  if (isTable(lines, at)) return readTable(lines, at);
  if (/^ {4}|^\t/.test(line)) return readIndented(lines, at);
  return readParagraph(lines, at);
}

function readFence(lines: readonly string[], at: number, fence: string, language: string): Read {
  const closing = new RegExp(`^ {0,3}${fence[0] === '~' ? '~' : '`'}{${fence.length},}\\s*$`);
  let end = at + 1;
  while (end < lines.length && !closing.test(lines[end] ?? '')) end++;
  return [{ kind: 'code', language: language.toLowerCase(), text: lines.slice(at + 1, end).join('\n') }, end + 1];
}

function readIndented(lines: readonly string[], at: number): Read {
  let end = at;
  while (end < lines.length && /^ {4}|^\t|^\s*$/.test(lines[end] ?? '')) end++;
  const text = lines.slice(at, end).map((line) => line.replace(/^(?: {4}|\t)/, ''));
  return [{ kind: 'code', language: '', text: text.join('\n').trimEnd() }, end];
}

function readQuote(lines: readonly string[], at: number, depth: number): Read {
  let end = at;
  while (end < lines.length && (/^ {0,3}>/.test(lines[end] ?? '') || continues(lines, end, at))) end++;
  const inner = lines.slice(at, end).map((line) => line.replace(/^ {0,3}> ?/, ''));
  return [{ kind: 'quote', blocks: blocksOf(inner.join('\n'), depth + 1) }, end];
}

/** A line of a paragraph goes on without the mark. */
function continues(lines: readonly string[], at: number, start: number): boolean {
  return at > start && (lines[at] ?? '').trim() !== '' && !startsBlock(lines, at);
}

interface Marker {
  readonly ordered: boolean;
  readonly start: number;
  readonly width: number;
}

function markerOf(line: string): Marker | undefined {
  const found = /^( {0,3})([-+*]|(\d{1,9})[.)])(?:( {1,4})(?=\S)|\s*$)/.exec(line);
  if (found === null) return undefined;
  const [, indent = '', mark = '', number, space = ' '] = found;
  return {
    ordered: number !== undefined,
    start: Number(number ?? 1),
    width: indent.length + mark.length + space.length,
  };
}

function readList(lines: readonly string[], at: number, depth: number): Read {
  const first = markerOf(lines[at] ?? '') as Marker;
  const items: Item[] = [];
  let next = at;
  while (next < lines.length) {
    const marker = markerOf(lines[next] ?? '');
    if (marker === undefined || marker.ordered !== first.ordered) break;
    const [item, end] = readItem(lines, next, marker.width, depth);
    items.push(item);
    next = end;
    const following = firstWritten(lines, next);
    if (following !== next && markerOf(lines[following] ?? '') === undefined) break;
    next = following;
  }
  return [{ kind: 'list', ordered: first.ordered, start: first.start, items }, next];
}

function firstWritten(lines: readonly string[], at: number): number {
  let next = at;
  while (next < lines.length && (lines[next] ?? '').trim() === '') next++;
  return next;
}

function readItem(lines: readonly string[], at: number, width: number, depth: number): readonly [Item, number] {
  const inner = [(lines[at] ?? '').slice(width)];
  let end = at + 1;
  for (; end < lines.length; end++) {
    const line = lines[end] ?? '';
    const blank = line.trim() === '';
    const indented = /^\s/.test(line) && line.length - line.trimStart().length >= Math.min(width, 2);
    if (blank && !/^\s{2,}\S/.test(lines[end + 1] ?? '')) break;
    if (!blank && !indented && startsBlock(lines, end)) break;
    inner.push(line.slice(Math.min(width, line.length - line.trimStart().length)));
  }
  const task = /^\[([ xX])\]\s+/.exec(inner[0] ?? '');
  if (task !== null) inner[0] = (inner[0] ?? '').slice(task[0].length);
  const blocks = blocksOf(inner.join('\n'), depth + 1);
  return [{ blocks, ...(task !== null && { done: task[1] !== ' ' }) }, end];
}

function isTable(lines: readonly string[], at: number): boolean {
  return (
    (lines[at] ?? '').includes('|') &&
    /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/.test(lines[at + 1] ?? '') &&
    (lines[at + 1] ?? '').includes('-')
  );
}

function readTable(lines: readonly string[], at: number): Read {
  const head = cellsOf(lines[at] ?? '');
  let end = at + 2;
  const rows: string[][] = [];
  while (end < lines.length && (lines[end] ?? '').includes('|')) {
    const cells = cellsOf(lines[end] ?? '');
    rows.push(head.map((_, column) => cells[column] ?? ''));
    end++;
  }
  return [{ kind: 'table', head, rows }, end];
}

function cellsOf(line: string): string[] {
  const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function startsBlock(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? '';
  return (
    /^ {0,3}(?:#{1,6}(?:\s|$)|>|`{3,}|~{3,})/.test(line) ||
    /^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/.test(line) ||
    markerOf(line) !== undefined
  );
}

function readParagraph(lines: readonly string[], at: number): Read {
  let end = at + 1;
  while (end < lines.length && (lines[end] ?? '').trim() !== '' && !startsBlock(lines, end)) {
    const underline = /^ {0,3}(=+|-+)\s*$/.exec(lines[end] ?? '');
    if (underline !== null) {
      const text = lines.slice(at, end).join('\n');
      return [{ kind: 'heading', level: underline[1]?.startsWith('=') ? 1 : 2, text }, end + 1];
    }
    end++;
  }
  return [{ kind: 'paragraph', text: lines.slice(at, end).join('\n') }, end];
}
