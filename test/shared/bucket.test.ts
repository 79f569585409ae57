/** Chunks in an object store: what goes wrong between us and it, what is left behind there, and what is never told. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { sha256 } from '../../src/store/hash.ts';
import { storeAddress } from '../../src/store/shared/address.ts';
import { openBucket } from '../../src/store/shared/bucket.ts';
import { bucketAddress, bucketCredentials } from '../../src/store/shared/bucket-address.ts';
import { SharedDatabase } from '../../src/store/shared/database.ts';
import { sharedObjects } from '../../src/store/shared/objects.ts';
import { keys, type TestBucket, testBucket } from '../support/bucket.ts';
import { freshCatalog, type TestServer, testServer } from '../support/postgres.ts';

const HOUR = 3_600_000;

async function bucketOf(name?: string): Promise<TestBucket> {
  const bucket = await testBucket(name);
  onTestFinished(() => bucket.stop());
  return bucket;
}

function opened(bucket: TestBucket, options: { timeoutMs?: number; secretAccessKey?: string } = {}) {
  const { timeoutMs, ...other } = options;
  return openBucket({ address: bucketAddress(bucket.address), credentials: { ...keys, ...other }, timeoutMs });
}

async function failureOf(work: Promise<unknown>): Promise<{ kind: string; message: string; all: string }> {
  const error = await work.then(
    () => expect.fail('it did not fail'),
    (thrown) => thrown,
  );
  const all = `${error.stack}${JSON.stringify(error)}${JSON.stringify(error.detail)}${error.cause?.stack ?? ''}`;
  return { kind: error.kind, message: error.message, all };
}

describe('a bucket', () => {
  it('takes, gives and removes objects, under its prefix', async () => {
    const store = await bucketOf();
    const bucket = opened(store);
    const data = randomBytes(70_000);
    await bucket.put('1/ab/name', data);
    expect([...store.objects.keys()]).toEqual(['/chunks/some/where/1/ab/name']);
    expect((await bucket.get('1/ab/name', data.length))?.equals(data)).toBe(true);
    expect(await bucket.get('1/ab/name', data.length - 1)).toBeUndefined();
    await bucket.remove('1/ab/name');
    await bucket.remove('1/ab/name');
    expect(await bucket.get('1/ab/name', 9)).toBeUndefined();
  });

  it.each([500, 503, 429, 'cut', 'hang'] as const)('is asked again after %s', async (trouble) => {
    const store = await bucketOf();
    let times = 0;
    store.interfere = () => (times++ < 2 ? trouble : undefined);
    const bucket = opened(store, { timeoutMs: 500 });
    await bucket.put('name', Buffer.from('bytes'));
    expect(times).toBe(3);
    expect((await bucket.get('name', 9))?.toString()).toBe('bytes');
  });

  it('that stays away, or refuses, is an error that says so and holds no secret', async () => {
    const store = await bucketOf();
    const wrong = { secretAccessKey: 'another/secret+of=mine' };
    const refused = await failureOf(opened(store, wrong).put('name', Buffer.from('x')));
    expect(refused).toMatchObject({
      kind: 'store_unavailable',
      message: expect.stringContaining('SignatureDoesNotMatch'),
    });
    expect(store.objects.size).toBe(0);
    store.interfere = () => 503;
    const busy = await failureOf(opened(store).get('name', 9));
    expect(busy).toMatchObject({ kind: 'store_unavailable', message: expect.stringContaining('503') });
    await store.stop();
    const away = await failureOf(opened(store).get('name', 9));
    expect(away).toMatchObject({ kind: 'store_unavailable', message: expect.stringContaining('ECONNREFUSED') });
    for (const { all } of [refused, busy, away]) {
      for (const secret of [wrong.secretAccessKey, keys.secretAccessKey, keys.sessionToken]) {
        expect(all).not.toContain(secret);
      }
    }
  });

  it('that is not there is no missing object', async () => {
    const store = await bucketOf();
    const address = bucketAddress(store.address.replace('s3://chunks', 's3://others'));
    const other = openBucket({ address, credentials: keys });
    expect(await failureOf(other.get('name', 9))).toMatchObject({ message: expect.stringContaining('NoSuchBucket') });
  });

  it('has an address without secrets, and keys of its own', () => {
    expect(bucketAddress('s3://some-bucket/a/b/?region=eu-west-1')).toMatchObject({
      bucket: 'some-bucket',
      prefix: 'a/b/',
      shown: 'https://s3.eu-west-1.amazonaws.com/some-bucket/a/b/',
    });
    expect(bucketAddress('s3://some-bucket')).toMatchObject({ prefix: '', region: 'us-east-1' });
    const wrong = [
      'some-bucket',
      'https://some-bucket/',
      's3://id:hidden@some-bucket/',
      's3://some-bucket/?secret=hidden',
      's3://some-bucket/a%20b',
      's3://some-bucket/?endpoint=ftp://host',
      's3://some-bucket/?endpoint=https://id:hidden@host',
      's3://some-bucket/?endpoint=https://host/path',
      's3://some-bucket/?region=a/b',
    ];
    for (const text of wrong) {
      expect(() => bucketAddress(text)).toThrow(/^CAIRN_OBJECTS (?!.*hidden)/);
    }
    expect(() => bucketCredentials({ AWS_ACCESS_KEY_ID: 'id' })).toThrow('no keys');
    expect(bucketCredentials({ AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' })).toEqual({
      accessKeyId: 'id',
      secretAccessKey: 'secret',
    });
  });
});

describe('chunks in an object store', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await testServer();
  });
  afterAll(() => server?.stop());

  function database(catalog = freshCatalog()): SharedDatabase {
    const address = storeAddress(server.url, catalog);
    const one = new SharedDatabase({ address, connections: 4, statementMs: 20_000, lockWaitMs: 10_000 });
    onTestFinished(() => one.close());
    return one;
  }

  const within = (bucket: TestBucket, timeoutMs?: number) => ({
    bucket: { address: bucketAddress(bucket.address), credentials: keys, timeoutMs },
  });

  it('are there before the row that names them, once, and gone after a collection', async () => {
    const bucket = await bucketOf();
    const one = database();
    const objects = sharedObjects(one, within(bucket));
    const content = randomBytes(300_000);
    const { hash, chunks } = await objects.put(content);
    expect(bucket.objects.size).toBe(chunks);
    expect(await one.rows.get('SELECT count(*) AS found FROM chunk WHERE data IS NOT NULL')).toEqual({ found: 0 });
    await objects.put(content);
    expect(bucket.log.filter((line) => line.startsWith('PUT')).length).toBe(chunks);
    expect(await objects.collect(() => false, { now: Date.now() + 2 * HOUR })).toMatchObject({ contents: 1, chunks });
    expect(bucket.objects.size).toBe(0);
    expect(await objects.size(hash)).toBeUndefined();
    expect(await one.rows.get('SELECT count(*) AS found FROM chunk_leftover')).toEqual({ found: 0 });
  });

  it('of a put that failed are removed by a later collection, and no content names them', async () => {
    const bucket = await bucketOf();
    const objects = sharedObjects(database(), within(bucket));
    const content = randomBytes(400_000);
    let puts = 0;
    bucket.interfere = (method) => (method === 'PUT' && ++puts > 5 ? 403 : undefined);
    await expect(objects.put(content)).rejects.toMatchObject({ kind: 'store_unavailable' });
    bucket.interfere = undefined;
    expect(bucket.objects.size).toBeGreaterThan(0);
    expect(await objects.stats()).toMatchObject({ contents: 0, chunks: 0 });
    await objects.collect(() => true);
    expect(bucket.objects.size).toBeGreaterThan(0);
    // A removal that fails is done again by the next one.
    bucket.interfere = (method) => (method === 'DELETE' ? 403 : undefined);
    const refused = objects.collect(() => true, { now: Date.now() + 2 * HOUR });
    await expect(refused).rejects.toMatchObject({ kind: 'store_unavailable' });
    bucket.interfere = undefined;
    const { chunks } = await objects.put(content);
    await objects.collect(() => true, { now: Date.now() + 2 * HOUR });
    expect(bucket.objects.size).toBe(chunks);
    expect((await objects.readAll(sha256(content), 400_000)).equals(content)).toBe(true);
  });

  it('that are on their way while their notes are collected are brought again', async () => {
    const bucket = await bucketOf();
    const catalog = freshCatalog();
    const [one, other] = [database(catalog), database(catalog)];
    const [objects, collector] = [sharedObjects(one, within(bucket)), sharedObjects(other, within(bucket))];
    const content = randomBytes(20_000);
    let held: Promise<unknown> | undefined;
    bucket.interfere = (method) => {
      if (method === 'PUT') held ??= collector.collect(() => true, { now: Date.now() + 2 * HOUR });
      return undefined;
    };
    await objects.put(content);
    await held;
    expect((await collector.readAll(sha256(content), 20_000)).equals(content)).toBe(true);
    expect(await objects.verify(() => undefined)).toMatchObject({ damaged: [] });
  });

  it('stand beside those in rows, and are missed aloud where no object store is configured', async () => {
    const bucket = await bucketOf();
    const catalog = freshCatalog();
    const [rows, away] = [sharedObjects(database(catalog)), sharedObjects(database(catalog), within(bucket))];
    const [first, second] = [randomBytes(100_000), randomBytes(100_000)];
    await rows.put(first);
    await away.put(Buffer.concat([first, second]));
    expect((await away.readAll(sha256(first), 100_000)).equals(first)).toBe(true);
    const unread = rows.readAll(sha256(Buffer.concat([first, second])), 200_000);
    await expect(unread).rejects.toMatchObject({
      kind: 'store_unavailable',
      message: expect.stringContaining('none is configured'),
    });
    // Nor is what cannot be read now taken for damaged.
    await expect(rows.verify(() => undefined)).rejects.toMatchObject({ kind: 'store_unavailable' });
    bucket.interfere = () => 503;
    await expect(away.verify(() => undefined)).rejects.toMatchObject({ kind: 'store_unavailable' });
    bucket.interfere = undefined;
    expect(await away.verify(() => undefined)).toEqual({ checked: 2, damaged: [] });
  });
});
