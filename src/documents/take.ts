/** Takes one content into the store: its bytes, and what kind of thing it is. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { CairnError } from '../errors.ts';
import { scanForSecrets } from '../service/secret-scan.ts';
import type { DocumentDraft } from '../store/documents.ts';
import type { ObjectStore } from '../store/objects.ts';
import { decode } from './extract/encoding.ts';
import { binaryMimeOf, signatureOf, textKindOf } from './extract/kind.ts';
import { liesAt } from './same-file.ts';

export interface Taken
  extends Pick<DocumentDraft, 'hash' | 'size' | 'kind' | 'mime' | 'flagged' | 'modified' | 'source'> {
  /** Bytes that were not in the store yet. */
  readonly added: number;
}

export interface TakeOptions {
  readonly signal: AbortSignal;
  readonly maxBytes: number;
  readonly later: boolean;
  /** What the content is called where the file is only its way in: such a file is not remembered as its source. */
  readonly name?: string;
}

/** Longer texts are not looked through for secrets: the rules read them many times. */
const SCANNED = 256 * 1024;

export async function takeFile(objects: ObjectStore, path: string, options: TakeOptions): Promise<Taken> {
  // A link could have been put there since the path was judged; a pipe would never end.
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = await file.stat();
    const { size, mtimeMs, mtime } = stats;
    if (!stats.isFile()) throw new CairnError('validation_failed', `${path} is no file`);
    if (options.name === undefined && !(await liesAt(path, file))) throw elsewhere(path);
    if (size > options.maxBytes) throw tooLarge(path, size, options.maxBytes);
    const buffer = Buffer.alloc(Math.min(size, SCANNED));
    const start = buffer.subarray(0, (await file.read(buffer, 0, buffer.length, 0)).bytesRead);
    // As much as there was: a log may grow faster than it is read.
    const whole = size <= SCANNED ? start : file.createReadStream({ start: 0, end: size - 1, autoClose: false });
    const stored = await objects.put(whole, options);
    return {
      ...(await judged(options.name ?? path, start, size)),
      hash: stored.hash,
      size: stored.size,
      added: stored.added,
      modified: mtime.toISOString(),
      ...(options.name === undefined && { source: { path, size, modifiedMs: mtimeMs } }),
    };
  } finally {
    await file.close();
  }
}

function elsewhere(path: string): CairnError {
  return new CairnError('permission_denied', `${path} is not read: a link or another file took its place`);
}

export async function takeText(objects: ObjectStore, name: string, text: string, options: TakeOptions): Promise<Taken> {
  const bytes = Buffer.from(text);
  if (bytes.length > options.maxBytes) throw tooLarge(name, bytes.length, options.maxBytes);
  const { hash, size, added } = await objects.put(bytes, options);
  return { ...(await judged(name, bytes, size)), hash, size, added, modified: new Date().toISOString() };
}

async function judged(name: string, start: Buffer, size: number): Promise<Pick<Taken, 'kind' | 'mime' | 'flagged'>> {
  const packed = signatureOf(name, start);
  const letters = packed === undefined ? decode(start) : undefined;
  if (letters === undefined) return { kind: 'binary', mime: packed?.mime ?? binaryMimeOf(name) };
  const { mime } = textKindOf(name, letters.text);
  const [secret] = size <= SCANNED ? await scanForSecrets(letters.text) : [];
  return { kind: 'text', mime, ...(secret !== undefined && { flagged: secret.rule }) };
}

function tooLarge(name: string, size: number, most: number): CairnError {
  return new CairnError('limit_exceeded', `${name} has ${size} bytes; a document may have ${most}`, {
    suggestion: 'Raise CAIRN_MAX_DOCUMENT, or leave the file out with exclude_patterns.',
  });
}
