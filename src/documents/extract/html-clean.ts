/**
 * A page made safe for libraries that walk trees: balanced tags, few levels, no attributes but those that say what a part
 * is, no long stretches of blanks. They take more than a level of stack for each level of the page, and their patterns
 * take the square of a stretch of blanks.
 */
import { encodeText } from './html-entities.ts';
import { tokensOf } from './html-tokens.ts';

export interface CleanPage {
  readonly html: string;
  readonly title?: string;
  /** And letters under a name, of which a parser makes a piece each. */
  readonly elements: number;
  /** Of all elements the levels they stand at, summed: what it costs to ask each of them for its text. */
  readonly depths: number;
  /** Letters that show, blanks not counted. */
  readonly letters: number;
}

const MAX_DEPTH = 128;
const LONGEST_BLANK = 500;
const LONGEST_TITLE = 1000;

export const voidElements = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));
const frame = new Set(['html', 'head', 'body', 'base', 'link', 'frameset', 'frame', 'script', 'style', 'iframe']);
const keptAttributes = new Set(
  'href class id rel name property content itemprop role aria-hidden hidden style lang start type'.split(' '),
);
/** Which open elements an element of that name ends, where nobody ended them. */
const ended: Readonly<Record<string, ReadonlySet<string>>> = {
  p: new Set(['p']),
  li: new Set(['li']),
  dt: new Set(['dt', 'dd']),
  dd: new Set(['dt', 'dd']),
  td: new Set(['td', 'th']),
  th: new Set(['td', 'th']),
  tr: new Set(['td', 'th', 'tr']),
  tbody: new Set(['td', 'th', 'tr', 'thead', 'tbody']),
  option: new Set(['option']),
};

export function cleanPage(source: string): CleanPage {
  const head: string[] = [];
  const body: string[] = [];
  const open: string[] = [];
  let tooDeep = 0;
  let elements = 0;
  let depths = 0;
  let letters = 0;
  let blanks = 0;
  let title: string | undefined;

  const pop = () => body.push(`</${open.pop()}>`);
  const say = (text: string) => {
    const runs = text.match(/\s+|\S+/g) ?? [];
    for (const run of runs) {
      if (/^\s/.test(run)) {
        body.push(run.slice(0, Math.max(0, LONGEST_BLANK - blanks)));
        blanks += run.length;
      } else {
        const encoded = encodeText(run);
        elements += countOf(encoded, '&');
        body.push(encoded);
        blanks = 0;
        letters += run.length;
      }
    }
  };

  let inTitle = false;
  for (const token of tokensOf(source)) {
    if (token.kind === 'text') {
      if (!inTitle) say(token.text);
      else title ??= token.text.slice(0, LONGEST_TITLE);
    } else if (token.name === 'title') {
      // Drawings have titles too; that of the page comes first.
      inTitle = token.kind === 'open';
    } else if (frame.has(token.name) || !/^[a-z][a-z0-9-]*$/.test(token.name)) {
      // The frame is written anew below; what is in it stays.
    } else if (token.kind === 'close') {
      if (tooDeep > 0) tooDeep -= 1;
      else if (open.includes(token.name)) {
        while (open.at(-1) !== token.name) pop();
        pop();
      }
    } else if (token.name === 'meta') {
      head.push(tagOf(token.name, token.attributes));
    } else if (token.name === 'img') {
      const alt = token.attributes.get('alt') ?? '';
      if (alt !== '') say(` ${alt} `);
    } else if (voidElements.has(token.name)) {
      elements += 1;
      body.push(tagOf(token.name, token.attributes));
    } else {
      elements += 1;
      const ends = ended[token.name];
      while (ends?.has(open.at(-1) ?? '')) pop();
      if (open.length >= MAX_DEPTH) tooDeep += 1;
      else {
        open.push(token.name);
        depths += open.length;
        body.push(tagOf(token.name, token.attributes));
      }
    }
  }
  while (open.length > 0) pop();
  const titled = title === undefined ? '' : `<title>${encodeText(title)}</title>`;
  const html = `<!doctype html><html><head>${titled}${head.slice(0, 200).join('')}</head><body>${body.join('')}</body></html>`;
  return { html, elements, depths, letters, ...(title !== undefined && { title }) };
}

function tagOf(name: string, attributes: ReadonlyMap<string, string>): string {
  // What looks for the article makes second headings of the first ones; the writer makes them first again.
  let tag = name === 'h1' ? '<h1 data-h1=""' : `<${name}`;
  for (const [attribute, value] of attributes) {
    if (!keptAttributes.has(attribute)) continue;
    // A link that runs or holds something is not one that leads somewhere.
    if (attribute === 'href' && /^\s*(?:javascript|data|vbscript):/i.test(value)) continue;
    tag += ` ${attribute}="${encodeText(value).replaceAll('"', '&quot;')}"`;
  }
  return `${tag}>`;
}

function countOf(text: string, letter: string): number {
  let count = 0;
  for (let at = text.indexOf(letter); at >= 0; at = text.indexOf(letter, at + 1)) count += 1;
  return count;
}
