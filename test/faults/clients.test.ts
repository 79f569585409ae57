/**
 * Clients that are slow, stall, leave in the middle or send everything at once: they get what is theirs, or a clear refusal, and
 * meanwhile others are served as if they were alone.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Message, serveHttp, serveStdio } from '../support/cairn.ts';
import { freshHome } from '../support/home.ts';
import { recordFigures } from './figures.ts';
import { canLook, type Holdings, holdingsOf, megabytesOf, settled } from './process.ts';
import { type Answered, posting, toolCall, Wire, whileServed } from './sockets.ts';
import { plain } from './writing.ts';

const long = process.env.CAIRN_TEST_FULL !== undefined;
const profile = long ? 'long' : 'short';
const STALLED = long ? 200 : 30;
const MANY = 1000;
const MiB = 1024 * 1024;
/** Descriptors that a crowd of calls may take; most systems give a process 1,024. */
const MOST_HANDLES = 200;

/** The store opens files now and then, and whoever was served meanwhile keeps a connection. */
const SPARE_HANDLES = 8;
const leftOver = async (pid: number, before: Holdings) =>
  (await settled(pid, before, SPARE_HANDLES)).handles - before.handles;

const openHttp = async () => serveHttp(['--home', await freshHome()], plain);
const echo = (message: string) => posting('/api/v1/mcp_echo', { message });

describe('HTTP clients that stall', () => {
  it('hold nobody up, and nothing of them is kept once they are gone', {
    timeout: long ? 240_000 : 60_000,
  }, async () => {
    const { url, pid } = await openHttp();
    await new Wire(url).read().send(echo('first')).answer();
    const before = canLook ? holdingsOf(pid) : undefined;
    const beginnings = ['', 'POST /api/v1/mcp_ec', 'POST /mcp HTTP/1.1\r\nhost: 127.0', echo('half').slice(0, -9)];
    await whileServed(url, async () => {
      const wires = beginnings.flatMap((text) =>
        Array.from({ length: STALLED / beginnings.length }, () => new Wire(url).read().send(text)),
      );
      await delay(500);
      // Who says nothing for long is cut off: no header ever takes this long.
      if (long) {
        const silent = wires.slice(0, (3 * wires.length) / beginnings.length);
        await Promise.race([Promise.all(silent.map(({ over }) => over)), delay(90_000).then(() => expect.fail())]);
      }
      for (const { socket } of wires) socket.destroy();
    });
    if (before !== undefined) expect(await leftOver(pid, before)).toBeLessThanOrEqual(SPARE_HANDLES);
  });

  it('get their answer where they send or read one byte at a time', async () => {
    const { url } = await openHttp();
    await whileServed(url, async () => {
      const wires = [echo('slowly'), posting('/mcp', toolCall(7, 'mcp_echo', { message: 'slowly' }))].map((text) => {
        const wire = new Wire(url).read();
        wire.socket.setNoDelay(true);
        return { wire, text };
      });
      const answers = wires.map(async ({ wire, text }) => {
        for (const byte of text) {
          wire.send(byte);
          await delay(1);
        }
        return wire.answer();
      });
      const [rest, mcp] = await Promise.all(answers);
      expect([rest?.status, rest?.body]).toEqual([200, { message: 'slowly' }]);
      expect([mcp?.body.id, mcp?.body.result.structuredContent]).toEqual([7, { message: 'slowly' }]);
    });
  });

  it('that read nothing of their answers take no more memory than those, and go when they go', async () => {
    const { url, pid } = await openHttp();
    const large = 'GET /api/v1/openapi.json HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n';
    const size = JSON.stringify((await new Wire(url).read().send(large).answer()).body).length;
    expect(size).toBeGreaterThan(100_000);
    const before = canLook ? holdingsOf(pid) : undefined;
    const [connections, asked] = [5, 200];
    await whileServed(url, async () => {
      const wires = Array.from({ length: connections }, () => new Wire(url));
      // The next answers are not made before the first ones are taken.
      for (const wire of wires) wire.send(large.repeat(asked));
      await delay(long ? 10_000 : 3000);
      if (before !== undefined) {
        const grown = holdingsOf(pid).megabytes - before.megabytes;
        expect(grown, `${grown.toFixed(0)} MB`).toBeLessThan(80);
        recordFigures('clients', [
          {
            what: 'clients that read nothing of their answers',
            how: `${connections} connections that ask for ${asked} answers of ${Math.round(size / 1000)} kB each and take none`,
            profile,
            figures: { 'MB more while they wait': Math.round(grown) },
          },
        ]);
      }
      for (const { socket } of wires) socket.destroy();
    });
    if (before !== undefined) expect(await leftOver(pid, before)).toBeLessThanOrEqual(SPARE_HANDLES);
  });

  it('get their answer where they close their half of the connection after the question', async () => {
    const { url } = await openHttp();
    const one = new Wire(url).read().send(echo('over'));
    one.socket.end();
    expect((await one.answer()).body).toEqual({ message: 'over' });
    await one.over;
    // So do all that were asked for before.
    const wire = new Wire(url).read().send(Array.from({ length: 50 }, (_, at) => echo(`${at}`)).join(''));
    wire.socket.end();
    for (let at = 0; at < 50; at++) expect((await wire.answer()).body).toEqual({ message: `${at}` });
    await wire.over;
  });

  it('find their connection open after they rested for as long as common clients do', async () => {
    const { url } = await openHttp();
    const wire = new Wire(url).read();
    expect((await wire.send(echo('before')).answer()).status).toBe(200);
    await delay(7000);
    expect((await wire.send(echo('after')).answer()).body).toEqual({ message: 'after' });
  });
});

describe('frames of 10 MB', () => {
  const LIMIT = 10 * MiB;
  const add = (content: string): Message => ({ name: 'large.txt', content });
  /** A body of so many bytes, of which an operation takes 10,000,000 as a text. */
  const filled = (body: (content: string) => Message, size: number) => {
    const text = 'x'.repeat(9_900_000);
    const rest = size - JSON.stringify(body(text)).length;
    return JSON.stringify(body(text)) + ' '.repeat(rest);
  };

  it('are taken on stdio up to the limit and refused beyond it, and the connection goes on', async () => {
    const server = serveStdio(['--home', await freshHome()], plain);
    const frame = (size: number, id: number) =>
      filled((content) => ({ jsonrpc: '2.0', id, method: 'add', params: add(content) }), size);
    server.write(frame(LIMIT, 1));
    server.write(frame(LIMIT + 1, 2));
    server.write(frame(3 * LIMIT, 3));
    const { result } = await server.ask('mcp_echo', { message: 'after' });
    expect(result).toEqual({ message: 'after' });
    await expect.poll(() => server.unasked.length, { timeout: 20_000 }).toBe(3);
    expect(server.unasked.find(({ id }) => id === 1)?.result).toMatchObject({ hash: expect.any(String) });
    const refused = server.unasked.filter(({ id }) => id === null);
    expect(refused).toHaveLength(2);
    for (const { error } of refused)
      expect(error).toMatchObject({ code: -32600, message: expect.stringContaining(`larger than ${LIMIT} bytes`) });
  });

  it.each([
    { path: '/api/v1/add', body: add },
    { path: '/mcp', body: (content: string): Message => toolCall(1, 'add', add(content)) },
  ])(
    'are taken at $path up to the limit and refused beyond it, to whoever is still sending',
    async ({ path, body }) => {
      const { url } = await openHttp();
      const wire = new Wire(url).read();
      expect((await wire.send(posting(path, filled(body, LIMIT))).answer()).status).toBe(200);
      const refusal = { status: 413, text: expect.stringContaining(String(LIMIT)) };
      const told = ({ status, body: refused }: Answered) => ({ status, text: JSON.stringify(refused) });
      await whileServed(url, async () => {
        for (const size of [LIMIT + 1, 3 * LIMIT])
          expect(told(await wire.send(posting(path, filled(body, size))).answer())).toEqual(refusal);
        expect((await wire.send(echo('after')).answer()).body).toEqual({ message: 'after' });
        wire.send(posting(path, '').replace('content-length: 0', 'transfer-encoding: chunked'));
        for (let at = 0; at < 12; at++) wire.send(`100000\r\n${'x'.repeat(MiB)}\r\n`);
        expect(told(await wire.send('0\r\n\r\n').answer())).toEqual(refusal);
        expect((await wire.send(echo('again')).answer()).body).toEqual({ message: 'again' });
        // Who does not stop is told all the same, and then cut off.
        const endless = new Wire(url).read();
        endless.send(posting(path, '').replace('content-length: 0', `content-length: ${100 * LIMIT}`));
        for (let at = 0; at < 12; at++) endless.send('x'.repeat(MiB));
        expect(told(await endless.answer())).toEqual(refusal);
        await endless.over;
      });
    },
  );
});

describe(`${MANY} requests at once`, () => {
  const inputs = [
    { name: 'mcp_echo', input: (number: number): Message => ({ message: `m${number}` }) },
    { name: 'get', input: (): Message => ({ name: 'a.txt', include_content: true }) },
    { name: 'search', input: (): Message => ({ query: 'word', limit: 1 }) },
    { name: 'list', input: (): Message => ({ limit: 1 }) },
  ];
  const asked = (number: number) => {
    const { name, input } = inputs[number % inputs.length] ?? { name: 'mcp_echo', input: () => ({ message: '' }) };
    return { name, input: input(number) };
  };
  const check = (number: number, result: Message | undefined) => {
    const expected = [
      { message: `m${number}` },
      { content: 'a word\n' },
      { results: [expect.anything()] },
      { total: 1 },
    ];
    expect(result).toMatchObject(expected[number % inputs.length] ?? {});
  };
  const document = { name: 'a.txt', content: 'a word\n' };

  function watched(pid: number) {
    let most = 0;
    const timer = setInterval(() => {
      if (canLook) most = Math.max(most, holdingsOf(pid).handles);
    }, 5);
    return () => {
      clearInterval(timer);
      expect(most, 'handles').toBeLessThan(MOST_HANDLES);
      return most;
    };
  }

  it('on one stdio connection are each answered once, with few handles', { timeout: 120_000 }, async () => {
    const server = serveStdio(['--home', await freshHome()], plain);
    await server.initialize();
    await server.ask('add', document);
    await server.ask('search', { query: 'word' });
    const end = watched(server.pid);
    const seen = server.unasked.length;
    const lines = Array.from({ length: MANY }, (_, number) => {
      const { name, input } = asked(number);
      return JSON.stringify(
        number % 2 === 0 ? toolCall(number, name, input) : { jsonrpc: '2.0', id: number, method: name, params: input },
      );
    });
    server.write(lines.join('\n'));
    await expect.poll(() => server.unasked.length - seen, { timeout: 100_000 }).toBe(MANY);
    const handles = end();
    const answers = server.unasked.slice(seen);
    expect(new Set(answers.map(({ id }) => id)).size).toBe(MANY);
    for (const { id, result } of answers) check(id, id % 2 === 0 ? result.structuredContent : result);
    const how = 'one write to stdin, in turns as MCP and as JSON-RPC';
    const figures = { requests: MANY, ...(canLook && { 'handles at most': handles }) };
    recordFigures('clients', [{ what: 'a thousand requests at once on stdio', how, profile, figures }]);
  });

  it('on one HTTP connection are answered in their order, with few handles', { timeout: 120_000 }, async () => {
    const { url, pid } = await openHttp();
    await new Wire(url).read().send(posting('/api/v1/add', document)).answer();
    await new Wire(url)
      .read()
      .send(posting('/api/v1/search', { query: 'word' }))
      .answer();
    const end = watched(pid);
    const wire = new Wire(url).read();
    await whileServed(url, async () => {
      const requests = Array.from({ length: MANY }, (_, number) => {
        const { name, input } = asked(number);
        return number % 2 === 0 ? posting('/mcp', toolCall(number, name, input)) : posting(`/api/v1/${name}`, input);
      });
      wire.send(requests.join(''));
      for (let number = 0; number < MANY; number++) {
        const { status, body } = await wire.answer(60_000);
        expect(status).toBe(200);
        if (number % 2 === 0) expect(body.id).toBe(number);
        check(number, number % 2 === 0 ? body.result.structuredContent : body);
      }
    });
    const handles = end();
    expect(wire.text).toBe('');
    const figures = { requests: MANY, ...(canLook && { 'handles at most': handles, 'MB at most': most(pid) }) };
    const how = 'pipelined, in turns as MCP and as REST';
    recordFigures('clients', [{ what: 'a thousand requests at once on one HTTP connection', how, profile, figures }]);
  });

  const most = (pid: number) => Math.round(megabytesOf(pid, 'VmHWM'));
});
