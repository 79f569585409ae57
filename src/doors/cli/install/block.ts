/** A few lines of ours in a Markdown file of somebody else, between two comments that no reader sees. */
import { eolOf } from './json-edit.ts';

const OPEN = '<!-- cairn: begin (cairn uninstall takes this out) -->';
const CLOSE = '<!-- cairn: end -->';

export function putBlock(text: string, lines: readonly string[]): string {
  const eol = eolOf(text);
  const block = [OPEN, ...lines, CLOSE].join(eol);
  const found = blockIn(text);
  if (found !== undefined) return text.slice(0, found.start) + block + text.slice(found.end);
  const gap = text.trim() === '' ? '' : text.endsWith('\n') ? eol : eol + eol;
  return `${text}${gap}${block}${eol}`;
}

export function takeBlock(text: string): string {
  const found = blockIn(text);
  if (found === undefined) return text;
  const before = text.slice(0, found.start).replace(/(^|\n)\r?\n$/, '$1');
  return before + text.slice(found.end).replace(/^\r?\n/, '');
}

function blockIn(text: string): { start: number; end: number } | undefined {
  const start = text.indexOf(OPEN);
  const close = start === -1 ? -1 : text.indexOf(CLOSE, start);
  return close === -1 ? undefined : { start, end: close + CLOSE.length };
}
