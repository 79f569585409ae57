/**
 * The hash of the whole catalog, as a digest of 256 bucket digests, so that one write hashes one bucket again: at 20,000
 * entries some eighty of them, not all.
 */
import { sha256 } from '../store/hash.ts';

export class CatalogDigest {
  readonly #buckets = Array.from({ length: 256 }, () => new Map<string, string>());
  readonly #digests = new Array<string | undefined>(256).fill(undefined);
  #whole: string | undefined;

  set(id: string, sourceHash: string, metaHash: string): void {
    const bucket = bucketOf(id);
    this.#buckets[bucket]?.set(id, `${id}\n${sourceHash}\n${metaHash}\n`);
    this.#touch(bucket);
  }

  delete(id: string): void {
    const bucket = bucketOf(id);
    if (this.#buckets[bucket]?.delete(id)) this.#touch(bucket);
  }

  get hash(): string {
    this.#whole ??= sha256(this.#buckets.map((bucket, index) => this.#digestOf(bucket, index)).join('\n'));
    return this.#whole;
  }

  #digestOf(bucket: ReadonlyMap<string, string>, index: number): string {
    const known = this.#digests[index];
    if (known !== undefined) return known;
    const lines = [...bucket].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
    const digest = lines.length === 0 ? '' : sha256(lines.join(''));
    this.#digests[index] = digest;
    return digest;
  }

  #touch(bucket: number): void {
    this.#digests[bucket] = undefined;
    this.#whole = undefined;
  }
}

/** FNV-1a: any fixed spread will do, and this one costs nothing. */
function bucketOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < id.length; index++) hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  return hash & 0xff;
}
