import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readChecksum, Verifier } from './checksum.ts';

const algorithms = ['sha256', 'sha512', 'sha1', 'md5'];
const of = (algorithm: string, bytes: Uint8Array) => createHash(algorithm).update(bytes).digest('hex');

describe('a checksum', () => {
  it('is verified for whatever bytes, in whatever pieces they come', () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 8 });
    fc.assert(
      fc.property(fc.constantFrom(...algorithms), pieces, fc.boolean(), (algorithm, parts, upper) => {
        const text = `${algorithm}:${of(algorithm, Buffer.concat(parts))}`;
        const verifier = new Verifier(readChecksum(upper ? text.toUpperCase() : text));
        for (const part of parts) verifier.see(part);
        expect(verifier.verify()).toBe(true);
      }),
    );
  });

  it('that is of other bytes is an error, which names both', () => {
    fc.assert(
      fc.property(fc.constantFrom(...algorithms), fc.uint8Array({ maxLength: 50 }), (algorithm, bytes) => {
        const wanted = `${algorithm}:${of(algorithm, Buffer.from('something else entirely'))}`;
        const verifier = new Verifier(readChecksum(wanted));
        verifier.see(bytes);
        expect(() => verifier.verify()).toThrow(`${algorithm}:${of(algorithm, bytes)}, not ${wanted}`);
      }),
    );
  });

  it('that is not there verifies nothing, and says so', () => {
    const verifier = new Verifier(undefined);
    verifier.see(Buffer.from('x'));
    expect(verifier.verify()).toBe(false);
  });

  it.each([
    ['a'.repeat(64), 'names no algorithm', 'Write it as sha256:HEX.'],
    ['a'.repeat(32), 'names no algorithm', 'Write it as md5:HEX.'],
    [`sha256-${'a'.repeat(64)}`, 'names no algorithm', 'Write it as'],
    ['', 'names no algorithm', 'Write it as'],
    [`:${'a'.repeat(64)}`, 'names an unknown algorithm', 'Use one of'],
    [`crc32:${'a'.repeat(8)}`, 'names an unknown algorithm', 'Use one of sha256, sha512, sha1, md5.'],
    [`constructor:${'a'.repeat(64)}`, 'names an unknown algorithm', 'Use one of'],
    [`sha256:${'a'.repeat(63)}`, 'is no sha256', 'has 64 hexadecimal digits'],
    [`sha256:${'a'.repeat(65)}`, 'is no sha256', 'has 64 hexadecimal digits'],
    [`sha256:${'g'.repeat(64)}`, 'is no sha256', 'has 64 hexadecimal digits'],
    [`sha256: ${'a'.repeat(63)}`, 'is no sha256', 'has 64 hexadecimal digits'],
    ['sha256:', 'is no sha256', 'has 64 hexadecimal digits'],
    [`sha512:${'a'.repeat(64)}`, 'is no sha512', 'has 128 hexadecimal digits'],
    [`md5:${'a'.repeat(40)}`, 'is no md5', 'has 32 hexadecimal digits'],
  ])('that cannot be verified is an error: %j', (text, fault, suggestion) => {
    expect(() => readChecksum(text)).toThrow(
      expect.objectContaining({
        kind: 'validation_failed',
        message: expect.stringContaining(fault),
        suggestion: expect.stringContaining(suggestion),
      }),
    );
  });
});
