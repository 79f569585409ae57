/** Contents in the embedded engine: what goes in comes out, is kept once, and survives damage, crowds and deaths. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { build } from 'esbuild';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { MAX_CHUNK, MIN_CHUNK } from '../../src/store/chunk.ts';
import { openObjects } from '../../src/store/embedded/objects/index.ts';
import { sha256 } from '../../src/store/hash.ts';
import type { ObjectStore } from '../../src/store/objects.ts';
import { freshHome } from '../support/home.ts';

const MiB = 1024 * 1024;
const HOUR = 3_600_000;
const everything = Number.POSITIVE_INFINITY;
const silent = () => undefined;

async function fresh(): Promise<{ home: string; objects: ObjectStore }> {
  const home = await freshHome();
  return { home, objects: opened(home) };
}

function opened(home: string): ObjectStore {
  const objects = openObjects(home);
  onTestFinished(() => objects.close());
  return objects;
}

/** Text with as much variety as prose; the same for the same seed. */
function text(bytes: number, seed = 'text'): Buffer {
  const lines: string[] = [];
  for (let length = 0; length < bytes; length += 65) lines.push(sha256(`${seed}${length}`));
  return Buffer.from(`${lines.join('\n')}\n`).subarray(0, bytes);
}

async function* inPieces(content: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

async function contentOf(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

function sql(home: string, statement: string): Record<string, unknown>[] {
  const database = new DatabaseSync(join(home, 'objects.db'));
  try {
    return database.prepare(statement).all() as Record<string, unknown>[];
  } finally {
    database.close();
  }
}

/** Brings what is still in the log into the file. */
function settle(home: string): void {
  sql(home, 'PRAGMA wal_checkpoint(TRUNCATE)');
}

/** Changes one byte in every place of the file that has `bytes`: SQLite leaves old copies behind. The store must be closed. */
function damage(home: string, bytes: Buffer): void {
  settle(home);
  const path = join(home, 'objects.db');
  const file = readFileSync(path);
  expect(file.includes(bytes)).toBe(true);
  for (let at = file.indexOf(bytes); at >= 0; at = file.indexOf(bytes, at + 1)) file[at + 5] = (file[at + 5] ?? 0) ^ 1;
  writeFileSync(path, file);
}

describe('a store of contents', () => {
  it('gives back the bytes it was given, of every size', async () => {
    const { objects } = await fresh();
    const edges = [
      0,
      1,
      31,
      32,
      MIN_CHUNK - 1,
      MIN_CHUNK,
      MIN_CHUNK + 1,
      MAX_CHUNK - 1,
      MAX_CHUNK,
      MAX_CHUNK + 1,
      MiB,
      MiB + 1,
    ];
    for (const size of [...edges, 3 * MiB]) {
      for (const content of [randomBytes(size), text(size), Buffer.alloc(size)]) {
        const stored = await objects.put(content);
        expect(stored).toMatchObject({ hash: sha256(content), size });
        expect((await objects.readAll(stored.hash, everything)).equals(content)).toBe(true);
        expect(await objects.size(stored.hash)).toBe(size);
      }
    }
    expect(await objects.verify(silent)).toMatchObject({ damaged: [] });
  });

  it('keeps the same content however it arrives', async () => {
    const { objects } = await fresh();
    const content = Buffer.concat([text(150_000), randomBytes(150_000)]);
    const whole = await objects.put(content);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 500, max: 400_000 }), async (size) => {
        expect(await objects.put(inPieces(content, size))).toEqual({ ...whole, added: 0 });
      }),
      { numRuns: 30 },
    );
    expect(await objects.stats()).toMatchObject({ contents: 1, chunks: whole.chunks, uniqueBytes: content.length });
  });

  it('takes a stream of 100 MB in little memory, from a source that uses one buffer for all of it', async ({
    annotate,
  }) => {
    const { objects } = await fresh();
    const noise = randomBytes(4 * MiB);
    const buffer = Buffer.alloc(64 * 1024);
    const whole = createHash('sha256');
    let most = 0;
    async function* generated(): AsyncGenerator<Buffer> {
      for (let n = 0; n < 1600; n++) {
        noise.copy(buffer, 0, (n * 7919) % (3 * MiB));
        buffer.writeUInt32LE(n, 1000);
        whole.update(buffer);
        most = Math.max(most, process.memoryUsage().arrayBuffers);
        yield buffer;
      }
    }
    const before = process.memoryUsage().arrayBuffers;
    const { hash, size, chunks } = await objects.put(generated());
    expect({ hash, size }).toEqual({ hash: whole.digest('hex'), size: 1600 * buffer.length });
    await annotate(`${chunks} chunks, at most ${Math.round((most - before) / MiB)} MiB more`);
    expect(most - before).toBeLessThan(80 * MiB);
    const again = createHash('sha256');
    for await (const piece of objects.read(hash)) again.update(piece);
    expect(again.digest('hex')).toBe(hash);
  });

  it('reads any range of a content', async () => {
    const { objects } = await fresh();
    const content = Buffer.concat([text(200_000), randomBytes(200_000), Buffer.alloc(200_000)]);
    const { hash } = await objects.put(content);
    await fc.assert(
      fc.asyncProperty(fc.nat(content.length + 10), fc.nat(content.length + 10), async (offset, length) => {
        const part = await contentOf(objects.read(hash, { offset, length }));
        expect(part.equals(content.subarray(offset, offset + length))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('keeps once what contents share', async () => {
    const { objects } = await fresh();
    const first = text(2 * MiB);
    const second = Buffer.concat([Buffer.from('x'), first]);
    expect(await objects.put(first)).toMatchObject({ added: first.length });
    expect(await objects.put(first)).toMatchObject({ added: 0 });
    expect((await objects.put(second)).added).toBeLessThan(0.05 * second.length);
    const { contents, totalBytes, uniqueBytes } = await objects.stats();
    expect({ contents, totalBytes }).toEqual({ contents: 2, totalBytes: first.length + second.length });
    expect(uniqueBytes).toBeLessThan(1.05 * first.length);
  });

  it('compresses what gets smaller, and leaves the rest as it is', async () => {
    const { home, objects } = await fresh();
    const { hash } = await objects.put(Buffer.from('a line like the others\n'.repeat(40_000)));
    const small = await objects.stats();
    expect(small.storedBytes).toBeLessThan(small.uniqueBytes / 10);
    const noise = randomBytes(MiB);
    const records = Buffer.alloc(MiB);
    for (let at = 0; at < records.length; at += 16) noise.copy(records, at, at, at + 2);
    await objects.put(noise);
    const { storedBytes } = await objects.stats();
    expect(storedBytes - small.storedBytes).toBe(noise.length);
    await objects.put(records);
    expect((await objects.stats()).storedBytes - storedBytes).toBeLessThan(records.length / 2);
    expect(sql(home, 'SELECT DISTINCT codec FROM chunk ORDER BY codec').map(({ codec }) => codec)).toEqual([0, 1]);
    expect((await objects.readAll(hash, everything)).length).toBe(23 * 40_000);
  });

  it('finds hashes by how they begin', async () => {
    const { objects } = await fresh();
    const hashes: string[] = [];
    for (let n = 0; n < 60; n++) hashes.push((await objects.put(Buffer.from(`content ${n}`))).hash);
    hashes.sort();
    for (const length of [0, 1, 2, 3, 8, 63, 64]) {
      const prefix = hashes[30]?.slice(0, length) ?? '';
      expect(await objects.matching(prefix, 100)).toEqual(hashes.filter((hash) => hash.startsWith(prefix)));
    }
    expect(await objects.matching('', 3)).toEqual(hashes.slice(0, 3));
    expect(await objects.matching((hashes[0] ?? '').slice(0, 9).toUpperCase(), 3)).toEqual([hashes[0]]);
    expect(await objects.matching('%_', 3)).toEqual([]);
  });

  it('makes nothing on disk by reading, and the home by the first content', async () => {
    const { home, objects } = await fresh();
    const nothing = { contents: 0, chunks: 0, totalBytes: 0, uniqueBytes: 0, storedBytes: 0 };
    expect(await objects.stats()).toEqual(nothing);
    expect(await objects.size(sha256('x'))).toBeUndefined();
    expect(await objects.matching('', 9)).toEqual([]);
    expect(await objects.verify(silent)).toEqual({ checked: 0, damaged: [] });
    expect(await objects.collect(() => false)).toEqual({ contents: 0, chunks: 0, freedBytes: 0 });
    await expect(objects.readAll(sha256('x'), 9)).rejects.toMatchObject({ kind: 'not_found' });
    expect(existsSync(home)).toBe(false);
    await objects.put(Buffer.from('x'));
    expect(readdirSync(home)).toContain('objects.db');
    const other = opened(home);
    expect(await other.size(sha256('x'))).toBe(1);
    await objects.put(Buffer.from('y'));
    expect(await other.size(sha256('y'))).toBe(1);
  });

  it('leaves nothing referenced when a content is too large, is cancelled, or fails on its way', async () => {
    const { objects } = await fresh();
    const content = randomBytes(3 * MiB);
    const refused = { kind: 'limit_exceeded', message: expect.stringContaining(String(2 * MiB)) };
    await expect(objects.put(content, { maxBytes: 2 * MiB })).rejects.toMatchObject(refused);
    await expect(objects.put(content, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });

    const cancel = new AbortController();
    async function* stuck(): AsyncGenerator<Buffer> {
      yield content;
      setTimeout(() => cancel.abort(), 20);
      await new Promise(silent);
    }
    await expect(objects.put(stuck(), { signal: cancel.signal })).rejects.toMatchObject({ name: 'AbortError' });
    async function* broken(): AsyncGenerator<Buffer> {
      yield content;
      throw new Error('the source broke');
    }
    await expect(objects.put(broken())).rejects.toThrow('the source broke');

    expect((await objects.stats()).contents).toBe(0);
    expect((await objects.stats()).chunks).toBeGreaterThan(0);
    expect(await objects.collect(() => true, { spareMs: 0, now: Date.now() + 1 })).toMatchObject({ contents: 0 });
    expect(await objects.stats()).toMatchObject({ chunks: 0, storedBytes: 0 });
    expect(await objects.put(content, { maxBytes: 3 * MiB })).toMatchObject({ added: 3 * MiB });
    await expect(objects.readAll(sha256(content), 100)).rejects.toMatchObject({ kind: 'limit_exceeded' });
  });
});

describe('damage', () => {
  it.each(['plain', 'compressed'])(
    'of %s bytes is an error that names the content, until it is stored again',
    async (kind) => {
      const { home, objects } = await fresh();
      const content = kind === 'plain' ? randomBytes(200_000) : text(200_000);
      const longer = Buffer.concat([content, Buffer.from('and more')]);
      const { hash } = await objects.put(content);
      const other = await objects.put(longer);
      const sound = await objects.put(Buffer.from('sound'));
      await objects.close();
      const [body] = sql(home, 'SELECT data FROM body WHERE id = 2');
      // The beginning only: a long one goes on elsewhere in the file.
      damage(home, Buffer.from(body?.data as Uint8Array).subarray(0, 40));

      const damaged = opened(home);
      const problem = { kind: 'integrity_error', message: expect.stringContaining(hash) };
      await expect(damaged.readAll(hash, everything)).rejects.toMatchObject(problem);
      expect((await contentOf(damaged.read(hash, { offset: 0, length: 100 }))).equals(content.subarray(0, 100))).toBe(
        true,
      );
      const reports: [number, number][] = [];
      const { checked, damaged: found } = await damaged.verify((done, total) => reports.push([done, total]));
      expect(checked).toBe(3);
      expect(found.map((item) => item.hash).sort()).toEqual([hash, other.hash].sort());
      expect(reports.at(-1)?.[0]).toBe(reports.at(-1)?.[1]);
      expect((await damaged.readAll(sound.hash, 10)).toString()).toBe('sound');

      expect((await damaged.put(content)).added).toBeGreaterThan(0);
      expect((await damaged.readAll(other.hash, everything)).equals(longer)).toBe(true);
      expect(await damaged.verify(silent)).toEqual({ checked: 3, damaged: [] });
    },
  );

  it.each([
    ['a list of chunks that was changed', 'UPDATE content SET manifest = zeroblob(length(manifest))'],
    ['a chunk that is missing', 'DELETE FROM chunk WHERE body = 2'],
    ['bytes that are missing', 'DELETE FROM body WHERE id = 2'],
    ['bytes that are not what their codec makes', 'UPDATE chunk SET codec = 1 - codec WHERE body = 2'],
  ])('is found in %s, and mended by storing the content again', async (_, statement) => {
    const { home, objects } = await fresh();
    const content = text(200_000);
    const { hash } = await objects.put(content);
    sql(home, statement);
    await expect(objects.readAll(hash, everything)).rejects.toMatchObject({ kind: 'integrity_error' });
    expect(await objects.verify(silent)).toMatchObject({ checked: 1, damaged: [{ hash }] });
    await objects.put(content);
    expect((await objects.readAll(hash, everything)).equals(content)).toBe(true);
    expect(await objects.verify(silent)).toEqual({ checked: 1, damaged: [] });
  });

  it('of a content whose chunks are those of another is found when it is read whole', async () => {
    const { home, objects } = await fresh();
    const { hash } = await objects.put(Buffer.from('one'));
    const other = await objects.put(Buffer.from('two'));
    const manifest = `(SELECT manifest FROM content WHERE hash = x'${other.hash}')`;
    const seal = sha256(
      Buffer.concat([Buffer.from(hash, 'hex'), sql(home, `SELECT ${manifest} AS m`)[0]?.m as Uint8Array]),
    );
    sql(home, `UPDATE content SET manifest = ${manifest}, seal = '${seal}' WHERE hash = x'${hash}'`);
    await expect(objects.readAll(hash, 10)).rejects.toMatchObject({ kind: 'integrity_error' });
  });

  it('does not make a store of a newer Cairn an older one', async () => {
    const { home, objects } = await fresh();
    await objects.put(Buffer.from('x'));
    sql(home, 'PRAGMA user_version = 99');
    const newer = { kind: 'store_unavailable', message: expect.stringContaining('newer Cairn') };
    await expect(opened(home).size(sha256('x'))).rejects.toMatchObject(newer);
    await expect(opened(home).put(Buffer.from('y'))).rejects.toMatchObject(newer);
  });
});

describe('collection', () => {
  it('removes what nobody names, spares what is young, and gives the space back', async () => {
    const { home, objects } = await fresh();
    const [kept, dropped] = [randomBytes(2 * MiB), randomBytes(6 * MiB)];
    const live = await objects.put(kept);
    // Shares its first half with what stays.
    const dead = await objects.put(Buffer.concat([kept.subarray(0, MiB), dropped]));
    const isLive = async (hash: string) => hash === live.hash;
    expect(await objects.collect(isLive)).toEqual({ contents: 0, chunks: 0, freedBytes: 0 });

    const later = Date.now() + HOUR;
    const { contents, chunks, freedBytes } = await objects.collect(isLive, { now: later + 1 });
    expect(contents).toBe(1);
    expect(chunks).toBeGreaterThan(100);
    expect(freedBytes).toBeGreaterThanOrEqual(dropped.length - MAX_CHUNK);
    expect(await objects.size(dead.hash)).toBeUndefined();
    expect((await objects.readAll(live.hash, everything)).equals(kept)).toBe(true);
    expect(await objects.stats()).toMatchObject({ contents: 1, chunks: live.chunks, uniqueBytes: kept.length });
    expect(await objects.verify(silent)).toEqual({ checked: 1, damaged: [] });
    await objects.close();
    settle(home);
    expect(statSync(join(home, 'objects.db')).size).toBeLessThan(3 * MiB);
  });

  it('spares what was stored again, for an hour from then', async () => {
    const { home, objects } = await fresh();
    const content = randomBytes(MiB);
    const { hash } = await objects.put(content);
    sql(home, `UPDATE content SET created = created - ${2 * HOUR}`);
    sql(home, `UPDATE chunk SET created = created - ${2 * HOUR}`);
    await objects.put(content);
    expect(await objects.collect(() => false)).toMatchObject({ contents: 0, chunks: 0 });
    expect((await objects.readAll(hash, everything)).equals(content)).toBe(true);
    expect(await objects.collect(() => false, { now: Date.now() + HOUR })).toMatchObject({ contents: 1 });
    expect(await objects.stats()).toMatchObject({ contents: 0, chunks: 0 });
  });

  it('between the decision and the removal lets a content that is stored again stay', async () => {
    const { home, objects } = await fresh();
    const content = randomBytes(MiB);
    const { hash } = await objects.put(content);
    const other = opened(home);
    const collected = await objects.collect(
      async () => {
        await delay(5);
        await other.put(content);
        return false;
      },
      { spareMs: 1, now: Date.now() + 3 },
    );
    expect(collected).toEqual({ contents: 0, chunks: 0, freedBytes: 0 });
    expect((await objects.readAll(hash, everything)).equals(content)).toBe(true);
  });

  it('of parts of a content that is still arriving refuses that content, whole', async () => {
    const { objects } = await fresh();
    const content = randomBytes(4 * MiB);
    async function* slow(): AsyncGenerator<Buffer> {
      yield content.subarray(0, 3 * MiB);
      // The first chunks are written while more is awaited: what comes after the collection is no part of it.
      while ((await objects.stats()).chunks === 0) await delay(5);
      await objects.collect(() => true, { now: Date.now() + HOUR });
      yield content.subarray(3 * MiB);
    }
    await expect(objects.put(slow())).rejects.toMatchObject({ kind: 'conflict' });
    expect((await objects.stats()).contents).toBe(0);
    await objects.put(content);
    expect((await objects.readAll(sha256(content), everything)).equals(content)).toBe(true);
  });

  it('stops at a content whose list of chunks is damaged', async () => {
    const { home, objects } = await fresh();
    const { hash } = await objects.put(randomBytes(MiB));
    sql(home, 'UPDATE content SET manifest = zeroblob(38)');
    const stopped = { kind: 'integrity_error', message: expect.stringContaining(hash) };
    await expect(objects.collect(() => true, { now: Date.now() + HOUR })).rejects.toMatchObject(stopped);
    expect((await objects.stats()).uniqueBytes).toBe(MiB);
  });
});

describe('a home of contents that many processes write', () => {
  // Inside node_modules, so that the bundle finds the native SQLite that it leaves out.
  const cache = resolve('node_modules/.cache');
  const bundle = join(cache, `cairn-objects-writer-${process.pid}.mjs`);
  /**
   * Says `ready`; told to go, puts what its seed makes and says the hash, so many times. One content it never ends: it says
   * `half` in the middle and waits.
   */
  const program = `
    import { createCipheriv, createHash } from 'node:crypto';
    import { once } from 'node:events';
    import { writeSync } from 'node:fs';
    import { openObjects } from './src/store/embedded/objects/index.ts';
    const [home, seed, times, bytes, endless] = process.argv.slice(2);
    const objects = openObjects(home);
    async function* content(n) {
      const noise = createCipheriv('aes-256-ctr', createHash('sha256').update(seed + n).digest(), Buffer.alloc(16));
      for (let at = 0; at < Number(bytes); at += 50_000) {
        yield noise.update(Buffer.alloc(50_000));
        if (n === Number(endless) && at > Number(bytes) / 2) {
          writeSync(1, 'half\\n');
          await new Promise(() => setInterval(() => {}, 1000));
        }
      }
    }
    writeSync(1, 'ready\\n');
    await once(process.stdin, 'data');
    for (let n = 0; n < Number(times); n++) writeSync(1, (await objects.put(content(n))).hash + '\\n');
    await objects.close();
    process.exit(0);`;

  beforeAll(async () => {
    await mkdir(cache, { recursive: true });
    await build({
      stdin: { contents: program, resolveDir: resolve('.'), loader: 'js' },
      outfile: bundle,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      external: ['@photostructure/sqlite'],
    });
  });
  afterAll(() => rm(bundle, { force: true }));

  async function start(home: string, seed: string, times: number, bytes: number, endless = -1) {
    const values = [home, seed, String(times), String(bytes), String(endless)];
    const child: ChildProcess = spawn(process.execPath, [bundle, ...values], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    const stored: string[] = [];
    const closed = Promise.all([once(child, 'close'), once(lines, 'close')]).then(() => child.exitCode);
    await once(lines, 'line');
    const half = new Promise<void>((reached) => {
      lines.on('line', (line) => (line === 'half' ? reached() : stored.push(line)));
    });
    return { stored, closed, half, go: () => child.stdin?.write('go\n'), kill: () => child.kill('SIGKILL') };
  }

  it('keeps every content that was acknowledged when a process is killed in the middle of another', async () => {
    const home = await freshHome();
    const acknowledged: string[] = [];
    for (let round = 0; round < 6; round++) {
      // Every other one dies in the middle of a content, the rest wherever they are.
      const writer = await start(home, `round ${round} `, 1000, 3 * MiB, round % 2 === 0 ? round / 2 : -1);
      writer.go();
      await (round % 2 === 0 ? writer.half : delay(20 * round));
      writer.kill();
      await writer.closed;
      acknowledged.push(...writer.stored);
      const objects = openObjects(home);
      const { checked, damaged } = await objects.verify(silent);
      expect(damaged).toEqual([]);
      expect(checked).toBeGreaterThanOrEqual(acknowledged.length);
      for (const hash of writer.stored) expect(sha256(await objects.readAll(hash, everything))).toBe(hash);
      await objects.close();
    }
    const objects = opened(home);
    expect(await objects.collect(() => true)).toEqual({ contents: 0, chunks: 0, freedBytes: 0 });
    const { contents, chunks } = await objects.collect(() => true, { now: Date.now() + HOUR });
    expect(contents).toBe(0);
    expect(chunks).toBeGreaterThan(100);
    expect((await objects.verify(silent)).damaged).toEqual([]);
    const all = await objects.matching('', 10_000);
    expect(all).toEqual(expect.arrayContaining(acknowledged));
    expect(await objects.collect(() => false, { now: Date.now() + HOUR })).toMatchObject({ contents: all.length });
    expect(await objects.stats()).toMatchObject({ contents: 0, chunks: 0, storedBytes: 0 });
  });

  it('takes the same and different contents from four processes at once, while another collects', async () => {
    const home = await freshHome();
    const writers = await Promise.all(['a', 'a', 'a', 'b'].map((seed) => start(home, seed, 12, 500_000)));
    for (const writer of writers) writer.go();
    const ended = Promise.all(writers.map((writer) => writer.closed));
    const objects = opened(home);
    const pending = { now: true };
    void ended.then(() => (pending.now = false));
    while (pending.now) {
      await objects.collect(() => true);
      await delay(10);
    }
    expect(await ended).toEqual([0, 0, 0, 0]);
    expect(writers[0]?.stored).toEqual(writers[1]?.stored);
    expect(await objects.stats()).toMatchObject({ contents: 24, totalBytes: 12_000_000, uniqueBytes: 12_000_000 });
    expect(await objects.verify(silent)).toEqual({ checked: 24, damaged: [] });
  });
});
