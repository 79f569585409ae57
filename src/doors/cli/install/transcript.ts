/**
 * The last prompt and the last answer of a session, from the transcript that a client keeps as JSON lines. Its format is
 * nobody's promise: a line that says something else is passed over.
 *
 * Threat: the path comes from outside. It is opened only if it looks like a transcript and is a plain file (no link, no
 * pipe, no device), and no more than its last megabyte is read.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { Remembered } from './remembered.ts';

const TAIL_BYTES = 1024 * 1024;

export function lastTurn(path: unknown): Remembered {
  if (typeof path !== 'string' || !isAbsolute(path) || !/\.jsonl?$/.test(path)) return {};
  let turn: Remembered = {};
  for (const line of tailLines(path).reverse()) {
    const said = saidIn(line);
    if (said?.role === 'assistant') turn = { response: said.text, ...turn };
    // Answers of earlier turns stand above the prompt.
    if (said?.role === 'user') return { prompt: said.text, ...turn };
  }
  return turn;
}

function tailLines(path: string): string[] {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const found = fstatSync(file);
    if (!found.isFile()) return [];
    const { size } = found;
    const length = Math.min(size, TAIL_BYTES);
    const bytes = Buffer.alloc(length);
    const read = readSync(file, bytes, 0, length, size - length);
    const lines = bytes.subarray(0, read).toString('utf8').split('\n');
    // Where the reading began in the middle of the file, so did the first line.
    return length < size ? lines.slice(1) : lines;
  } finally {
    closeSync(file);
  }
}

interface Entry {
  readonly type?: unknown;
  readonly isMeta?: unknown;
  readonly isSidechain?: unknown;
  readonly message?: { readonly role?: unknown; readonly content?: unknown };
  readonly data?: { readonly content?: unknown };
  readonly content?: unknown;
}

function saidIn(line: string): { role: 'user' | 'assistant'; text: string } | undefined {
  let entry: Entry;
  try {
    entry = JSON.parse(line) as Entry;
  } catch {
    return undefined;
  }
  if (typeof entry !== 'object' || entry === null || entry.isMeta === true || entry.isSidechain === true)
    return undefined;
  const [role] = String(entry.message?.role ?? entry.type).split('.');
  const text = textIn(entry.message?.content ?? entry.data?.content ?? entry.content);
  return (role === 'user' || role === 'assistant') && text !== '' ? { role, text } : undefined;
}

/** What a tool gave back stands under the role of the user too, but is no text of theirs. */
function textIn(content: unknown): string {
  if (typeof content === 'string') return content.trim();
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((part: { type?: unknown; text?: unknown } | null) =>
      part?.type === 'text' && typeof part.text === 'string' ? [part.text] : [],
    )
    .join('\n')
    .trim();
}
