/** Server-sent events: every change of every process, once, in order, also for whoever was away. */
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Reader } from '../../src/doors/events/stream.ts';
import { cairn, serveHttp, serveStdio } from '../support/cairn.ts';
import { freshHome } from '../support/home.ts';
import { listening } from '../support/site.ts';
import { ask, operate } from './client.ts';
import { listen } from './stream.ts';

const note = (title: string) => ({ type: 'issue', severity: 'low', title, description: 'It is so.' });
const decision = (target: string) => ({
  title: `Choose ${target}`,
  target,
  rationale: 'It is what everybody here knows well.',
});
const patient = { CAIRN_WRITE_COOLDOWN_MS: '0' };

describe('the event stream', () => {
  it('tells of changes as they happen, with the place in the audit trail as id', async () => {
    const { url } = await serveHttp(['--home', await freshHome(), '--mutation'], patient);
    const stream = await listen(url);
    expect(stream.comments[0]).toContain('listening');
    const { body: submitted } = await operate(url, 'feedback_submit', note('first'));
    await operate(url, 'record_decision', decision('cache'));
    await operate(url, 'record_interaction', { prompt: 'why?', response: 'because' });
    await operate(url, 'add', { content: 'text', name: 'a.txt' });
    await operate(url, 'session', { action: 'start', params: { label: 'x' } });
    const told = await stream.until(5);
    expect(told.map(({ data }) => data.kind)).toEqual(['feedback', 'decision', 'event', 'document', 'session']);
    expect(told[0]).toEqual({
      id: '1',
      event: 'change',
      data: {
        seq: 1,
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        operation: 'feedback_submit',
        kind: 'feedback',
        ids: [submitted.feedbackId],
        principal: 'agent',
        role: 'agent',
        door: 'http',
        outcome: 'ok',
      },
    });
    expect(told.map(({ id }) => Number(id))).toEqual(told.map(({ data }) => data.seq));
  });

  it('tells of the changes of other processes, in one order with its own', async () => {
    const home = ['--home', await freshHome()];
    const { url } = await serveHttp(home, patient);
    const stream = await listen(url, '/events');
    const other = serveStdio(home, patient);
    await other.initialize();
    await Promise.all([
      ...Array.from({ length: 10 }, (_, at) => operate(url, 'feedback_submit', note(`here ${at}`))),
      ...Array.from({ length: 10 }, (_, at) => other.ask('feedback/submit', note(`there ${at}`))),
      cairn(['call', 'feedback_submit', JSON.stringify(note('command')), ...home]),
    ]);
    const told = await stream.until(21);
    expect(told.map(({ data }) => data.seq)).toEqual(Array.from({ length: 21 }, (_, at) => at + 1));
    expect(new Set(told.map(({ data }) => data.door))).toEqual(new Set(['http', 'rpc', 'cli']));
  });

  it('goes on where a client was, by the header or the query, without a gap or a repetition', async () => {
    const { url } = await serveHttp(['--home', await freshHome()], patient);
    const before = await listen(url);
    for (const at of [1, 2, 3]) await operate(url, 'feedback_submit', note(`${at}`));
    await before.until(3);
    before.close();
    for (const at of [4, 5]) await operate(url, 'feedback_submit', note(`${at}`));
    const byHeader = await listen(url, '/events', { 'last-event-id': '3' });
    const byQuery = await listen(url, '/events?after=1');
    const both = await listen(url, '/events?after=1', { 'last-event-id': '4' });
    await operate(url, 'feedback_submit', note('6'));
    const ids = async (stream: typeof byHeader, count: number) => (await stream.until(count)).map(({ id }) => id);
    expect(await ids(byHeader, 3)).toEqual(['4', '5', '6']);
    expect(await ids(byQuery, 5)).toEqual(['2', '3', '4', '5', '6']);
    expect(await ids(both, 2)).toEqual(['5', '6']);
  });

  it('loses nothing to clients that join while others write', async () => {
    const { url } = await serveHttp(['--home', await freshHome()], patient);
    const writes = (async () => {
      for (let at = 0; at < 60; at++) await operate(url, 'feedback_submit', note(`${at}`));
    })();
    const streams = await Promise.all(
      Array.from({ length: 12 }, async (_, at) => {
        await delay(at * 20);
        return listen(url, '/events?after=0');
      }),
    );
    await writes;
    for (const stream of streams)
      expect((await stream.until(60)).map(({ data }) => data.seq)).toEqual(
        Array.from({ length: 60 }, (_, at) => at + 1),
      );
  });

  it('leaves out other kinds, and what changed nothing', async () => {
    const { url } = await serveHttp(['--home', await freshHome()], patient);
    const stream = await listen(url, '/events?kinds=decision,event');
    await operate(url, 'feedback_submit', note('unheard'));
    await operate(url, 'record_decision', decision('cache'));
    await operate(url, 'record_decision', {
      ...decision('cache'),
      rationale: 'Something else that is not alike at all.',
    });
    await operate(url, 'record_interaction', { prompt: 'why?', response: 'because' });
    expect((await stream.until(2)).map(({ data }) => data.operation)).toEqual([
      'record_decision',
      'record_interaction',
    ]);
    await delay(600);
    expect(stream.told).toHaveLength(2);
  });

  it('sends comments while nothing happens', async () => {
    const { url } = await serveHttp(['--home', await freshHome()], { MCP_IDLE_KEEPALIVE_MS: '100' });
    const stream = await listen(url);
    await delay(1000);
    expect(stream.comments.length).toBeGreaterThan(2);
  });

  it('refuses ids and kinds that are none, other methods, and more streams than allowed', async () => {
    const { url } = await serveHttp(['--home', await freshHome()], { CAIRN_EVENT_LISTENERS: '2' });
    for (const query of ['after=x', 'after=-1', 'after=1e9', 'kinds=everything'])
      expect((await ask(url, `/events?${query}`)).status, query).toBe(400);
    expect((await ask(url, '/events', { method: 'POST' })).status).toBe(405);
    const first = await listen(url);
    await listen(url);
    expect(await ask(url, '/events')).toMatchObject({ status: 429, body: { kind: 'limit_exceeded' } });
    first.close();
    await delay(200);
    expect((await listen(url)).status).toBe(200);
  });

  it('cuts off a reader that does not read', async () => {
    let sent: Promise<boolean> | undefined;
    const { port } = await listening(
      createServer((_request, response) => {
        response.writeHead(200);
        const reader = new Reader(response);
        sent = (async () => {
          // The pipe to a reader holds some megabytes before anything waits.
          for (let at = 0; at < 100_000 && !response.destroyed; at++) {
            void reader.send(`data: ${'x'.repeat(10_000)}\n\n`);
            if (at % 100 === 0) await delay(1);
          }
          return response.destroyed;
        })();
      }),
    );
    const idle = connect(port, '127.0.0.1');
    onTestFinished(() => void idle.destroy());
    idle.on('error', () => {});
    idle.pause();
    idle.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    while (sent === undefined) await delay(10);
    expect(await sent).toBe(true);
  });

  it('ends its streams when the server stops', async () => {
    const server = await serveHttp(['--home', await freshHome()]);
    const stream = await listen(server.url);
    expect(await server.stop()).toBe(0);
    await stream.ended;
  });
});
