/** Vectors from an endpoint: a real server on loopback that answers well, badly, late or not at all. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Endpoint } from '../../src/search/embed/choice.ts';
import type { Embedder } from '../../src/search/embed/embedder.ts';
import { createEndpointEmbedder, type EndpointTiming } from '../../src/search/embed/endpoint.ts';
import { cosine } from '../../src/search/vector.ts';
import { type Asked, counted, endpointServer, ollama, openai, send } from './endpoint-server.ts';

const key = 'a-key-that-nobody-else-may-see';
const quick: EndpointTiming = {
  timeoutMs: 10_000,
  attempts: 3,
  backoffMs: 5,
  longestWaitMs: 3000,
  pauseMs: 60_000,
  longestPauseMs: 600_000,
};

function embedderAt(url: string, endpoint: Partial<Endpoint> = {}, timing: Partial<EndpointTiming> = {}): Embedder {
  const whole: Endpoint = {
    provider: 'openai',
    url: new URL(url),
    model: 'small',
    key: '',
    dimensions: 0,
    ...endpoint,
  };
  const made = createEndpointEmbedder(whole, 'test', { ...quick, ...timing });
  onTestFinished(() => made.close());
  return made;
}

const errorOf = (embedded: Promise<unknown>) =>
  embedded.then(
    () => {
      throw new Error('It should have been refused');
    },
    (thrown) => thrown,
  );

describe('an endpoint', () => {
  it('gives unit vectors in the order of the texts, however it orders them', async () => {
    const server = await endpointServer();
    const embedder = embedderAt(server.url);
    const vectors = await embedder.embed(['abc', 'xyz', 'abc']);
    expect(vectors.map((vector) => vector?.length)).toEqual([8, 8, 8]);
    expect(vectors[0]).toEqual(vectors[2]);
    expect(vectors[0]).not.toEqual(vectors[1]);
    expect(cosine(vectors[1] as Float32Array, vectors[1] as Float32Array)).toBeCloseTo(1, 5);
    expect(server.asked).toMatchObject([
      { path: '/embeddings', body: { model: 'small', input: ['abc', 'xyz', 'abc'] } },
    ]);
  });

  it('of Ollama is asked in its own way', async () => {
    const server = await endpointServer(ollama);
    const [vector] = await embedderAt(server.url, { provider: 'ollama' }).embed(['abc']);
    expect(vector).toHaveLength(8);
    expect(server.asked).toMatchObject([
      { path: '/api/embed', body: { model: 'small', input: ['abc'], truncate: true } },
    ]);
  });

  it('tells its dimensions with its first answer, and its state as it goes', async () => {
    const server = await endpointServer();
    const embedder = embedderAt(server.url);
    expect([embedder.state().state, embedder.dimensions]).toEqual(['idle', 0]);
    const embedded = embedder.embed(['abc']);
    await new Promise(setImmediate);
    expect(embedder.state()).toEqual({ state: 'loading' });
    await embedded;
    expect([embedder.state(), embedder.dimensions]).toEqual([{ state: 'ready' }, 8]);
  });

  it('gets the key, and none where there is none', async () => {
    const server = await endpointServer();
    await embedderAt(server.url, { key }).embed(['abc']);
    await embedderAt(server.url).embed(['abc']);
    expect(server.asked.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${key}`, undefined]);
  });

  it('gets many texts in batches, no blank ones, and none that is too long or broken', async () => {
    const server = await endpointServer();
    const texts = ['', ...Array.from({ length: 70 }, (_, i) => `text ${i}`), ' \n', 'x'.repeat(50_000), 'a\ud800b'];
    const vectors = await embedderAt(server.url).embed(texts);
    expect(vectors.map((vector) => vector !== undefined)).toEqual(texts.map((text) => text.trim() !== ''));
    const sent = server.asked.map(({ body }) => body.input);
    expect(sent.map(({ length }) => length)).toEqual([32, 32, 8]);
    expect(sent.flat().map(({ length }) => length)).not.toContain(50_000);
    expect(sent.flat().at(-1)).toBe('a\ufffdb');
    expect(await embedderAt(server.url).embed([' ', ''])).toEqual([undefined, undefined]);
    expect(server.asked).toHaveLength(3);
  });

  it('is asked by few at a time, a short request before a long one', async () => {
    const server = await endpointServer();
    let open = 0;
    let most = 0;
    const order: number[] = [];
    server.answer = (asked, response) => {
      most = Math.max(most, ++open);
      order.push(asked.body.input.length);
      setTimeout(() => {
        open--;
        openai(asked, response);
      }, 20);
    };
    const embedder = embedderAt(server.url);
    const long = Array.from({ length: 12 }, () => embedder.embed(Array(20).fill('abc')));
    await embedder.embed(['abc']);
    expect(order.filter((size) => size === 20).length).toBeLessThan(12);
    await Promise.all(long);
    expect(most).toBe(4);
  });
});

describe('an endpoint that is busy', () => {
  const busyAtFirst = (times: number, status: number, headers: Record<string, string> = {}) => {
    let left = times;
    return (asked: Asked, response: ServerResponse) =>
      left-- > 0 ? send(response, status, { error: { message: 'busy' } }, headers) : openai(asked, response);
  };

  it.each([429, 500, 502, 503])('with %i is asked again, for it may be only now', async (status) => {
    const server = await endpointServer(busyAtFirst(2, status));
    expect(await embedderAt(server.url).embed(['abc'])).toHaveLength(1);
    expect(server.asked).toHaveLength(3);
  });

  it('is asked again when it says', async () => {
    const server = await endpointServer(busyAtFirst(1, 429, { 'retry-after': '1' }));
    const before = performance.now();
    await embedderAt(server.url).embed(['abc']);
    expect(performance.now() - before).toBeGreaterThan(900);
    expect(server.asked).toHaveLength(2);
  });

  it('for long is not waited for, and left alone for as long as it says', async () => {
    const server = await endpointServer(busyAtFirst(1, 429, { 'retry-after': '100' }));
    const embedder = embedderAt(server.url, {}, { pauseMs: 10, longestPauseMs: 600_000 });
    await errorOf(embedder.embed(['abc']));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(embedder.state().state).toBe('unavailable');
    expect(server.asked).toHaveLength(1);
  });

  it('for ever is asked a few times only, then left alone, and tried again after a while', async () => {
    const server = await endpointServer(busyAtFirst(Number.POSITIVE_INFINITY, 503));
    const embedder = embedderAt(server.url, {}, { pauseMs: 2000 });
    const error = await errorOf(embedder.embed(['abc']));
    expect(error).toMatchObject({ name: 'CairnError', kind: 'internal_error' });
    expect(error.message).toContain(`${server.host} answers 503: busy`);
    expect(embedder.state()).toMatchObject({ state: 'unavailable', reason: `${server.host} answers 503: busy` });
    await errorOf(embedder.embed(['abc']));
    expect(server.asked).toHaveLength(3);
    server.answer = openai;
    await expect.poll(() => embedder.state(), { timeout: 20_000 }).toEqual({ state: 'idle' });
    expect(await embedder.embed(['abc'])).toHaveLength(1);
    expect(embedder.state()).toEqual({ state: 'ready' });
  });
});

describe('an endpoint that does not work', () => {
  it.each([
    [401, /answers 401: bad key …/, /CAIRN_EMBEDDINGS_KEY/],
    [403, /answers 403/, /CAIRN_EMBEDDINGS_KEY/],
    [404, /answers 404/, /CAIRN_EMBEDDINGS_URL and CAIRN_EMBEDDINGS_MODEL/],
    [400, /answers 400/, /CAIRN_EMBEDDINGS_DIMENSIONS/],
  ])('with %i says why and what to do, without the key', async (status, reason, remedy) => {
    const server = await endpointServer((_, response) =>
      send(response, status, { error: { message: `bad key ${key}` } }),
    );
    const embedder = embedderAt(server.url, { key });
    const error = await errorOf(embedder.embed(['abc']));
    expect(error.suggestion).toMatch(remedy);
    expect(embedder.state().reason).toMatch(reason);
    expect(JSON.stringify([error.message, error.data, embedder.state()])).not.toContain(key);
  });

  it('since nothing listens there says so', async () => {
    const server = await endpointServer();
    const embedder = embedderAt('http://127.0.0.1:1');
    expect((await errorOf(embedder.embed(['abc']))).message).toMatch(/127\.0\.0\.1:1 cannot be reached/);
    expect(server.asked).toEqual([]);
  });

  it('since it redirects is not followed, and the key goes nowhere else', async () => {
    const elsewhere = await endpointServer();
    const server = await endpointServer((_, response) =>
      send(response, 307, '', { location: `${elsewhere.url}/embeddings` }),
    );
    const embedder = embedderAt(server.url, { key });
    expect((await errorOf(embedder.embed(['abc']))).message).toMatch(/redirects to .*, which is not followed/);
    expect(elsewhere.asked).toEqual([]);
  });

  it('in time is given up', async () => {
    const server = await endpointServer(() => {});
    const embedder = embedderAt(server.url, {}, { timeoutMs: 100 });
    expect((await errorOf(embedder.embed(['abc']))).message).toContain('no answer in 100 ms');
    expect(server.asked).toHaveLength(1);
  });

  it('because the connection breaks is asked again', async () => {
    let broken = false;
    const server = await endpointServer((asked, response) => {
      if (broken) return openai(asked, response);
      broken = true;
      response.destroy();
    });
    expect(await embedderAt(server.url).embed(['abc'])).toHaveLength(1);
  });

  it.each<[string, (asked: Asked, response: ServerResponse) => void]>([
    ['what is no JSON', (_, response) => send(response, 200, '<html>')],
    ['nothing', (_, response) => send(response, 200, {})],
    ['too few', (_, response) => send(response, 200, { data: [{ index: 0, embedding: [1, 2] }] })],
    [
      'vectors of two sizes',
      ({ body }, response) =>
        send(response, 200, {
          data: body.input.map((text, index) => ({ index, embedding: counted(text, 4 + index) })),
        }),
    ],
  ])('and answers %s gives an error, not a vector', async (_, answer) => {
    const server = await endpointServer(answer);
    const embedder = embedderAt(server.url);
    expect(await errorOf(embedder.embed(['abc', 'def']))).toMatchObject({ name: 'CairnError' });
    expect(embedder.state().state).toBe('unavailable');
    expect(embedder.dimensions).toBe(0);
  });

  it('with more than is reasonable is not read to its end', async () => {
    let closed = false;
    const server = await endpointServer((_, response) => {
      response.on('close', () => {
        closed = true;
      });
      const more = () => {
        while (!closed && response.write(' '.repeat(1 << 20)));
      };
      response.on('drain', more);
      more();
    });
    expect((await errorOf(embedderAt(server.url).embed(['abc']))).message).toContain('sends more than');
    await expect.poll(() => closed).toBe(true);
  });
});

describe('vectors of other dimensions', () => {
  it('than the first are refused: the model behind the name is another one', async () => {
    const server = await endpointServer();
    const embedder = embedderAt(server.url);
    await embedder.embed(['abc']);
    server.answer = (_, response) => send(response, 200, { data: [{ index: 0, embedding: [1, 2, 3] }] });
    expect((await errorOf(embedder.embed(['abc']))).message).toContain('vectors of 3 dimensions, not 8 as before');
    expect(embedder.dimensions).toBe(8);
  });

  it('than were asked for are refused', async () => {
    const server = await endpointServer();
    const embedder = embedderAt(server.url, { dimensions: 4 });
    expect(embedder.dimensions).toBe(4);
    expect((await embedder.embed(['abc']))[0]).toHaveLength(4);
    expect(server.asked[0]?.body.dimensions).toBe(4);
    server.answer = (_, response) => send(response, 200, { data: [{ index: 0, embedding: counted('abc') }] });
    expect((await errorOf(embedder.embed(['abc']))).suggestion).toContain('CAIRN_EMBEDDINGS_DIMENSIONS');
  });
});

describe('a text that the endpoint refuses', () => {
  const refusing = (bad: (text: string) => boolean) => (asked: Asked, response: ServerResponse) =>
    asked.body.input.some(bad) ? send(response, 400, { error: 'too long' }) : openai(asked, response);

  it('for its length is shortened, and its neighbours are not hurt', async () => {
    const server = await endpointServer(refusing((text) => text.length > 2000));
    const texts = ['abc', 'x'.repeat(5000), 'def'];
    const vectors = await embedderAt(server.url).embed(texts);
    expect(vectors.map((vector) => vector?.length)).toEqual([8, 8, 8]);
  });

  it('for what it says has no vector', async () => {
    const server = await endpointServer(refusing((text) => text.includes('poison')));
    const embedder = embedderAt(server.url);
    const vectors = await embedder.embed([
      'abc',
      'poison',
      'def',
      'ghi',
      `${'x'.repeat(900)} poison ${'y'.repeat(900)}`,
    ]);
    expect(vectors.map((vector) => vector !== undefined)).toEqual([true, false, true, true, false]);
    expect(embedder.state()).toEqual({ state: 'ready' });
  });

  it('as it refuses all others is the fault of the endpoint', async () => {
    const server = await endpointServer(refusing(() => true));
    const embedder = embedderAt(server.url);
    await errorOf(embedder.embed(['abc', 'def']));
    expect(embedder.state().state).toBe('unavailable');
  });
});

describe('a request', () => {
  it('that is cancelled ends at once, and does not count against the endpoint', async () => {
    const server = await endpointServer(() => {});
    const embedder = embedderAt(server.url);
    const aborter = new AbortController();
    const asked = embedder.embed(['abc'], { signal: aborter.signal });
    await expect.poll(() => server.asked.length).toBe(1);
    aborter.abort();
    expect(await errorOf(asked)).toMatchObject({ kind: 'cancelled' });
    expect(embedder.state().state).not.toBe('unavailable');
    expect(await errorOf(embedder.embed(['abc'], { signal: aborter.signal }))).toMatchObject({ kind: 'cancelled' });
  });

  it('ends when the embedder is closed, and none begins after', async () => {
    const server = await endpointServer(() => {});
    const embedder = embedderAt(server.url);
    const asked = embedder.embed(['abc']);
    await expect.poll(() => server.asked.length).toBe(1);
    await embedder.close();
    expect(await errorOf(asked)).toMatchObject({ kind: 'cancelled' });
    expect(await errorOf(embedder.embed(['abc']))).toMatchObject({ kind: 'cancelled' });
    expect(server.asked).toHaveLength(1);
  });

  it('does not keep a process alive once it is answered', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cairn-endpoint-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const outfile = join(folder, 'endpoint.mjs');
    const entryPoints = [join(import.meta.dirname, '../../src/search/embed/endpoint.ts')];
    await build({ entryPoints, outfile, bundle: true, format: 'esm', platform: 'node', logLevel: 'error' });
    const server = await endpointServer();
    const run = promisify(execFile)(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `import { createEndpointEmbedder } from ${JSON.stringify(pathToFileURL(outfile).href)};
        const url = new URL(${JSON.stringify(server.url)});
        const embedder = createEndpointEmbedder({ provider: 'openai', url, model: 'm', key: '', dimensions: 0 }, 'm');
        console.log((await embedder.embed(['abc'])).length);`,
      ],
      { timeout: 30_000 },
    );
    expect((await run).stdout).toBe('1\n');
  });
});
