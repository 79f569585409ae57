/** The title of a Markdown text: what its front matter says, else its first heading. Code in fences has no headings. */

/** Nobody's title stands further in. */
const HEAD = 128 * 1024;

export async function titleOfMarkdown(text: string): Promise<string | undefined> {
  const head = text.slice(0, HEAD);
  if (!head.startsWith('---')) return firstHeading(head);
  const { frontMatterOf } = await import('../../store/front-matter.ts');
  const { fields, body } = frontMatterOf(head.replace(/\r\n?/g, '\n'));
  return typeof fields.title === 'string' && fields.title.trim() !== '' ? fields.title : firstHeading(body);
}

export function firstHeading(text: string): string | undefined {
  let fence: string | undefined;
  let before = '';
  for (const whole of text.slice(0, HEAD).split(/\r?\n|\r/)) {
    const line = whole.slice(0, 1000);
    const [, mark] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence))) {
      fence = fence === undefined ? mark : undefined;
    } else if (fence === undefined) {
      const [, heading] = /^ {0,3}#{1,6}[ \t]+(\S.*)$/.exec(line) ?? [];
      if (heading !== undefined) return plain(heading);
      if (/^(?:=+|-{2,})[ \t]*$/.test(line) && isParagraph(before)) return plain(before);
    }
    before = line;
  }
  return undefined;
}

function isParagraph(line: string): boolean {
  return /^ {0,3}[^\s>|#-]/.test(line);
}

/** Without the marks that may close a heading, and with the words of a link only. */
function plain(heading: string): string | undefined {
  const words = heading
    .trim()
    .replace(/[ \t]#+$/, '')
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/[*`]/g, '')
    .trim();
  return words === '' ? undefined : words;
}
