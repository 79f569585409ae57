/** The text of a PDF's pages, in their order, with a form feed between them. */
import { constants, inflateSync } from 'node:zlib';
import { CairnError } from '../../errors.ts';
import type { Found } from './index.ts';

/** One page's drawing is some 100 KB unpacked, and a scanned page some 30 MB. */
const MAX_STREAM_BYTES = 128 * 1024 * 1024;
const MAX_UNPACKED_BYTES = 512 * 1024 * 1024;
const MAX_NESTED_PACKING = 3;
const MAX_PAGES = 20_000;
const PAGE_END = '\n\f\n';

export async function pdfText(data: Buffer, maxChars: number): Promise<Found> {
  refuseBomb(data);
  const { getDocumentProxy } = await import('unpdf');
  // A copy: the reader takes the buffer away from whoever holds it.
  const document = await getDocumentProxy(new Uint8Array(data), { verbosity: 0, useSystemFonts: false }).catch(refused);
  try {
    const title = titleOf(await document.getMetadata().catch(() => undefined));
    return { ...(await pagesOf(document, maxChars)), ...title };
  } finally {
    await document.destroy();
  }
}

type Document = Awaited<ReturnType<typeof import('unpdf')['getDocumentProxy']>>;

async function pagesOf(document: Document, maxChars: number): Promise<Found> {
  const pages: string[] = [];
  const broken: number[] = [];
  let left = maxChars;
  for (let number = 1; number <= Math.min(document.numPages, MAX_PAGES) && left >= 0; number++) {
    const page = await pageText(document, number, left).catch(() => undefined);
    if (page === undefined) broken.push(number);
    pages.push(page ?? '');
    left -= (page ?? '').length + PAGE_END.length;
  }
  const text = pages.join(PAGE_END);
  if (text.trim() === '') return { problem: emptiness(pages.length, broken.length) };
  return {
    text,
    ...(pages.length < document.numPages && { truncated: true }),
    ...(broken.length > 0 && { problem: `pages that cannot be read: ${broken.slice(0, 20).join(', ')}` }),
  };
}

function emptiness(pages: number, broken: number): string {
  if (pages === broken) return 'none of its pages can be read';
  return `there is no text on its ${pages} ${pages === 1 ? 'page' : 'pages'}: they may be pictures`;
}

/** Read as a stream, and given up at the limit: a form that draws itself a million times ends there too. */
async function pageText(document: Document, number: number, maxChars: number): Promise<string> {
  const page = await document.getPage(number);
  const reader = page.streamTextContent().getReader();
  const parts: string[] = [];
  let length = 0;
  while (length <= maxChars) {
    const { done, value } = await reader.read();
    if (done) break;
    for (const item of value.items) {
      if (!('str' in item)) continue;
      const part = item.hasEOL ? `${item.str}\n` : item.str;
      parts.push(part);
      length += part.length;
    }
  }
  await reader.cancel(new Error('enough')).catch(() => undefined);
  page.cleanup();
  return parts.join('').trim();
}

function titleOf(metadata: { info: object } | undefined): Pick<Found, 'title'> {
  const info = metadata?.info;
  const title = info !== undefined && 'Title' in info ? info.Title : undefined;
  return typeof title === 'string' && title.trim() !== '' ? { title } : {};
}

function refused(thrown: unknown): never {
  if (thrown instanceof Error && thrown.name === 'PasswordException') {
    throw new CairnError('validation_failed', 'the PDF is locked with a password');
  }
  throw thrown;
}

/**
 * The attack: a packed stream of zeros is a thousandth of what it unpacks to, and the reader unpacks it whole, outside
 * of the memory that a thread can be limited to. So every stream that is packed by deflate is unpacked here first, as
 * far as the limit and no further. (Other packings reach as far only in theory; of locked files nothing shows.)
 */
function refuseBomb(data: Buffer): void {
  let left = MAX_UNPACKED_BYTES;
  for (let at = data.indexOf('stream'); at >= 0; at = data.indexOf('stream', at + 6)) {
    const start = data[at + 6] === 13 ? at + 8 : at + 7;
    let packed: Buffer = data.subarray(start);
    for (let level = 0; level < MAX_NESTED_PACKING && isZlib(packed); level++) {
      packed = unpacked(packed, Math.min(left, MAX_STREAM_BYTES));
      left -= packed.length;
      if (left <= 0) throw tooLarge();
    }
  }
}

function isZlib(data: Buffer): boolean {
  const [first = 0, second = 0] = data;
  return (first & 0x0f) === 8 && first >> 4 <= 7 && ((first << 8) | second) % 31 === 0;
}

/** As much as there is of a damaged one; the reader, too, takes what it gets. */
function unpacked(packed: Buffer, maxBytes: number): Buffer {
  try {
    return inflateSync(packed, { maxOutputLength: maxBytes, finishFlush: constants.Z_SYNC_FLUSH });
  } catch (thrown) {
    if (thrown instanceof RangeError) throw tooLarge();
    return Buffer.alloc(0);
  }
}

function tooLarge(): CairnError {
  return new CairnError('limit_exceeded', 'the PDF unpacks to more than is read');
}
