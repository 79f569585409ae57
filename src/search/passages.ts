/**
 * A text in passages that the model reads whole, each with the title before it. One vector for a long text tells what it is
 * about, not what it says; and a rule without its title is often about nothing in particular.
 */
import { sectionsOf } from './sections.ts';

export interface Window {
  /** Where it begins; the first line is 1. */
  readonly line: number;
  readonly text: string;
}

/** Some 200 tokens; the model reads 256. Shorter ones were no better, and are more. */
const LONGEST = 900;
/** What lies further in than 57,000 characters is found by its words alone. */
export const MOST_PASSAGES = 64;

/** One at least, and in the order of the text. */
export function passagesOf(title: string, body: string): string[] {
  const windows = windowsOf(body, LONGEST, MOST_PASSAGES);
  return windows.length === 0 ? [title] : windows.map(({ text }) => `${title}. ${text}`);
}

export function windowsOf(body: string, longest: number, most: number): Window[] {
  const windows: Window[] = [];
  let [open, begins] = ['', 1];
  const close = () => {
    const text = open.trim();
    // Blank lines in front are not where it begins.
    const before = open.slice(0, open.length - open.trimStart().length).split('\n').length - 1;
    if (text !== '') windows.push({ line: begins + before, text });
    open = '';
  };
  let number = 0;
  for (const line of body.split('\n')) {
    number++;
    for (const part of partsOf(line, longest)) {
      if (open.length + part.length > longest && open.trim() !== '') close();
      if (windows.length === most) return windows;
      if (open === '') begins = number;
      open += part;
    }
  }
  close();
  return windows.slice(0, most);
}

/** In a document: as much as the model reads, and never beyond the end of a section. */
const LONGEST_WINDOW = 1100;
/** No window that is read lies further in. */
export const READ_CHARS = LONGEST_WINDOW * MOST_PASSAGES;

/** The windows of a document's text, in its order; those of a document are told apart by their number here. */
export function documentWindows(text: string): Window[] {
  const windows: Window[] = [];
  for (const section of sectionsOf(text.slice(0, READ_CHARS))) {
    for (const { line, text: own } of windowsOf(section.text, LONGEST_WINDOW, MOST_PASSAGES)) {
      if (windows.length === MOST_PASSAGES) return windows;
      windows.push({ line: section.line + line - 1, text: own });
    }
  }
  return windows;
}

/** A line; where it is too long its sentences, and where they are, pieces of them. */
function partsOf(line: string, longest: number): string[] {
  if (line.length < longest) return [`${line}\n`];
  return line.split(/(?<=[.!?;]\s)/).flatMap((sentence) => {
    const pieces: string[] = [];
    for (let at = 0; at < sentence.length; at += longest) pieces.push(sentence.slice(at, at + longest));
    return pieces;
  });
}
