/** The text of a content, whole or in blocks that end with a line, as search and grep look at it. */
import type { ObjectStore } from '../store/objects.ts';
import type { Store } from '../store/store.ts';
import { decode, utf16Of } from './extract/encoding.ts';
import { linesEnded } from './extract/shorten.ts';

/** A content up to here is decoded whole. */
export const LARGEST = 64 * 1024 * 1024;
const BLOCK = 8 * 1024 * 1024;

interface Stored {
  readonly hash: string;
  readonly size: number;
  readonly kind: 'text' | 'binary';
}

/** Of a content that is written in letters, with one kind of line end. */
export function lettersOf(bytes: Buffer): string {
  return linesEnded(decode(bytes)?.text ?? '');
}

/** The beginning of a content that is letters: as many bytes as are worth looking at for an excerpt. */
export async function beginningOf(store: Store, { hash, size }: Stored, bytes: number): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of store.objects.read(hash, { offset: 0, length: Math.min(size, bytes) })) parts.push(part);
  return lettersOf(Buffer.concat(parts));
}

/** All of it: what is written in letters as it is, anything else by its text. A line that is longer than `LARGEST` is cut there. */
export async function* blocksOf(store: Store, { hash, size, kind }: Stored): AsyncGenerator<string> {
  if (kind === 'binary') yield (await store.documents.kept(hash))?.text ?? '';
  else if (size <= LARGEST) yield lettersOf(await store.objects.readAll(hash, LARGEST));
  else yield* blocksIn(store.objects, hash);
}

/** No text of this size has another encoding than those of Unicode that anybody searches. */
export async function* blocksIn(objects: ObjectStore, hash: string): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let waiting = '';
  let enough = BLOCK;
  for await (const part of objects.read(hash)) {
    decoder ??= new TextDecoder(utf16Of(part) ?? 'utf-8');
    waiting += decoder.decode(part, { stream: true });
    if (waiting.length < enough) continue;
    const end = waiting.lastIndexOf('\n') + 1;
    // To look again after every part would take quadratic time.
    enough = end === 0 && enough < LARGEST ? enough * 2 : BLOCK;
    if (enough > BLOCK) continue;
    yield linesEnded(waiting.slice(0, end || waiting.length));
    waiting = end === 0 ? '' : waiting.slice(end);
  }
  yield linesEnded(waiting + (decoder?.decode() ?? ''));
}
