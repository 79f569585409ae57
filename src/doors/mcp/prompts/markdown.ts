/** What a Markdown text says it is about: its first heading, else its first line. */

const LONGEST = 200;
const heading = /^ {0,3}#{1,6}[ \t]+(.*)$/;
const underline = /^ {0,3}(?:=+|-+)[ \t]*$/;
const fence = /^ {0,3}(```|~~~)/;

export function subjectOf(markdown: string): string | undefined {
  const lines = withoutFrontMatter(markdown.split(/\r\n|[\n\r\u2028\u2029]/));
  let fenced: string | undefined;
  let first: string | undefined;
  for (const [index, line] of lines.entries()) {
    const mark = fence.exec(line)?.[1];
    if (mark !== undefined && (fenced === undefined || fenced === mark))
      fenced = fenced === undefined ? mark : undefined;
    if (mark !== undefined || fenced !== undefined) continue;
    const said = shown(withoutClosing(heading.exec(line)?.[1]));
    if (said !== '') return said;
    const plain = shown(line);
    if (plain !== '' && !/^[#=-]+$/.test(plain)) {
      first ??= plain;
      if (underline.test(lines[index + 1] ?? '')) return plain;
    }
  }
  return first;
}

function withoutFrontMatter(lines: string[]): string[] {
  if (lines[0]?.trimEnd() !== '---') return lines;
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---');
  return end === -1 ? lines : lines.slice(end + 1);
}

/** `## Title ##` is Markdown for `## Title`. */
function withoutClosing(title = ''): string {
  return title.trimEnd().replace(/(?:^|[ \t])#{1,20}$/, '');
}

/** One line without characters that do not show or turn others round; of a long one, the beginning. */
function shown(line: string): string {
  const visible = line
    .slice(0, LONGEST * 4)
    .replace(/\p{C}+/gu, ' ')
    .trim();
  const characters = [...visible];
  return characters.length > LONGEST
    ? `${characters
        .slice(0, LONGEST - 1)
        .join('')
        .trimEnd()}…`
    : visible;
}
