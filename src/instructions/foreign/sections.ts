/**
 * The parts of a Markdown file at its headings. Every line belongs to exactly one section, in order, so no text is lost;
 * a `#` in a code block or a comment is not a heading.
 */

export interface Heading {
  /** Index of the line on which the heading begins. */
  readonly line: number;
  readonly level: number;
  /** Without the marks, links and emphasis. */
  readonly text: string;
}

export interface Section {
  /** Absent for the text above the first heading. */
  readonly heading?: string;
  readonly body: string;
}

const MAX_SPLIT_LEVEL = 2;
const MAX_HEADING = 1000;

export function sectionsOf(text: string): Section[] {
  const lines = text.split('\n');
  const splits = headingsOf(lines).filter(({ level }) => level <= MAX_SPLIT_LEVEL);
  const pieces: Piece[] = splits.map(({ line, text: heading }, index) => ({
    heading,
    lines: lines.slice(line, splits[index + 1]?.line),
  }));
  const top = lines.slice(0, splits[0]?.line);
  const whole = joined([{ lines: top }, ...pieces].filter((piece) => !piece.lines.every(isBlank)));
  return whole.map(({ heading, lines: own }) => ({
    body: trimmed(own).join('\n'),
    ...(heading !== undefined && heading !== '' && { heading }),
  }));
}

export function headingsOf(lines: readonly string[]): Heading[] {
  const headings: Heading[] = [];
  let fence: string | undefined;
  let comment = false;
  lines.forEach((line, index) => {
    if (fence !== undefined) {
      if (closes(line, fence)) fence = undefined;
    } else if (comment) {
      comment = !line.includes('-->');
    } else if (openedFence(line) !== undefined) {
      fence = openedFence(line);
    } else if (/^ {0,3}<!--/.test(line)) {
      comment = !line.includes('-->');
    } else {
      headings.push(...headingAt(lines, index));
    }
  });
  return headings;
}

interface Piece {
  readonly heading?: string;
  readonly lines: readonly string[];
}

/** A heading with nothing but rules under it is no instruction: it goes with the section below, or above if it is the last. */
function joined(pieces: readonly Piece[]): Piece[] {
  const whole: Piece[] = [];
  let waiting: string[] = [];
  for (const piece of pieces) {
    for (const line of piece.lines) waiting.push(line);
    if (piece.heading !== undefined && isBare(piece.lines)) continue;
    whole.push({ ...piece, lines: waiting });
    waiting = [];
  }
  if (waiting.length === 0) return whole;
  const last = whole.pop() ?? { ...pieces.at(-1), lines: [] };
  return [...whole, { ...last, lines: [...last.lines, ...waiting] }];
}

function isBare([, ...rest]: readonly string[]): boolean {
  return rest.every((line) => /^[\s=*_-]*$/.test(line));
}

function headingAt(lines: readonly string[], line: number): Heading[] {
  const own = lines[line] ?? '';
  const [, marks] = /^ {0,3}(#{1,6})(?=[ \t]|$)/.exec(own) ?? [];
  if (marks !== undefined) return [{ line, level: marks.length, text: plain(own.trimStart().slice(marks.length)) }];
  const level = underlineLevel(lines[line + 1] ?? '');
  const alone = isBlank(lines[line - 1] ?? '') && /^ {0,3}[^\s>|#*+-]/.test(own) && !/^\s*\d+[.)]\s/.test(own);
  return level > 0 && alone ? [{ line, level, text: plain(own) }] : [];
}

/** A line of `===` or `---` under a paragraph of one line makes a heading of it. */
function underlineLevel(line: string): number {
  if (/^ {0,3}=+[ \t]*$/.test(line)) return 1;
  return /^ {0,3}-{2,}[ \t]*$/.test(line) ? 2 : 0;
}

/** In lists and quotes as well. The marks are cut first and the rest looked at after: one expression would be quadratic. */
function openedFence(line: string): string | undefined {
  const [opening = '', fence] = /^\s*(?:[-*+]\s+|\d{1,9}[.)]\s+|>\s?)*(`{3,}|~{3,})/.exec(line) ?? [];
  const inline = fence?.startsWith('`') && line.includes('`', opening.length);
  return inline ? undefined : fence;
}

function closes(line: string, fence: string): boolean {
  const text = line.replace(/^(?:\s|>)+/, '').trimEnd();
  return text.length >= fence.length && text === (fence[0] ?? '').repeat(text.length);
}

function plain(heading: string): string {
  return heading
    .slice(0, MAX_HEADING)
    .trim()
    .replace(/(?:^|[ \t])#+$/, '')
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/[`*]+/g, '')
    .trim();
}

function isBlank(line: string): boolean {
  return line.trim() === '';
}

function trimmed(lines: readonly string[]): readonly string[] {
  const start = lines.findIndex((line) => !isBlank(line));
  const end = lines.findLastIndex((line) => !isBlank(line));
  return lines.slice(start, end + 1);
}
