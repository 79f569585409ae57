/** Processes and connections that die in the middle of a put: what was acknowledged is whole, the rest is collected. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { sha256 } from '../../src/store/hash.ts';
import { storeAddress } from '../../src/store/shared/address.ts';
import { SharedDatabase } from '../../src/store/shared/database.ts';
import { sharedObjects } from '../../src/store/shared/objects.ts';
import { freshCatalog, type TestServer, testServer } from '../support/postgres.ts';

const HOUR = 3_600_000;
const silent = () => undefined;

/** Says `ready`; told to go, puts what its seed makes and says the hash, one after the other, until it is killed. */
const program = `
  import { createCipheriv, createHash } from 'node:crypto';
  import { once } from 'node:events';
  import { writeSync } from 'node:fs';
  import { storeAddress } from './src/store/shared/address.ts';
  import { SharedDatabase } from './src/store/shared/database.ts';
  import { sharedObjects } from './src/store/shared/objects.ts';
  const [url, catalog, seed, times] = process.argv.slice(2);
  const address = storeAddress(url, catalog);
  const database = new SharedDatabase({ address, connections: 2, statementMs: 20000, lockWaitMs: 10000 });
  const objects = sharedObjects(database);
  async function* content(n) {
    const noise = createCipheriv('aes-256-ctr', createHash('sha256').update(seed + n).digest(), Buffer.alloc(16));
    for (let at = 0; at < 60; at++) yield noise.update(Buffer.alloc(50_000));
  }
  writeSync(1, 'ready\\n');
  await once(process.stdin, 'data');
  for (let n = 0; n < Number(times); n++) {
    try {
      writeSync(1, (await objects.put(content(n))).hash + '\\n');
    } catch (thrown) {
      if (thrown.kind !== 'store_unavailable') throw thrown;
      n--;
    }
  }
  process.exit(0);`;

describe('a catalog of contents that many processes write', () => {
  const cache = resolve('node_modules/.cache');
  const bundle = join(cache, `cairn-shared-objects-writer-${process.pid}.mjs`);
  let server: TestServer;

  beforeAll(async () => {
    server = await testServer();
    await mkdir(cache, { recursive: true });
    await build({
      stdin: { contents: program, resolveDir: resolve('.'), loader: 'js' },
      outfile: bundle,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      packages: 'external',
    });
  });
  afterAll(async () => {
    await server?.stop();
    await rm(bundle, { force: true });
  });

  async function start(catalog: string, seed: string, times: number, url = server.url) {
    const values = [url, catalog, seed, String(times)];
    const child = spawn(process.execPath, [bundle, ...values], { stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const lines = createInterface({ input: child.stdout });
    const stored: string[] = [];
    const closed = Promise.all([once(child, 'close'), once(lines, 'close')]).then(() => child.exitCode);
    await once(lines, 'line');
    lines.on('line', (line) => stored.push(line));
    return { stored, closed, go: () => child.stdin.write('go\n'), kill: () => child.kill('SIGKILL') };
  }

  function opened(catalog: string) {
    const address = storeAddress(server.url, catalog);
    const database = new SharedDatabase({ address, connections: 4, statementMs: 20_000, lockWaitMs: 10_000 });
    onTestFinished(() => database.close());
    return { objects: sharedObjects(database) };
  }

  /** A way to the server that can be cut, so that also the answers to what was done get lost. */
  async function lineTo(url: string) {
    const there = new URL(url);
    const sockets = new Set<Socket>();
    const proxy = createServer((near) => {
      const far = connect(Number(there.port || 5432), there.hostname);
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(one);
        one.pipe(other);
        one.on('error', silent).on('close', () => {
          sockets.delete(one);
          other.destroy();
        });
      }
    });
    await new Promise<void>((ready) => proxy.listen(0, '127.0.0.1', ready));
    const cut = () => {
      for (const socket of sockets) socket.destroy();
    };
    onTestFinished(() => {
      cut();
      proxy.close();
    });
    const here = new URL(url);
    here.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    return { url: here.href, cut };
  }

  it('keeps every content that was acknowledged when processes are killed in the middle of others', async () => {
    const catalog = freshCatalog();
    const { objects } = opened(catalog);
    const acknowledged: string[] = [];
    for (let round = 0; round < 4; round++) {
      const writer = await start(catalog, `round ${round} `, 1000);
      writer.go();
      while (writer.stored.length < round) await delay(10);
      await delay(30 + 25 * round);
      writer.kill();
      await writer.closed;
      acknowledged.push(...writer.stored);
      expect((await objects.verify(silent)).damaged).toEqual([]);
      for (const hash of writer.stored) expect(sha256(await objects.readAll(hash, 3_000_000))).toBe(hash);
    }
    await objects.collect(() => true, { now: Date.now() + 2 * HOUR });
    expect((await objects.verify(silent)).damaged).toEqual([]);
    expect(await objects.matching('', 10_000)).toEqual(expect.arrayContaining(acknowledged));
    const { contents, chunks, totalBytes, uniqueBytes } = await objects.stats();
    expect(uniqueBytes).toBe(totalBytes);
    expect(await objects.collect(() => false, { now: Date.now() + 2 * HOUR })).toMatchObject({ contents, chunks });
    expect(await objects.stats()).toMatchObject({ contents: 0, chunks: 0, storedBytes: 0 });
  });

  it('takes the same contents from several, while connections are cut and another collects', async () => {
    const catalog = freshCatalog();
    const { objects } = opened(catalog);
    await objects.stats();
    const line = await lineTo(server.url);
    const writers = await Promise.all(['a', 'a', 'b'].map((seed) => start(catalog, seed, 6, line.url)));
    for (const writer of writers) writer.go();
    const ended = Promise.all(writers.map((writer) => writer.closed));
    let pending = true;
    void ended.then(() => {
      pending = false;
    });
    for (let cuts = 0; pending; await delay(40)) {
      if (cuts++ < 8) line.cut();
      await objects.collect(() => true);
    }
    expect(await ended).toEqual([0, 0, 0]);
    expect(writers[0]?.stored).toEqual(writers[1]?.stored);
    expect(await objects.verify(silent)).toEqual({ checked: 12, damaged: [] });
    expect(await objects.stats()).toMatchObject({ contents: 12, totalBytes: 36_000_000, uniqueBytes: 36_000_000 });
  });
});
