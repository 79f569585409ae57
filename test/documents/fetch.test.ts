/**
 * A download over real sockets, with names and rules of the test: here 127.0.0.1 counts as public, and every other address as
 * private, so that what would happen on the open network can be shown without it.
 */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type Fetched, type FetchRules, fetchTo } from '../../src/documents/download/fetch.ts';
import { endless, leadingTo, type Page, rawSite, saying, site } from '../support/site.ts';

const PUBLIC = '127.0.0.1';

interface Attempt extends Partial<FetchRules> {
  readonly signal?: AbortSignal;
}

async function fetched(url: string, attempt: Attempt = {}): Promise<Fetched & { readonly body: Buffer }> {
  const { signal = new AbortController().signal, ...own } = attempt;
  const parts: Uint8Array[] = [];
  const rules: FetchRules = {
    maxBytes: 1_000_000,
    timeoutMs: 20_000,
    idleMs: 20_000,
    resolve: async () => [PUBLIC],
    refused: (address) => (address === PUBLIC ? undefined : { what: 'private', openable: true }),
    ...own,
  };
  const sink = async (bytes: Uint8Array) => void parts.push(bytes);
  const done = await fetchTo(new URL(url), sink, rules, signal);
  return { ...done, body: Buffer.concat(parts) };
}

/** Answers in turn; the last one stays. */
function answering(...answers: readonly string[][]) {
  let asked = 0;
  return {
    asked: () => asked,
    resolve: async () => answers[Math.min(asked++, answers.length - 1)] ?? [],
  };
}

describe('the address', () => {
  it('is the one that was judged: the name is asked once, and a later answer does not count', async () => {
    const { port, connections, requests } = await site({ '/x': saying('here') });
    const names = answering([PUBLIC], ['127.0.0.2']);
    // The name exists nowhere, so nothing but the judged answer can have led to the server.
    const { body } = await fetched(`http://rebinding.invalid:${port}/x`, { resolve: names.resolve });
    expect(body.toString()).toBe('here');
    expect(names.asked()).toBe(1);
    expect(connections()).toBe(1);
    expect(requests[0]?.headers.host).toBe(`rebinding.invalid:${port}`);
  });

  it('is judged again at each redirect, also to the same name', async () => {
    const { port, connections } = await site({ '/x': leadingTo('/y'), '/y': saying('secret') });
    const names = answering([PUBLIC], ['127.0.0.2']);
    await expect(fetched(`http://rebinding.invalid:${port}/x`, { resolve: names.resolve })).rejects.toMatchObject({
      kind: 'permission_denied',
    });
    expect(names.asked()).toBe(2);
    expect(connections()).toBe(1);
  });

  it.each([[[PUBLIC, '10.0.0.1']], [['10.0.0.1', PUBLIC]], [['::1']], [['fe80::1%eth0']], [['']]])(
    'is refused when one of the answers is: %j',
    async (answers) => {
      const { port, connections } = await site({ '/x': saying('x') });
      const attempt = fetched(`http://mixed.invalid:${port}/x`, { resolve: async () => answers });
      await expect(attempt).rejects.toThrow('mixed.invalid leads to an address that download does not reach: private');
      expect(connections()).toBe(0);
    },
  );

  it('that is not there is an error, and so is a name that cannot be resolved', async () => {
    await expect(fetched('http://empty.invalid/', { resolve: async () => [] })).rejects.toMatchObject({
      kind: 'not_found',
      message: 'empty.invalid has no address',
    });
    const resolve = async () => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    };
    await expect(fetched('http://nobody.invalid/', { resolve })).rejects.toMatchObject({
      kind: 'not_found',
      message: 'nobody.invalid cannot be resolved. Nothing was stored',
    });
  });
});

describe('a redirect', () => {
  it.each([
    'http://127.0.0.2/',
    'http://[::1]/',
    'http://0x7f000002/',
    'http://2130706434/',
    'http://[::ffff:7f00:2]/',
  ])('to %s, an address of our own, is refused', async (location) => {
    const { url, connections } = await site({ '/x': leadingTo(location) });
    await expect(fetched(`${url}/x`)).rejects.toMatchObject({ kind: 'permission_denied' });
    expect(connections()).toBe(1);
  });

  it.each(['file:///etc/passwd', 'ftp://127.0.0.1/', 'data:text/plain,x', 'gopher://127.0.0.1/'])(
    'to %s is refused',
    async (location) => {
      const { url } = await site({ '/x': leadingTo(location) });
      await expect(fetched(`${url}/x`)).rejects.toThrow('download reads http and https');
    },
  );

  it.each([301, 302, 303, 307, 308])(
    'with %i is followed, and nothing of ours or theirs goes along',
    async (status) => {
      const { url, requests } = await site({ '/x': leadingTo('/y?z', status), '/y': saying('there') });
      const done = await fetched(`${url}/x#part`);
      expect(done).toMatchObject({ redirects: 1, url: new URL(`${url}/y?z`) });
      expect(done.body.toString()).toBe('there');
      for (const { method, headers } of requests) {
        expect(method).toBe('GET');
        expect(Object.keys(headers).sort()).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent']);
      }
    },
  );

  it('is followed five times, and not once more', async () => {
    const steps = [1, 2, 3, 4, 5, 6].map((step) => [`/${step}`, leadingTo(`/${step + 1}`)] as const);
    const pages: Record<string, Page> = { ...Object.fromEntries(steps), '/7': saying('end') };
    const { url, requests } = await site(pages);
    expect(await fetched(`${url}/2`)).toMatchObject({ redirects: 5 });
    await expect(fetched(`${url}/1`)).rejects.toMatchObject({ kind: 'limit_exceeded' });
    expect(requests).toHaveLength(12);
  });

  it('in a circle ends', async () => {
    const { url } = await site({ '/x': leadingTo('/y'), '/y': leadingTo('/x') });
    await expect(fetched(`${url}/x`)).rejects.toThrow('redirects more than 5 times');
  });

  it('to nowhere is an error', async () => {
    const { url } = await site({ '/x': (response) => void response.writeHead(302).end() });
    await expect(fetched(`${url}/x`)).rejects.toThrow('redirects to no URL');
  });
});

describe('the limits', () => {
  it('cut an endless body, and the server notices', async () => {
    let left = () => {};
    const gone = new Promise<void>((resolve) => {
      left = resolve;
    });
    const { url } = await site({
      '/x': (response, request) => {
        response.on('close', left);
        endless()(response, request);
      },
    });
    await expect(fetched(`${url}/x`, { maxBytes: 100_000 })).rejects.toMatchObject({ kind: 'limit_exceeded' });
    await gone;
  });

  it('hold for what is unpacked, and let exactly so many bytes through', async () => {
    const packed = { 'content-encoding': 'gzip' };
    const { url } = await site({
      '/bomb': saying(gzipSync(Buffer.alloc(50_000_000)), packed),
      '/fits': saying(gzipSync(Buffer.alloc(100_000)), packed),
      '/plain': saying(Buffer.alloc(100_000)),
    });
    await expect(fetched(`${url}/bomb`, { maxBytes: 100_000 })).rejects.toThrow('more than 100000 bytes');
    for (const page of ['fits', 'plain']) {
      expect((await fetched(`${url}/${page}`, { maxBytes: 100_000 })).body).toHaveLength(100_000);
      await expect(fetched(`${url}/${page}`, { maxBytes: 99_999 })).rejects.toThrow('more than 99999 bytes');
    }
  });

  it('refuse an announced size before anything is read', async () => {
    const { url } = await site({
      '/x': (response) => void response.writeHead(200, { 'content-length': '99999999999' }).flushHeaders(),
    });
    await expect(fetched(`${url}/x`)).rejects.toMatchObject({ kind: 'limit_exceeded' });
  });

  it('end a body that comes too slowly, and one that stops', async () => {
    const { url } = await site({
      '/slow': (response) => {
        const timer = setInterval(() => response.write('x'), 20);
        response.on('close', () => clearInterval(timer));
      },
      '/stopped': (response) => void response.write('x'),
      '/silent': () => {},
    });
    await expect(fetched(`${url}/slow`, { timeoutMs: 300 })).rejects.toMatchObject({
      kind: 'limit_exceeded',
      message: 'The download took longer than 300 ms. Nothing was stored',
    });
    for (const page of ['stopped', 'silent']) {
      await expect(fetched(`${url}/${page}`, { idleMs: 150 })).rejects.toMatchObject({
        kind: 'limit_exceeded',
        message: 'Nothing came for 150 ms, so the download was given up. Nothing was stored',
      });
    }
  });

  it('end a name that is never resolved', async () => {
    const attempt = fetched('http://never.invalid/', { timeoutMs: 100, resolve: () => new Promise(() => {}) });
    await expect(attempt).rejects.toThrow('took longer than 100 ms');
  });

  it('include the patience of the caller', async () => {
    const { url } = await site({ '/x': endless() });
    const attempt = fetched(`${url}/x`, { maxBytes: 1e12, signal: AbortSignal.timeout(200) });
    await expect(attempt).rejects.toMatchObject({ name: 'TimeoutError' });
    const early = fetched(`${url}/x`, { signal: AbortSignal.abort() });
    await expect(early).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('an answer', () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n';

  it.each([
    ['is shorter than it says', `${head}Content-Length: 100\r\n\r\nshort`, 'broke off'],
    ['ends before its last chunk', `${head}Transfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n`, 'broke off'],
    [
      'has two lengths',
      `${head}Content-Length: 5\r\nContent-Length: 6\r\n\r\nshort`,
      'does not answer as an HTTP server',
    ],
    [
      'has a length and chunks',
      `${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      'HTTP server',
    ],
    ['is no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'does not answer as an HTTP server'],
    ['is empty', '', 'broke off'],
    ['has endless headers', `${head}X: ${'x'.repeat(200_000)}`, 'does not answer as an HTTP server'],
    [
      'changes the protocol',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
      'broke off',
    ],
  ])('that %s is an error', async (_what, answer, message) => {
    const { url } = await rawSite(answer);
    await expect(fetched(url)).rejects.toMatchObject({
      kind: 'validation_failed',
      message: expect.stringContaining(message),
    });
  });

  it('that goes on after its length is read up to it', async () => {
    const { url } = await rawSite(`${head}Content-Length: 5\r\n\r\nshortHTTP/1.1 200 OK\r\n\r\nanother`);
    expect((await fetched(url)).body.toString()).toBe('short');
  });

  it.each([204, 206, 300, 304, 400, 401, 403, 500, 503])('of %i is an error', async (status) => {
    const { url } = await site({ '/x': (response) => void response.writeHead(status).end() });
    await expect(fetched(`${url}/x`)).rejects.toMatchObject({
      kind: 'validation_failed',
      message: expect.stringContaining(`answers ${status}`),
    });
  });

  it.each([404, 410])('of %i says that nothing is there', async (status) => {
    const { url } = await site({ '/x': (response) => void response.writeHead(status).end() });
    await expect(fetched(`${url}/x`)).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('of nobody is an error', async () => {
    const { url } = await rawSite('');
    const free = new URL(url);
    free.port = '1';
    await expect(fetched(free.href)).rejects.toThrow('refuses the connection');
  });

  const text = 'The same text again and again. '.repeat(500);

  it.each([
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['GZIP', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['br', brotliCompressSync(text)],
    ['identity', Buffer.from(text)],
  ])('packed as %s is unpacked, though nobody asked for it', async (coding, bytes) => {
    const { url, requests } = await site({ '/x': saying(bytes, { 'content-encoding': coding }) });
    expect((await fetched(`${url}/x`)).body.toString()).toBe(text);
    expect(requests[0]?.headers['accept-encoding']).toBe('identity');
  });

  it.each([
    ['gzip', gzipSync(text).subarray(0, 60), 'damaged'],
    ['gzip', Buffer.from(text), 'damaged'],
    ['br', Buffer.from(text), 'damaged'],
    ['zstd', Buffer.from(text), 'packed as zstd'],
    ['gzip, br', Buffer.from(text), 'packed as gzip, br'],
  ])('packed as %s that cannot be unpacked is an error', async (coding, bytes, message) => {
    const { url } = await site({ '/x': saying(bytes, { 'content-encoding': coding }) });
    await expect(fetched(`${url}/x`)).rejects.toThrow(message);
  });

  it('tells its type and age, where these make sense', async () => {
    const { url } = await site({
      '/x': saying('x', { 'content-type': 'text/csv', 'last-modified': 'Wed, 01 May 2024 10:00:00 GMT' }),
      '/y': saying('y', { 'last-modified': 'tomorrow, perhaps' }),
      '/z': saying('z', { 'last-modified': 'Fri, 01 Jan 9999 00:00:00 GMT' }),
    });
    expect(await fetched(`${url}/x`)).toMatchObject({
      contentType: 'text/csv',
      modified: new Date('2024-05-01T10:00:00Z'),
    });
    for (const page of ['y', 'z']) expect(await fetched(`${url}/${page}`)).not.toHaveProperty('modified');
  });
});
