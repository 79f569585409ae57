import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Chunker, chunksOf, MAX_CHUNK, MIN_CHUNK } from './chunk.ts';
import { sha256 } from './hash.ts';

const MiB = 1024 * 1024;

/** A tree of source code as one text: this one, and then again with other names until it is long enough. */
function sourceTree(): Buffer {
  const root = join(import.meta.dirname, '..');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const text = files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n');
  const copies: string[] = [];
  for (let length = 0; length < 8 * MiB; length += text.length) {
    copies.push(text.replaceAll('const ', `const n${copies.length}`));
  }
  return Buffer.from(copies.join('\n')).subarray(0, 8 * MiB);
}

function jsonLines(): Buffer {
  const lines: string[] = [];
  for (let length = 0; length < 8 * MiB; length += lines.at(-1)?.length ?? 0) {
    const id = lines.length;
    lines.push(
      `${JSON.stringify({ id, name: `record ${id}`, kind: 'event', value: (id * 7919) % 1000, tags: ['a', 'b'] })}\n`,
    );
  }
  return Buffer.from(lines.join('')).subarray(0, 8 * MiB);
}

function sharedPart(before: Buffer, after: Buffer): number {
  const known = new Set([...chunksOf(before)].map(sha256));
  let shared = 0;
  for (const chunk of chunksOf(after)) if (known.has(sha256(chunk))) shared += chunk.length;
  return shared / after.length;
}

function cutAt(content: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...places.map((place) => place % (content.length + 1)), content.length].sort((a, b) => a - b);
  return ends.map((end, index) => content.subarray(ends[index - 1] ?? 0, end));
}

function streamed(pieces: readonly Buffer[]): Buffer[] {
  const chunker = new Chunker();
  const chunks: Buffer[] = [];
  for (const piece of pieces) chunks.push(...chunker.push(piece));
  return [...chunks, ...chunker.end()];
}

const contents: Readonly<Record<string, Buffer>> = {
  'a source tree': sourceTree(),
  'JSON lines': jsonLines(),
  'random bytes': randomBytes(8 * MiB),
};

const kinds = Object.keys(contents);

function contentOf(kind: string): Buffer {
  return contents[kind] ?? expect.fail(`no content called ${kind}`);
}

describe('chunks', () => {
  it.each(kinds)('of %s share nearly all after an insert of one byte at the front', (kind) => {
    const content = contentOf(kind);
    expect(sharedPart(content, Buffer.concat([Buffer.from('x'), content]))).toBeGreaterThan(0.95);
  });

  it.each(kinds)('of %s share nearly all after a change, a removal and an insert inside', (kind) => {
    const content = contentOf(kind);
    const third = Math.floor(content.length / 3);
    const changed = Buffer.concat([content.subarray(0, third), Buffer.from('—'), content.subarray(third + 9)]);
    changed[2 * third] = (changed[2 * third] ?? 0) ^ 1;
    expect(sharedPart(content, changed)).toBeGreaterThan(0.95);
  });

  it.each(kinds)('of %s keep to their sizes, 16 KiB on average, and are all of it', (kind) => {
    const content = contentOf(kind);
    const chunks = [...chunksOf(content)];
    expect(Buffer.concat(chunks).equals(content)).toBe(true);
    expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThanOrEqual(MAX_CHUNK);
    expect(Math.min(...chunks.slice(0, -1).map(({ length }) => length))).toBeGreaterThanOrEqual(MIN_CHUNK);
    const average = content.length / chunks.length;
    expect(average).toBeGreaterThan(12 * 1024);
    expect(average).toBeLessThan(22 * 1024);
  });

  it('do not depend on how the content arrives', () => {
    const content = Buffer.concat([
      contentOf('JSON lines').subarray(0, 300_000),
      contentOf('random bytes').subarray(0, 300_000),
    ]);
    const expected = [...chunksOf(content)].map(sha256);
    fc.assert(
      fc.property(fc.array(fc.nat(content.length), { maxLength: 60 }), (places) => {
        expect(streamed(cutAt(content, places)).map(sha256)).toEqual(expected);
      }),
      { numRuns: 100 },
    );
    const bytes = Array.from(content.subarray(0, 100_000), (_, at) => content.subarray(at, at + 1));
    expect(streamed(bytes).map(sha256)).toEqual([...chunksOf(content.subarray(0, 100_000))].map(sha256));
  });

  it('are cut the same in every release', () => {
    const content = Buffer.from(Array.from({ length: 40_000 }, (_, n) => `line ${n} of ${n % 7}\n`).join(''));
    const sizes = [...chunksOf(content)].map(({ length }) => length);
    expect(sha256(sizes.join(' '))).toBe('b19311f18768ce248be798d77b94612400ec90bc2cd79de01ae19155b9a21ed9');
  });

  it('are none of nothing, one of little, and of the greatest size where all bytes are the same', () => {
    expect([...chunksOf(Buffer.alloc(0))]).toEqual([]);
    expect([...chunksOf(Buffer.from('a'))]).toEqual([Buffer.from('a')]);
    expect([...chunksOf(Buffer.alloc(MIN_CHUNK))].map(({ length }) => length)).toEqual([MIN_CHUNK]);
    expect([...chunksOf(Buffer.alloc(2 * MAX_CHUNK + 1))].map(({ length }) => length)).toEqual([
      MAX_CHUNK,
      MAX_CHUNK,
      1,
    ]);
  });

  it('are the same from a chunker that has ended another stream before', () => {
    const chunker = new Chunker();
    const content = contentOf('random bytes').subarray(0, 100_000);
    const twice = [1, 2].map(() => [...chunker.push(content), ...chunker.end()].map(sha256));
    expect(twice[0]).toEqual(twice[1]);
  });
});
