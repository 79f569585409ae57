/**
 * Clients that think better of it by the thousand, that leave in the middle of long work, or that stop reading: what they asked
 * for ends, what was half sent is wholly there or not at all, and nothing of them stays.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { operate } from '../http/client.ts';
import { listen } from '../http/stream.ts';
import { type HttpServer, type Message, program, type StdioServer, serveHttp, serveStdio } from '../support/cairn.ts';
import { freshHome } from '../support/home.ts';
import { recordFigures } from './figures.ts';
import { canLook, cpuMsOf, holdingsOf, megabytesOf, settled } from './process.ts';
import { posting, toolCall, Wire, whileServed } from './sockets.ts';
import { looking, plain } from './writing.ts';

const long = process.env.CAIRN_TEST_FULL !== undefined;
const profile = long ? 'long' : 'short';
const patience = { timeout: long ? 1_200_000 : 120_000 };
const SPARE_HANDLES = 8;

const content = (number: number) => `Document ${number} is whole.\n`.repeat(2000);
const adding = (number: number): Message => ({ name: `storm/${number}.txt`, content: content(number) });
const env = { ...plain, CAIRN_ROLE: 'admin' };

/** Every document that is there is whole, and so is the trail. Gives how many there are. */
async function wholeDocuments(home: string, most: number): Promise<number> {
  return looking(home, async (ask) => {
    let found = 0;
    for (let number = 0; number < most; number++) {
      const { name } = adding(number);
      const document = await ask('get', { name }).catch((thrown: { kind?: string }) => {
        expect(thrown.kind, String(thrown)).toBe('not_found');
      });
      if (document === undefined) continue;
      expect(document.size, name).toBe(content(number).length);
      found++;
    }
    expect(await ask('content_verify')).toMatchObject({ ok: true });
    expect(await ask('audit_verify')).toMatchObject({ intact: true });
    return found;
  });
}

/** Whether it has nothing left to do: over half a second it takes less than a fifth of a processor. */
async function untilIdle(pid: number, withinMs: number): Promise<void> {
  if (!canLook) return;
  const busy = async () => {
    const before = cpuMsOf(pid);
    await delay(500);
    return cpuMsOf(pid) - before;
  };
  await expect.poll(busy, { timeout: withinMs, interval: 1 }).toBeLessThan(100);
}

describe('cancellations', () => {
  it('of a thousand calls at once leave a server as it was', patience, async () => {
    const home = await freshHome();
    const server = serveStdio(['--home', home], env);
    await server.initialize();
    const warm = (at: number) => server.ask('add', { ...adding(at), name: `warm/${at}.txt` });
    await Promise.all(Array.from({ length: 40 }, (_, at) => warm(at)));
    await Promise.all(Array.from({ length: 40 }, () => server.ask('search', { query: 'whole' })));
    await Promise.all(Array.from({ length: 40 }, () => server.ask('get_environment_health')));
    await server.ask('tools/call', { name: 'mcp_echo', arguments: { message: 'warm' } });
    const before = canLook ? holdingsOf(server.pid) : undefined;
    const seen = server.unasked.length;
    const CALLS = 1000;
    const steps = Array(20).fill({ op: 'get_environment_health' });
    const call = (number: number) =>
      number % 4 === 0 ? toolCall(number, 'add', adding(number)) : toolCall(number, 'query', { steps });
    const cancel = (requestId: number) => ({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId, reason: 'no longer wanted' },
    });
    const lines = Array.from({ length: CALLS }, (_, number) => call(number));
    server.write(lines.map((line) => JSON.stringify(line)).join('\n'));
    await delay(30);
    server.write(lines.map(({ id }) => JSON.stringify(cancel(id))).join('\n'));
    const start = performance.now();
    expect((await server.ask('mcp_echo', { message: 'after' })).result).toEqual({ message: 'after' });
    const waited = performance.now() - start;
    await untilIdle(server.pid, 30_000);
    const answers = server.unasked.slice(seen).filter(({ id }) => id !== undefined);
    expect(new Set(answers.map(({ id }) => id)).size).toBe(answers.length);
    expect(server.stderr()).not.toContain('failed unexpectedly');
    // To run all of them would take a minute.
    expect(answers.length).toBeLessThan(CALLS / 2);
    if (before !== undefined) {
      const after = await settled(server.pid, before, SPARE_HANDLES);
      expect(after.handles).toBeLessThanOrEqual(before.handles + SPARE_HANDLES);
      expect(after.children).toBe(before.children);
    }
    const found = await wholeDocuments(home, CALLS);
    // Whoever was told that it is done finds it done.
    const done = answers.filter(({ id, result }) => id % 4 === 0 && result?.isError !== true).length;
    expect(found).toBeGreaterThanOrEqual(done);
    const figures = {
      calls: CALLS,
      'answered before they were cancelled': answers.length,
      'until the next call was answered': `${Math.round(waited)} ms`,
    };
    const how = 'tool calls on one stdio connection, a quarter of them writes, each cancelled at once';
    recordFigures('storms', [{ what: 'a thousand cancellations', how, profile, figures }]);
  });

  it('of HTTP requests in the middle leave each write wholly there or not', patience, async () => {
    const home = await freshHome();
    const { url, pid } = await serveHttp(['--home', home], env);
    const warm = (at: number) => operate(url, 'add', { ...adding(at), name: `warm/${at}.txt` });
    await Promise.all(Array.from({ length: 40 }, (_, at) => warm(at)));
    await Promise.all(Array.from({ length: 40 }, () => operate(url, 'search', { query: 'whole' })));
    const before = canLook ? holdingsOf(pid) : undefined;
    const REQUESTS = long ? 5000 : 400;
    await whileServed(url, async () => {
      let next = 0;
      const leaving = async () => {
        while (next < REQUESTS) {
          const number = next++;
          const wire = new Wire(url);
          const path = number % 2 === 0 ? '/api/v1/add' : '/mcp';
          const body = number % 2 === 0 ? adding(number) : toolCall(number, 'add', adding(number));
          const text = posting(path, body);
          wire.send(number % 5 === 0 ? text.slice(0, text.length / 2) : text);
          await delay(Math.random() * 40);
          wire.socket.destroy();
        }
      };
      await Promise.all(Array.from({ length: 20 }, leaving));
    });
    await untilIdle(pid, 30_000);
    if (before !== undefined)
      expect((await settled(pid, before, SPARE_HANDLES)).handles).toBeLessThanOrEqual(before.handles + SPARE_HANDLES);
    const found = await wholeDocuments(home, REQUESTS);
    expect(found).toBeLessThanOrEqual(REQUESTS * 0.8);
    const figures = { requests: REQUESTS, 'writes that were made': found };
    const how = 'writes over REST and MCP, the connection torn down within 40 ms, some with half a body';
    recordFigures('storms', [{ what: 'HTTP requests aborted in the middle', how, profile, figures }]);
  });
});

describe('clients that stop reading', () => {
  it('of an event stream cost no memory, while others hear of everything', patience, async () => {
    const { url, pid } = await serveHttp(['--home', await freshHome()], env);
    const note = { type: 'other', severity: 'low', title: 't'.repeat(100), description: 'So.' };
    await operate(url, 'feedback_submit', note);
    const EVENTS = long ? 10_000 : 600;
    const [CLIENTS, WRITERS] = [30, 20];
    const reading = await listen(url, '/events?after=0');
    const ask = 'GET /events?after=0 HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n';
    const idle = Array.from({ length: CLIENTS }, () => new Wire(url).send(ask));
    await delay(300);
    const before = canLook ? megabytesOf(pid, 'VmRSS') : 0;
    await whileServed(url, async () => {
      let next = 0;
      const write = async () => {
        while (next++ < EVENTS) expect((await operate(url, 'feedback_submit', note)).status).toBe(200);
      };
      await Promise.all(Array.from({ length: WRITERS }, write));
      await expect.poll(() => reading.told.length, { timeout: 60_000 }).toBe(EVENTS + 1);
    });
    expect(reading.told.map(({ id }) => Number(id))).toEqual(Array.from({ length: EVENTS + 1 }, (_, at) => at + 1));
    for (const { socket } of idle) socket.destroy();
    if (!canLook) return;
    const grown = megabytesOf(pid, 'VmRSS') - before;
    expect(grown, `${grown.toFixed(0)} MB`).toBeLessThan(100);
    const figures = { events: EVENTS, 'clients that read none': CLIENTS, 'MB more': Math.round(grown) };
    const how = 'streams of /events that nobody reads, beside one that is read';
    recordFigures('storms', [{ what: 'event streams that nobody reads', how, profile, figures }]);
  });

  it('on stdio are not listened to until they read, and then get all their answers', patience, async () => {
    const home = await freshHome();
    const child = spawn(process.execPath, [program, 'serve', '--home', home], { env: { ...process.env, ...env } });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ASKED = long ? 20_000 : 2000;
    const request = (id: number) => JSON.stringify({ jsonrpc: '2.0', id, method: 'get_api_specification', params: {} });
    child.stdin.write(Array.from({ length: ASKED }, (_, id) => `${request(id)}\n`).join(''));
    await untilIdle(child.pid ?? 0, 60_000);
    const unread = canLook ? megabytesOf(child.pid ?? 0, 'VmRSS') : 0;
    const ids = new Set<number>();
    let bytes = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      bytes += line.length;
      ids.add(JSON.parse(line).id);
      if (ids.size === ASKED) break;
    }
    expect(bytes / 1024 / 1024).toBeGreaterThan(100);
    expect(unread, `${unread.toFixed(0)} MB`).toBeLessThan(300);
    if (!canLook) return;
    const figures = {
      requests: ASKED,
      'MB of answers': Math.round(bytes / 1024 / 1024),
      'MB of the server while none was read': Math.round(unread),
    };
    const how = 'requests on stdio whose answers are read only at the end';
    recordFigures('storms', [{ what: 'a stdio client that does not read', how, profile, figures }]);
  });
});

describe('long work', () => {
  /** Takes minutes: a name of 300,000 letters, each of any script. */
  const grep = { pattern: '\\pL{1000}'.repeat(300) };
  const text = 'some text\n';

  type Way = (server: HttpServer) => { leave(): void };
  const ways: readonly (readonly [string, Way])[] = [
    ['REST', ({ url }) => leaving(new Wire(url).send(posting('/api/v1/grep', grep)))],
    ['MCP', ({ url }) => leaving(new Wire(url).send(posting('/mcp', toolCall(1, 'grep', grep))))],
  ];
  const leaving = ({ socket }: Wire) => ({ leave: () => void socket.destroy() });

  it.each(ways)('ends when whoever asked for it over %s goes away', patience, async (_, begin) => {
    const server = await serveHttp(['--home', await freshHome()], env);
    await operate(server.url, 'add', { name: 'long.txt', content: text });
    await operate(server.url, 'grep', { pattern: 'nothing' });
    await whileServed(server.url, async () => {
      const work = begin(server);
      await isBusy(server.pid);
      work.leave();
    });
    await untilIdle(server.pid, 20_000);
  });

  it('ends when it is cancelled on stdio', patience, async () => {
    const server: StdioServer = serveStdio(['--home', await freshHome()], env);
    await server.initialize();
    await server.ask('add', { name: 'long.txt', content: text });
    server.write(JSON.stringify(toolCall(1, 'grep', grep)));
    await isBusy(server.pid);
    server.notify('notifications/cancelled', { requestId: 1 });
    await untilIdle(server.pid, 20_000);
    expect((await server.ask('mcp_echo', { message: 'after' })).result).toEqual({ message: 'after' });
  });

  /** For two seconds on end, so that it does not end by itself. */
  async function isBusy(pid: number): Promise<void> {
    if (!canLook) return delay(2000);
    await delay(2000);
    const before = cpuMsOf(pid);
    await delay(1000);
    expect(cpuMsOf(pid) - before, 'the work was over before anybody left').toBeGreaterThan(100);
  }
});
