/** API keys: 256 random bits, shown once, kept as a digest. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { sha256 } from '../store/hash.ts';

export function newKey(): { id: string; key: string; digest: string } {
  const key = `cairn_${randomBytes(32).toString('base64url')}`;
  return { id: randomBytes(4).toString('hex'), key, digest: digestOf(key) };
}

/** A fast hash is enough: a key is random, so there is nothing to guess from a stolen digest. */
export function digestOf(key: string): string {
  return sha256(key);
}

/** Compares two keys in a time that tells nothing about where they differ. */
export function sameKey(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(digestOf(a), 'hex'), Buffer.from(digestOf(b), 'hex'));
}
