/**
 * A Word document as Markdown: headings, paragraphs, lists and tables, in one pass over the tags of its XML, without a tree.
 * Only its XML is unpacked, by our own bounded reader: pictures and whatever else is in the archive are never touched, and
 * nothing is read from outside of it.
 */
import { CairnError } from '../../errors.ts';
import type { Found } from './index.ts';
import { firstHeading } from './markdown.ts';
import { openZip, type Zip } from './zip.ts';

/** A thousand pages have some 15 MB of XML. */
const MAX_XML_BYTES = 32 * 1024 * 1024;
/** Word nests some thirty levels. */
const MAX_DEPTH = 500;
const DOCUMENT = 'word/document.xml';

export async function docxText(data: Buffer): Promise<Found> {
  const zip = openZip(data, { maxBytes: MAX_XML_BYTES, wanted: (name) => /\.(?:xml|rels)$/i.test(name) });
  const writer = new DocumentWriter(headingsOf(zip));
  for (const tag of tagsOf(xmlOf(zip, DOCUMENT), DOCUMENT)) writer.take(tag);
  const text = writer.text();
  const title = titleOf(zip) ?? firstHeading(text);
  return { text, ...(title !== undefined && { title }) };
}

interface Tag {
  /** Without the prefix of its namespace. */
  readonly name: string;
  readonly kind: 'open' | 'close' | 'empty';
  readonly attributes: string;
  /** What stands between it and the next tag. */
  readonly after: string;
}

function* tagsOf(xml: string, file: string): Generator<Tag> {
  let depth = 0;
  for (let at = xml.indexOf('<'); at >= 0; ) {
    const end = xml.indexOf('>', at);
    if (end < 0) return;
    const next = xml.indexOf('<', end);
    const inside = xml.slice(at + 1, end);
    const kind = inside.startsWith('/') ? 'close' : inside.endsWith('/') ? 'empty' : 'open';
    if (!/^[?!]/.test(inside)) {
      depth += kind === 'open' ? 1 : kind === 'close' ? -1 : 0;
      if (depth > MAX_DEPTH) throw new CairnError('limit_exceeded', `${file} nests more than ${MAX_DEPTH} levels deep`);
      const [, name = ''] = /^\/?(?:\w+:)?(\w+)/.exec(inside) ?? [];
      yield { name, kind, attributes: inside, after: next < 0 ? '' : xml.slice(end + 1, next) };
    }
    at = next;
  }
}

/** Puts the document together as its tags come. */
class DocumentWriter {
  readonly #headings: ReadonlyMap<string, number>;
  readonly #blocks: string[] = [];
  #paragraph = '';
  #level = 0;
  #isItem = false;
  /** Cells of the row that is being read; absent outside of a table. A table in a cell is part of its text. */
  #cells: string[] | undefined;
  #tables = 0;

  constructor(headings: ReadonlyMap<string, number>) {
    this.#headings = headings;
  }

  take({ name, kind, attributes, after }: Tag): void {
    if (name === 't' && kind === 'open') this.#paragraph += plain(after);
    else if (name === 'tab' && kind === 'empty') this.#paragraph += '\t';
    else if (name === 'br' || name === 'cr') this.#paragraph += '\n';
    else if (name === 'pStyle') this.#level = this.#headings.get(attributeOf(attributes)) ?? 0;
    else if (name === 'numPr' && kind === 'open') this.#isItem = true;
    else if (name === 'p' && kind === 'close') this.#endParagraph();
    else if (name === 'tbl') this.#tables += kind === 'open' ? 1 : -1;
    else if (this.#tables === 1 && name === 'tr') this.#row(kind);
    else if (this.#tables === 1 && name === 'tc' && kind === 'open') this.#cells?.push('');
  }

  text(): string {
    this.#endParagraph();
    return this.#blocks
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
  }

  #endParagraph(): void {
    const text = this.#paragraph.trim();
    const cells = this.#cells;
    if (cells !== undefined && cells.length > 0) {
      cells[cells.length - 1] = [cells.at(-1), text].filter(Boolean).join(' ');
    } else if (text !== '') {
      const mark = this.#level > 0 ? `${'#'.repeat(this.#level)} ` : this.#isItem ? '- ' : '';
      this.#blocks.push(this.#isItem ? `${mark}${text}` : `\n${mark}${text}\n`);
    }
    [this.#paragraph, this.#level, this.#isItem] = ['', 0, false];
  }

  #row(kind: Tag['kind']): void {
    if (kind === 'open') this.#cells = [];
    else if (this.#cells !== undefined) {
      this.#blocks.push(`| ${this.#cells.map((cell) => cell.replace(/\s+/g, ' ')).join(' | ')} |`);
      this.#cells = undefined;
    }
  }
}

/** Styles are named in the language of whoever made them; `heading 1` is what Word itself calls the first. */
function headingsOf(zip: Zip): Map<string, number> {
  const levels = new Map([['Title', 1]]);
  for (let level = 1; level <= 6; level++) levels.set(`Heading${level}`, level);
  if (!zip.exists('word/styles.xml')) return levels;
  let style = '';
  for (const { name, kind, attributes } of tagsOf(xmlOf(zip, 'word/styles.xml'), 'word/styles.xml')) {
    if (name === 'style' && kind === 'open') style = attributeOf(attributes, 'styleId');
    const level = name === 'name' ? /^heading ([1-6])$/i.exec(attributeOf(attributes))?.[1] : undefined;
    if (level !== undefined && style !== '') levels.set(style, Number(level));
  }
  return levels;
}

function attributeOf(attributes: string, name = 'val'): string {
  return new RegExp(`\\b${name}="([^"]{0,200})"`).exec(attributes)?.[1] ?? '';
}

function xmlOf(zip: Zip, name: string): string {
  return zip.read(name).toString('utf8');
}

function titleOf(zip: Zip): string | undefined {
  if (!zip.exists('docProps/core.xml')) return undefined;
  const core = zip.read('docProps/core.xml').toString('utf8', 0, 65_536);
  const title = plain(/<dc:title>([^<]{1,1000})<\/dc:title>/.exec(core)?.[1] ?? '').trim();
  return title === '' ? undefined : title;
}

const letters: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

function plain(xml: string): string {
  return xml.replace(/&(?:(lt|gt|quot|apos|amp)|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));/g, (whole, name, decimal, hex) => {
    if (name !== undefined) return letters[name as string] ?? whole;
    const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}
