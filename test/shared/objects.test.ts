/** Contents: the same promises kept by the embedded engine, by rows of PostgreSQL, and by PostgreSQL with an object store. */
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { MAX_CHUNK, MIN_CHUNK } from '../../src/store/chunk.ts';
import { openObjects } from '../../src/store/embedded/objects/index.ts';
import { sha256 } from '../../src/store/hash.ts';
import type { ObjectStore } from '../../src/store/objects.ts';
import { storeAddress } from '../../src/store/shared/address.ts';
import { bucketAddress } from '../../src/store/shared/bucket-address.ts';
import { placeOf } from '../../src/store/shared/bucket-chunks.ts';
import { SharedDatabase } from '../../src/store/shared/database.ts';
import { sharedObjects } from '../../src/store/shared/objects.ts';
import { keys, type TestBucket, testBucket } from '../support/bucket.ts';
import { freshHome } from '../support/home.ts';
import { freshCatalog, type TestServer, testServer } from '../support/postgres.ts';

const MiB = 1024 * 1024;
const HOUR = 3_600_000;
const everything = Number.POSITIVE_INFINITY;
const silent = () => undefined;

let server: TestServer;
let bucket: TestBucket;
beforeAll(async () => {
  server = await testServer();
  bucket = await testBucket();
});
afterAll(async () => {
  await server?.stop();
  await bucket?.stop();
});

interface Engine {
  readonly objects: ObjectStore;
  /** The same store, as another process has it. */
  another(): ObjectStore;
  /** Behind the back of the store; hashes and lists are bytes in both dialects. */
  meddle(sql: string): Promise<void>;
  /** Spoils the bytes of one chunk, or takes them away. */
  spoil(how: 'change' | 'lose'): Promise<void>;
}

function database(catalog: string): SharedDatabase {
  const address = storeAddress(server.url, catalog);
  const opened = new SharedDatabase({ address, connections: 4, statementMs: 20_000, lockWaitMs: 10_000 });
  onTestFinished(() => opened.close());
  return opened;
}

async function embedded(): Promise<Engine> {
  const home = await freshHome();
  const another = () => {
    const objects = openObjects(home);
    onTestFinished(() => objects.close());
    return objects;
  };
  const meddle = async (sql: string) => {
    const file = new DatabaseSync(join(home, 'objects.db'));
    file.exec(sql);
    file.close();
  };
  const second = 'id = (SELECT id FROM body ORDER BY id LIMIT 1 OFFSET 1)';
  const spoil = (how: 'change' | 'lose') =>
    meddle(
      how === 'lose' ? `DELETE FROM body WHERE ${second}` : `UPDATE body SET data = x'00' || data WHERE ${second}`,
    );
  return { objects: another(), another, meddle, spoil };
}

function onPostgres(options: () => Parameters<typeof sharedObjects>[1]): () => Promise<Engine> {
  return async () => {
    const catalog = freshCatalog();
    const first = database(catalog);
    const meddle = async (sql: string) => void (await first.rows.run(sql));
    const spoil = async (how: 'change' | 'lose') => {
      const sql = 'SELECT hash, body, data IS NULL AS away FROM chunk ORDER BY hash LIMIT 1 OFFSET 1';
      const row = await first.rows.get(sql);
      const hash = Buffer.from(row?.hash as Uint8Array).toString('hex');
      if ((row?.away as unknown) === true) {
        const place = placeOf(await first.catalog(), hash, Number(row?.body));
        const name = [...bucket.objects.keys()].find((each) => each.endsWith(`/${place}`)) ?? '';
        if (how === 'lose') bucket.objects.delete(name);
        else bucket.objects.set(name, Buffer.from('something else'));
      } else {
        const data = how === 'lose' ? "''::bytea" : "'\\x00'::bytea || data";
        await meddle(`UPDATE chunk SET data = ${data} WHERE hash = decode('${hash}', 'hex')`);
      }
    };
    return {
      objects: sharedObjects(first, options()),
      another: () => sharedObjects(database(catalog), options()),
      meddle,
      spoil,
    };
  };
}

const inBucket = () => ({ bucket: { address: bucketAddress(bucket.address), credentials: keys } });

function text(bytes: number, seed = 'text'): Buffer {
  const lines: string[] = [];
  for (let length = 0; length < bytes; length += 65) lines.push(sha256(`${seed}${length}`));
  return Buffer.from(`${lines.join('\n')}\n`).subarray(0, bytes);
}

async function contentOf(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

describe.each([
  ['objects.db', embedded],
  ['rows of PostgreSQL', onPostgres(() => ({}))],
  ['PostgreSQL with an object store', onPostgres(inBucket)],
] as const)('contents in %s', (_, engine) => {
  it('come out as they went in, of every size, once however they arrive', async () => {
    const { objects, another } = await engine();
    const sizes = [0, 1, MIN_CHUNK, MAX_CHUNK - 1, MAX_CHUNK + 1, MiB, 3 * MiB + 1];
    for (const size of sizes) {
      for (const content of [randomBytes(size), text(size), Buffer.alloc(size)]) {
        const stored = await objects.put(content);
        expect(stored).toMatchObject({ hash: sha256(content), size });
        expect((await another().readAll(stored.hash, everything)).equals(content)).toBe(true);
        async function* pieces() {
          for (let at = 0; at < size; at += 70_001) yield content.subarray(at, at + 70_001);
        }
        expect(await objects.put(pieces())).toEqual({ ...stored, added: 0 });
        expect(await objects.size(stored.hash)).toBe(size);
      }
    }
    expect(await objects.verify(silent)).toEqual({ checked: 3 * sizes.length - 2, damaged: [] });
  });

  it('are read in any range', async () => {
    const { objects } = await engine();
    const content = Buffer.concat([text(700_000), randomBytes(700_000)]);
    const { hash } = await objects.put(content);
    const edges = [0, 1, 65_536, 699_999, 700_000, 1_300_000, 1_399_999, 1_400_000, 1_500_000];
    for (const offset of edges) {
      for (const length of [0, 1, 100_000, 2_000_000]) {
        const part = await contentOf(objects.read(hash, { offset, length }));
        expect(part.equals(content.subarray(offset, offset + length))).toBe(true);
      }
    }
    await expect(objects.readAll(hash, 100)).rejects.toMatchObject({ kind: 'limit_exceeded' });
    await expect(objects.readAll(sha256('x'), 9)).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('share what they have in common, and are counted', async () => {
    const { objects } = await engine();
    expect(await objects.stats()).toEqual({ contents: 0, chunks: 0, totalBytes: 0, uniqueBytes: 0, storedBytes: 0 });
    const first = text(2 * MiB);
    const second = Buffer.concat([Buffer.from('x'), first]);
    expect(await objects.put(first)).toMatchObject({ added: first.length });
    expect((await objects.put(second)).added).toBeLessThan(0.05 * second.length);
    const { contents, totalBytes, uniqueBytes, storedBytes } = await objects.stats();
    expect({ contents, totalBytes }).toEqual({ contents: 2, totalBytes: first.length + second.length });
    expect(uniqueBytes).toBeLessThan(1.05 * first.length);
    expect(storedBytes).toBeLessThan(0.7 * uniqueBytes);
  });

  it('are found by how their hashes begin, and told apart from those that are not there', async () => {
    const { objects } = await engine();
    const hashes: string[] = [];
    for (let n = 0; n < 40; n++) hashes.push((await objects.put(Buffer.from(`content ${n}`), { later: true })).hash);
    await objects.settle();
    hashes.sort();
    for (const length of [0, 1, 2, 63, 64]) {
      const prefix = hashes[20]?.slice(0, length) ?? '';
      expect(await objects.matching(prefix, 100)).toEqual(hashes.filter((hash) => hash.startsWith(prefix)));
    }
    expect(await objects.matching('', 3)).toEqual(hashes.slice(0, 3));
    expect(await objects.matching((hashes[0] ?? '').slice(0, 9).toUpperCase(), 3)).toEqual([hashes[0]]);
    expect(await objects.matching('%_', 3)).toEqual([]);
    expect(await objects.sound([hashes[0] ?? '', sha256('none'), hashes[1] ?? ''])).toEqual(
      new Set(hashes.slice(0, 2)),
    );
  });

  it('take little memory on their way, in both directions', async () => {
    const { objects } = await engine();
    const buffer = randomBytes(64 * 1024);
    const whole = createHash('sha256');
    let most = 0;
    async function* generated() {
      for (let n = 0; n < 400; n++) {
        buffer.writeUInt32LE(n, 1000);
        buffer.writeUInt32LE(n, 40_000);
        whole.update(buffer);
        most = Math.max(most, process.memoryUsage().arrayBuffers);
        yield buffer;
      }
    }
    const before = process.memoryUsage().arrayBuffers;
    const { hash, size } = await objects.put(generated());
    expect({ hash, size }).toEqual({ hash: whole.digest('hex'), size: 25 * MiB });
    const again = createHash('sha256');
    for await (const piece of objects.read(hash)) {
      again.update(piece);
      most = Math.max(most, process.memoryUsage().arrayBuffers);
    }
    expect(again.digest('hex')).toBe(hash);
    expect(most - before).toBeLessThan(100 * MiB);
  });

  it('leave nothing that counts when they are too large, are cancelled or fail on their way', async () => {
    const { objects } = await engine();
    const content = randomBytes(5 * MiB);
    await expect(objects.put(content, { maxBytes: 4 * MiB })).rejects.toMatchObject({ kind: 'limit_exceeded' });
    await expect(objects.put(content, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
    async function* broken() {
      yield content;
      throw new Error('the source broke');
    }
    await expect(objects.put(broken())).rejects.toThrow('the source broke');
    expect(await objects.stats()).toMatchObject({ contents: 0 });
    expect((await objects.stats()).chunks).toBeGreaterThan(0);
    expect(await objects.collect(() => true, { now: Date.now() + HOUR + 1 })).toMatchObject({ contents: 0 });
    expect(await objects.stats()).toMatchObject({ chunks: 0, storedBytes: 0 });
    expect(await objects.put(content)).toMatchObject({ added: 5 * MiB });
  });

  it.each(['change', 'lose'] as const)('whose bytes somebody %ss are found out and mended by a put', async (how) => {
    const { objects, spoil } = await engine();
    const content = text(300_000);
    const { hash } = await objects.put(content);
    const small = await objects.put(Buffer.from('small'));
    await spoil(how);
    const problem = { kind: 'integrity_error', message: expect.stringContaining(hash) };
    await expect(objects.readAll(hash, everything)).rejects.toMatchObject(problem);
    expect((await objects.readAll(small.hash, 9)).toString()).toBe('small');
    expect(await objects.verify(silent, { mark: false })).toMatchObject({ checked: 2, damaged: [{ hash }] });
    expect(await objects.sound([hash, small.hash])).toEqual(new Set([hash, small.hash]));
    expect(await objects.verify(silent)).toMatchObject({ checked: 2, damaged: [{ hash }] });
    expect(await objects.sound([hash, small.hash])).toEqual(new Set());
    expect((await objects.put(content)).added).toBeGreaterThan(0);
    expect((await objects.readAll(hash, everything)).equals(content)).toBe(true);
    expect(await objects.verify(silent)).toEqual({ checked: 2, damaged: [] });
    expect(await objects.sound([hash])).toEqual(new Set([hash]));
  });

  it('whose lists or chunks are gone or others are found out, and stop a collection', async () => {
    const { objects, meddle } = await engine();
    const content = text(300_000);
    const { hash } = await objects.put(content);
    await meddle('UPDATE content SET size = size + 1');
    expect(await objects.verify(silent)).toMatchObject({ checked: 1, damaged: [{ hash }] });
    await expect(objects.readAll(hash, everything)).rejects.toMatchObject({ kind: 'integrity_error' });
    const stopped = { kind: 'integrity_error', message: expect.stringContaining(hash) };
    await expect(objects.collect(() => true, { now: Date.now() + 2 * HOUR })).rejects.toMatchObject(stopped);
    await objects.put(content);
    await meddle('DELETE FROM chunk WHERE hash = (SELECT max(hash) FROM chunk)');
    expect(await objects.verify(silent)).toMatchObject({ checked: 1, damaged: [{ hash }] });
    await expect(objects.readAll(hash, everything)).rejects.toThrow('is missing');
    await objects.put(content);
    expect(await objects.verify(silent)).toEqual({ checked: 1, damaged: [] });
  });

  it('are collected when nobody names them, and spared while they are young or stored again', async () => {
    const { objects, another, meddle } = await engine();
    const [kept, dropped] = [randomBytes(2 * MiB), randomBytes(4 * MiB)];
    const live = await objects.put(kept);
    const dead = await objects.put(Buffer.concat([kept.subarray(0, MiB), dropped]));
    const isLive = async (hash: string) => hash === live.hash;
    expect(await objects.collect(isLive)).toEqual({ contents: 0, chunks: 0, freedBytes: 0 });
    await meddle(`UPDATE content SET created = created - ${2 * HOUR}`);
    await meddle(`UPDATE chunk SET created = created - ${2 * HOUR}`);
    // Between the decision and the removal it is stored again.
    const asked = async (hash: string) => {
      if (hash === dead.hash) await another().put(Buffer.concat([kept.subarray(0, MiB), dropped]));
      return hash === live.hash;
    };
    expect(await objects.collect(asked)).toEqual({ contents: 0, chunks: 0, freedBytes: 0 });
    const collected = await objects.collect(isLive, { now: Date.now() + 2 * HOUR });
    expect(collected.contents).toBe(1);
    expect(collected.freedBytes).toBeGreaterThanOrEqual(dropped.length - MAX_CHUNK);
    expect(await objects.size(dead.hash)).toBeUndefined();
    expect((await another().readAll(live.hash, everything)).equals(kept)).toBe(true);
    expect(await objects.stats()).toMatchObject({ contents: 1, chunks: live.chunks, uniqueBytes: kept.length });
    expect(await objects.verify(silent)).toEqual({ checked: 1, damaged: [] });
  });

  it('that arrive so slowly that their parts were collected are refused, whole', async () => {
    const { objects } = await engine();
    const content = randomBytes(6 * MiB);
    async function* slow() {
      yield content.subarray(0, 5 * MiB);
      while ((await objects.stats()).chunks === 0) await delay(5);
      await objects.collect(() => true, { now: Date.now() + 2 * HOUR });
      yield content.subarray(5 * MiB);
    }
    await expect(objects.put(slow())).rejects.toMatchObject({ kind: 'conflict' });
    expect((await objects.stats()).contents).toBe(0);
    await objects.put(content);
    expect((await objects.readAll(sha256(content), everything)).equals(content)).toBe(true);
  });

  it('that arrive slowly stay whole when they are listed in the middle of a collection', async () => {
    const { objects, another, meddle } = await engine();
    const older = await objects.put(randomBytes(100_000));
    const content = randomBytes(6 * MiB);
    let collecting: Promise<unknown> = Promise.resolve();
    async function* slow() {
      yield content.subarray(0, 5 * MiB);
      while ((await objects.stats()).chunks < 20) await delay(5);
      await meddle(`UPDATE chunk SET created = created - ${2 * HOUR}`);
      yield content.subarray(5 * MiB);
    }
    const put = objects.put(slow());
    // The collection looks for what is needed again and again while the content is listed.
    collecting = (async () => {
      for (let n = 0; n < 10; n++) await another().collect((hash) => hash === older.hash || hash === sha256(content));
    })();
    await Promise.allSettled([put, collecting]);
    const listed = await objects.size(sha256(content));
    expect((await objects.verify(silent)).damaged).toEqual([]);
    if (listed !== undefined) expect((await objects.readAll(sha256(content), everything)).equals(content)).toBe(true);
  });

  it('come from many at once, the same and others, while somebody collects', async () => {
    const { objects, another } = await engine();
    const contents = Array.from({ length: 6 }, (_, n) => text(700_000, `content ${n}`));
    let done = false;
    const collecting = (async () => {
      for (; !done; await delay(2)) await objects.collect(() => true);
    })();
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      const own = another();
      for (let n = 0; n < contents.length; n++) {
        const content = contents[(n + writer) % contents.length] as Buffer;
        expect((await own.put(content, { later: writer % 2 === 0 })).hash).toBe(sha256(content));
      }
    });
    await Promise.all(writers).finally(() => {
      done = true;
    });
    await collecting;
    expect(await objects.verify(silent)).toEqual({ checked: 6, damaged: [] });
    expect(await objects.stats()).toMatchObject({ contents: 6, totalBytes: 4_200_000 });
  });
});
