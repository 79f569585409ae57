/**
 * A long text in sections: of a chapter's size where it has headings, of a definition's where it is code, else of a few
 * paragraphs. Each is found by itself, so that a long document is not the average of all it speaks of. Pure.
 */

export interface Section {
  /** Where it begins; the first line is 1. */
  readonly line: number;
  readonly text: string;
}

/** A text up to this length is one section: some 600 words. */
const LONGEST = 4000;
/** Shorter ones are not cut off: a heading alone says little. */
const SHORTEST = 1500;

const heading = /^#{1,6}\s/;
/** Not indented, and no end of what came before: in code, where something new is defined. */
const opening = /^[^\s)\]}#*/-]/;

export function sectionsOf(text: string): Section[] {
  if (text.length <= LONGEST) return [{ line: 1, text }];
  const sections: Section[] = [];
  const markdown = /^#{1,6}\s/m.test(text.slice(0, 5 * LONGEST));
  let [from, line, begins] = [0, 1, 1];
  /** The last blank line that may be cut at. */
  let gap: { at: number; line: number } | undefined;
  let blank = false;
  const cut = (at: number, atLine: number) => {
    sections.push({ line: begins, text: text.slice(from, at) });
    [from, begins, gap] = [at, atLine, undefined];
  };
  for (let at = 0; at < text.length; line++) {
    const end = text.indexOf('\n', at) + 1 || text.length;
    const start = text.slice(at, Math.min(end, at + 8));
    if (at - from >= SHORTEST) {
      if (markdown ? heading.test(start) : blank && opening.test(start)) cut(at, line);
      else if (blank) gap = { at, line };
    }
    if (end - from > LONGEST) {
      if (gap !== undefined) cut(gap.at, gap.line);
      else if (at - from >= SHORTEST) cut(at, line);
    }
    // A line that is longer than a section is cut within.
    while (end - from > LONGEST + SHORTEST) cut(from + LONGEST, line);
    blank = end - at === 1;
    at = end;
  }
  if (from < text.length) cut(text.length, line);
  return sections;
}
