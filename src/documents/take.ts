/** Takes one content into the store: its bytes, and what kind of thing it is. */
import { closeSync, constants, createReadStream, fstatSync, openSync, readSync } from 'node:fs';
import { CairnError } from '../errors.ts';
import { scanForSecrets } from '../service/secret-scan.ts';
import type { DocumentDraft } from '../store/documents.ts';
import type { Store } from '../store/store.ts';
import { decode } from './extract/encoding.ts';
import { binaryMimeOf, signatureOf, textKindOf } from './extract/kind.ts';
import { recentIn } from './recent.ts';
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

/** Without waiting for threads: for a small file that takes longer than everything else together. */
export async function takeFile(store: Store, path: string, options: TakeOptions): Promise<Taken> {
  // A link could have been put there since the path was judged; a pipe would never end.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(file);
    const { size, mtimeMs, mtime } = stats;
    if (!stats.isFile()) throw new CairnError('validation_failed', `${path} is no file`);
    if (options.name === undefined && !liesAt(path, file)) throw elsewhere(path);
    if (size > options.maxBytes) throw tooLarge(path, size, options.maxBytes);
    const buffer = Buffer.alloc(Math.min(size, SCANNED));
    const start = buffer.subarray(0, readSync(file, buffer, 0, buffer.length, 0));
    // As much as there was: a log may grow faster than it is read.
    const rest = { fd: file, start: 0, end: size - 1, autoClose: false };
    const stored = await store.objects.put(size <= SCANNED ? start : createReadStream('', rest), options);
    if (size <= SCANNED) recentIn(store).put(stored.hash, start);
    return {
      ...(await judged(options.name ?? path, start, size)),
      hash: stored.hash,
      size: stored.size,
      added: stored.added,
      modified: mtime.toISOString(),
      ...(options.name === undefined && { source: { path, size, modifiedMs: mtimeMs } }),
    };
  } finally {
    closeSync(file);
  }
}

function elsewhere(path: string): CairnError {
  return new CairnError('permission_denied', `${path} is not read: a link or another file took its place`);
}

export async function takeText(store: Store, name: string, text: string, options: TakeOptions): Promise<Taken> {
  const bytes = Buffer.from(text);
  if (bytes.length > options.maxBytes) throw tooLarge(name, bytes.length, options.maxBytes);
  const { hash, size, added } = await store.objects.put(bytes, options);
  recentIn(store).put(hash, bytes);
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
