/** A notebook's cells in their order: prose as it is, code in fences, and of the outputs what is text. */
import { CairnError } from '../../errors.ts';
import type { Found } from './index.ts';
import { firstHeading } from './markdown.ts';
import { shortened } from './shorten.ts';

/** A table printed whole is data and not a text. */
const LONGEST_OUTPUT = 20_000;

export async function notebookText(source: string, maxChars: number): Promise<Found> {
  const notebook = parsed(source);
  const language = languageOf(notebook);
  const parts: string[] = [];
  let length = 0;
  let title: string | undefined;
  let truncated = false;
  for (const cell of cellsOf(notebook)) {
    if (!isRecord(cell)) continue;
    const text = textOf(cell.source ?? cell.input, maxChars);
    if (cell.cell_type === 'markdown') title ??= firstHeading(text);
    for (const part of partsOf(cell, text, language)) {
      if (part.trim() === '') continue;
      parts.push(part);
      length += part.length + 2;
    }
    if (length > maxChars) {
      truncated = true;
      break;
    }
  }
  return { text: parts.join('\n\n'), ...(truncated && { truncated }), ...(title !== undefined && { title }) };
}

function parsed(source: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(source);
    if (isRecord(value)) return value;
  } catch (thrown) {
    throw new CairnError('validation_failed', 'the notebook is not sound JSON', {}, { cause: thrown });
  }
  throw new CairnError('validation_failed', 'the notebook is not a JSON object');
}

/** Format 4 keeps the cells at the top, format 3 in worksheets. */
function cellsOf(notebook: Record<string, unknown>): readonly unknown[] {
  if (Array.isArray(notebook.cells)) return notebook.cells;
  const { worksheets } = notebook;
  if (!Array.isArray(worksheets)) throw new CairnError('validation_failed', 'the notebook has no list of cells');
  return worksheets.flatMap((sheet) => (isRecord(sheet) && Array.isArray(sheet.cells) ? sheet.cells : []));
}

function* partsOf(cell: Record<string, unknown>, text: string, language: string): Generator<string> {
  if (cell.cell_type !== 'code') {
    yield text;
    return;
  }
  if (text.trim() !== '') yield fenced(text, language);
  if (!Array.isArray(cell.outputs)) return;
  for (const output of cell.outputs) {
    const said = isRecord(output) ? outputText(output) : '';
    if (said.trim() !== '') yield fenced(said, 'text');
  }
}

function outputText(output: Record<string, unknown>): string {
  const data = isRecord(output.data) ? output.data : {};
  const text = output.text ?? data['text/markdown'] ?? data['text/plain'] ?? output.traceback ?? output.evalue;
  // Colours of the terminal. A traceback is lines without their ends.
  const lines = output.text === undefined && text === output.traceback ? '\n' : '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with one.
  return textOf(text, LONGEST_OUTPUT, lines).replace(/\x1b\[[\d;]{0,20}[A-Za-z]/g, '');
}

/** A text, or the list of lines that the format makes of it. */
function textOf(value: unknown, maxChars: number, between = ''): string {
  if (typeof value === 'string') return shortened(value, maxChars);
  if (!Array.isArray(value)) return '';
  const lines: string[] = [];
  let length = 0;
  for (const line of value) {
    if (typeof line !== 'string') continue;
    lines.push(line);
    length += line.length;
    if (length > maxChars) break;
  }
  return shortened(lines.join(between), maxChars);
}

/** In a fence that is longer than any run of its marks inside. */
function fenced(text: string, language: string): string {
  const longest = [...text.matchAll(/`{3,}/g)].reduce((most, [run]) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(Math.min(longest + 1, 100));
  return `${fence}${language}\n${text.trimEnd()}\n${fence}`;
}

function languageOf({ metadata }: Record<string, unknown>): string {
  if (!isRecord(metadata)) return '';
  const { kernelspec, language_info: info } = metadata;
  const named = isRecord(info) ? info.name : isRecord(kernelspec) ? kernelspec.language : undefined;
  return typeof named === 'string' && /^[\w+#.-]{1,30}$/.test(named) ? named.toLowerCase() : '';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
