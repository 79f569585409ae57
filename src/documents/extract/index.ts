/**
 * The text of a file. Threat: a file comes from anywhere. It may unpack to a thousand times its size, nest without end or
 * lie about what it is. What is read is bounded by size and depth here; how long it takes is bounded by whoever runs this
 * in a worker thread and ends it. A file that breaks an extractor has a problem and no text: nothing is thrown.
 */
import { storable } from '../../store/text.ts';
import { decode, utf16Of } from './encoding.ts';
import { binaryMimeOf, type Kind, signatureOf, textKindOf } from './kind.ts';
import { titleOfMarkdown } from './markdown.ts';
import { linesEnded, shortened } from './shorten.ts';

export interface Extracted {
  readonly kind: Kind;
  readonly mime: string;
  /** Absent for binary content, and where the extractor failed: then `problem` says why. */
  readonly text?: string;
  readonly title?: string;
  /** Of code, by the name of the file or its first line: typescript, python… */
  readonly language?: string;
  readonly encoding?: string;
  /** The text is longer than the limit, and only its beginning is here. */
  readonly truncated?: boolean;
  readonly problem?: string;
}

export interface ExtractLimits {
  readonly maxTextChars?: number;
}

/** What an extractor finds; the rest of an `Extracted` is known before it runs. */
export type Found = Pick<Extracted, 'text' | 'title' | 'truncated' | 'problem'>;

const MAX_TEXT_CHARS = 5_000_000;
const LONGEST_TITLE = 300;
const LONGEST_PROBLEM = 300;

export async function extract(name: string, bytes: Uint8Array, limits: ExtractLimits = {}): Promise<Extracted> {
  const maxChars = limits.maxTextChars ?? MAX_TEXT_CHARS;
  // An extractor may write to its input, or give it away; a view on a larger buffer is one on somebody else's bytes.
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const packed = signatureOf(name, data);
  if (packed?.kind === 'pdf') {
    return finish(packed, await attempt(async () => (await import('./pdf.ts')).pdfText(data, maxChars)), maxChars);
  }
  if (packed?.kind === 'docx') {
    return finish(packed, await attempt(async () => (await import('./docx.ts')).docxText(data)), maxChars);
  }
  if (packed !== undefined && utf16Of(data) === undefined) return packed;
  return extractLetters(name, data, maxChars);
}

/** Whether reading it means more than reading its letters; for a thread that can be ended. */
export function isLaborious(name: string, bytes: Buffer): boolean {
  const packed = signatureOf(name, bytes);
  if (packed !== undefined) return packed.kind === 'pdf' || packed.kind === 'docx' || utf16Of(bytes) !== undefined;
  if (bytes.length > LABORIOUS_BYTES) return true;
  const kind = textKindOf(name, bytes.toString('latin1', 0, 4096)).kind;
  return kind === 'html' || kind === 'notebook';
}

const LABORIOUS_BYTES = 4 * 1024 * 1024;

/** Everything that is letters, once they are known. */
async function extractLetters(name: string, data: Buffer, maxChars: number): Promise<Extracted> {
  const decoded = decode(data);
  if (decoded === undefined) return { kind: 'binary', mime: binaryMimeOf(name) };
  const { text: source, encoding, cut } = decoded;
  const { kind, mime, language } = textKindOf(name, source);
  const known = { kind, mime, encoding, ...(language !== undefined && { language }) };
  const read = async (): Promise<Found> => {
    if (kind === 'html') return (await import('./html.ts')).htmlText(source);
    if (kind === 'notebook') return (await import('./notebook.ts')).notebookText(source, maxChars);
    const text = shortened(source, maxChars + 1);
    const title = kind === 'markdown' ? await titleOfMarkdown(text) : undefined;
    return { text, ...(title !== undefined && { title }) };
  };
  const found = await attempt(read);
  return finish(known, cut ? { ...found, truncated: true } : found, maxChars);
}

async function attempt(read: () => Promise<Found>): Promise<Found> {
  try {
    return await read();
  } catch (thrown) {
    return { problem: problemOf(thrown) };
  }
}

/** A stack that ran full says so in words of the engine; the rest have a message worth passing on, for its first line. */
function problemOf(thrown: unknown): string {
  if (thrown instanceof RangeError && /call stack/i.test(thrown.message)) return 'it nests too deeply';
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const [line = ''] = message.trim().split('\n');
  return line === '' ? 'it could not be read' : shortened(line, LONGEST_PROBLEM);
}

function finish(known: Omit<Extracted, 'text'>, found: Found, maxChars: number): Extracted {
  const { text, problem } = found;
  const title = oneLine(found.title);
  const whole = text === undefined ? undefined : storable(linesEnded(text));
  const kept = whole === undefined ? undefined : shortened(whole, maxChars);
  return {
    ...known,
    ...(kept !== undefined && { text: kept }),
    ...(title !== undefined && { title }),
    ...((found.truncated === true || kept !== whole) && { truncated: true }),
    ...(problem !== undefined && { problem }),
  };
}

function oneLine(title: string | undefined): string | undefined {
  if (title === undefined) return undefined;
  const line = storable(
    shortened(title, 4 * LONGEST_TITLE)
      .replace(/\s+/g, ' ')
      .trim(),
  );
  return line === '' ? undefined : shortened(line, LONGEST_TITLE);
}
