/** Hashes as rows hold them and as people read them, and what is said of a content that is damaged or not there. */
import { CairnError } from '../../errors.ts';
import { sha256 } from '../hash.ts';
import { unpackChunk } from '../objects.ts';
import type { StoredChunk } from './shelf.ts';

export function keyOf(hash: string): Buffer {
  return Buffer.from(hash, 'hex');
}

export function nameOf(hash: unknown): string {
  return bytesOf(hash).toString('hex');
}

export function bytesOf(hash: unknown): Buffer {
  if (!(hash instanceof Uint8Array)) throw new CairnError('integrity_error', 'A hash in the store is not a hash');
  return Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength);
}

export function sealOf(hash: Uint8Array, manifest: Uint8Array): string {
  return sha256(Buffer.concat([hash, manifest]));
}

export function soundChunk({ codec, size, data }: StoredChunk, hash: Uint8Array): Buffer | undefined {
  if (data === undefined) return undefined;
  const chunk = unpackChunk({ codec, data }, size);
  return chunk !== undefined && sha256(chunk) === nameOf(hash) ? chunk : undefined;
}

export function slices<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));
}

export function damage(hash: string, problem: string): CairnError {
  return new CairnError('integrity_error', `The content ${hash} is damaged: ${problem}`, {
    hash,
    suggestion: 'Verify the documents, then add the same file again: that replaces what is damaged.',
  });
}

export function unknownContent(hash: string): CairnError {
  return new CairnError('not_found', `No content has the hash ${hash}`);
}

export function collectedMeanwhile(): CairnError {
  return new CairnError('conflict', 'The content arrived so slowly that parts of it were collected as left over', {
    suggestion: 'Store it again; what is still there is not written twice.',
  });
}
