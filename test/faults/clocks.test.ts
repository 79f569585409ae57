/**
 * Clocks that are wrong and jump: back an hour, ahead ten years, back between two writes, another one in each process. What
 * is kept stays whole and in its order, nobody is shut out until the wrong time has come, and the doctor says what happened.
 */

import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { longestPause } from '../../src/changes/webhooks/hook.ts';
import { recency } from '../../src/documents/operations/search-boosts.ts';
import { createSignIns, SESSION_MS } from '../../src/doors/dashboard/sign-in.ts';
import { openEmbedded } from '../../src/store/embedded/engine.ts';
import { cairn, type Message, serveStdio } from '../support/cairn.ts';
import { freshFolder } from '../support/home.ts';
import { recordFigures } from './figures.ts';
import { plain } from './writing.ts';

const HOUR = 3_600_000;
const YEARS = 10 * 365 * 24 * HOUR;

/** A server whose clock the test sets. */
async function clocked(home: string, env: Readonly<Record<string, string>> = {}) {
  const file = join(await freshFolder(), 'clock.json');
  const preload = pathToFileURL(join(import.meta.dirname, 'clock.mjs')).href;
  const setClock = (shift: { offset?: number; falling?: number }) => {
    writeFileSync(`${file}.new`, JSON.stringify(shift));
    renameSync(`${file}.new`, file);
  };
  setClock({});
  const server = serveStdio(['--home', home], {
    ...plain,
    ...env,
    NODE_OPTIONS: `--import ${preload}`,
    CAIRN_TEST_CLOCK: file,
  });
  const ask = async (operation: string, input: Message = {}): Promise<Message> => {
    const { result, error } = await server.ask(operation, input);
    if (error !== undefined) throw new Error(`${operation}: ${JSON.stringify(error)}`);
    if (result.status === 'error') throw new Error(`${operation}: ${JSON.stringify(result)}`);
    return result;
  };
  const stop = async (signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM') => {
    server.kill(signal);
    await server.exited;
  };
  return { ask, setClock, stop };
}

/** Right, back, far ahead, back again, a little ahead. */
const jumps = [0, -HOUR, YEARS, -2 * HOUR, 0, YEARS, -60_000, 10];

const wordsOf = ['granite', 'basalt', 'marble', 'slate', 'quartz', 'chalk', 'flint', 'obsidian'];

afterEach(() => void vi.useRealTimers());

describe('a clock that jumps between two writes', () => {
  it('leaves everything in its order and nothing out, in this process and in the next', async () => {
    const home = join(await freshFolder(), 'home');
    const { ask, setClock, stop } = await clocked(home);
    const ids: string[] = [];
    const events: number[] = [];
    let shown: Message = {};
    const { session_id } = await ask('session_start', { label: 'through time' });
    for (const [at, offset] of jumps.entries()) {
      setClock({ offset });
      const decision = {
        title: `Take ${wordsOf[at]}`,
        target: 'stone',
        rationale: `For ${wordsOf[at]} there is much.`,
      };
      const old = ids.length === 0 ? {} : { old_decision_ids: [ids.at(-1)] };
      ids.push((await ask(at === 0 ? 'record_decision' : 'supersede_decision', { ...decision, ...old })).decision_id);
      const rule = { id: 'rule', title: 'Rule', body: `Use ${wordsOf[at]}.`, owner: 'ann', priority: 20 };
      shown = await ask('instructions_add', { entry: rule, lax: true, overwrite: true });
      expect(shown.verified).toBe(true);
      await ask('add', { name: `notes/${at}.txt`, content: `About ${wordsOf[at]}.`, session: session_id });
      events.push((await ask('record_interaction', { prompt: `Why ${wordsOf[at]}?`, response: 'So.' })).event_id);
      await ask('feedback_submit', { type: 'other', severity: 'low', title: `F ${at}`, description: 'D.' });
      await ask('usage_track', { id: 'rule' });
    }
    expect(shown.version).toBe(`1.0.${jumps.length - 1}`);
    expect((await ask('instructions_health')).uptime).toBeLessThan(600);
    await ask('usage_flush');
    setClock({ offset: 0 });
    // What is dated ahead is not collected as garbage, nor what is dated back although it is in use.
    await ask('gc');
    await stop();

    const next = await clocked(home);
    const { chain } = await next.ask('decision_chain', { target: 'stone' });
    expect(chain.map(({ id }: Message) => id)).toEqual(ids);
    expect(chain.map(({ status }: Message) => status)).toEqual([...ids.slice(1).map(() => 'superseded'), 'active']);
    const found = await next.ask('event_list', { kind: 'interaction', limit: 50 });
    expect(found.events.map(({ event_id }: Message) => event_id)).toEqual([...events].reverse());
    expect((await next.ask('instructions_get', { id: 'rule' })).item.body).toBe(`Use ${wordsOf[jumps.length - 1]}.`);
    expect((await next.ask('list', { paths: ['notes/*'] })).total).toBe(jumps.length);
    expect((await next.ask('list', { session: session_id })).total).toBe(jumps.length);
    expect((await next.ask('feedback_list', { limit: 1 })).total).toBe(jumps.length);
    const { items } = await next.ask('usage_hotset', {});
    expect(items[0]).toMatchObject({ id: 'rule', usageCount: jumps.length });
    expect(await next.ask('audit_verify')).toMatchObject({ intact: true });
    expect(await next.ask('content_verify')).toMatchObject({ ok: true });
    const { entries } = await next.ask('audit_list', { limit: 500 });
    expect(entries.map(({ seq }: Message) => seq)).toEqual(entries.map((_: Message, at: number) => at + 1));
    await next.ask('session_stop', { session_id });
    await next.stop();
  }, 60_000);

  it('is told by the doctor', async () => {
    const home = join(await freshFolder(), 'home');
    const ahead = await clocked(home);
    ahead.setClock({ offset: YEARS });
    await ahead.ask('record_decision', { title: 'T', target: 'then', rationale: 'Written in ten years.' });
    await ahead.stop();
    const { stdout } = await cairn(['doctor', '--json', '--home', home], { env: plain });
    const { findings } = JSON.parse(stdout);
    expect(findings.find(({ fault }: Message) => fault === 'clock-behind')?.detail).toMatch(/dated 20[34]\d/);
    expect(findings.filter(({ state }: Message) => state === 'problem')).toEqual([]);
  }, 30_000);
});

describe('a clock that falls with every look', () => {
  it('holds no write up, and not the forgetting that waits for the next second', async () => {
    const home = join(await freshFolder(), 'home');
    const { ask, setClock, stop } = await clocked(home, { CAIRN_HISTORY: '1', CAIRN_ROLE: 'admin' });
    const { decision_id } = await ask('record_decision', {
      title: 'T',
      target: 'f',
      rationale: 'It will be forgotten.',
    });
    await ask('record_decision', { title: 'U', target: 'g', rationale: 'It will be kept for good.' });
    setClock({ falling: 10 * 60_000 });
    expect(await ask('forget_memory', { decision_id, rewrite_history: true })).toMatchObject({ status: 'success' });
    expect((await ask('decision_chain', { target: 'g' })).chain).toHaveLength(1);
    await stop();
  }, 60_000);
});

describe('a process that died ten years ahead', () => {
  it('holds nobody up: versions are committed and webhooks sent', async () => {
    const received: Message[] = [];
    let refuses = true;
    const receiver = createServer((request, response) => {
      let text = '';
      request.on('data', (part) => {
        text += part;
      });
      request.on('end', () => {
        if (!refuses) received.push(JSON.parse(text));
        response.writeHead(refuses ? 500 : 204).end();
      });
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void receiver.close());
    await delay(1);
    const home = join(await freshFolder(), 'home');
    const env = {
      CAIRN_HISTORY: '1',
      CAIRN_WEBHOOKS: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
      CAIRN_WEBHOOK_ALLOW_PRIVATE: '1',
      CAIRN_WEBHOOK_SECRET: 'a-secret-of-some-length',
    };
    const ahead = await clocked(home, env);
    ahead.setClock({ offset: YEARS });
    await ahead.ask('record_decision', { title: 'T', target: 'then', rationale: 'Written in ten years.' });
    await ahead.ask('add', { name: 'a.txt', content: 'Of the future.' });
    const put = async () => (await ahead.ask('webhook_list')).webhooks[0]?.attempts ?? 0;
    for (const until = performance.now() + 20_000; (await put()) === 0 && performance.now() < until; ) await delay(50);
    expect(await put()).toBeGreaterThan(0);
    await ahead.stop('SIGKILL');
    refuses = false;

    const now = await clocked(home, env);
    await now.ask('record_decision', { title: 'N', target: 'now', rationale: 'Written at the right time.' });
    await now.ask('add', { name: 'b.txt', content: 'Of today.' });
    for (const until = performance.now() + 30_000; performance.now() < until; await delay(100)) {
      const { health } = await now.ask('get_environment_health');
      if (received.length >= 4 && health.not_committed_yet === 0) break;
    }
    expect(received.length, JSON.stringify(await now.ask('webhook_list'))).toBeGreaterThanOrEqual(4);
    expect((await now.ask('get_environment_health')).health.not_committed_yet).toBe(0);
    expect(existsSync(join(home, 'history.git'))).toBe(true);
    await now.stop();
  }, 90_000);

  it('has leases that the next one takes', async () => {
    const home = join(await freshFolder(), 'home');
    const store = openEmbedded({ home });
    onTestFinished(() => store.close());
    await store.write(async (change) => void (await change.usage.add('x', 1, new Date().toISOString())));
    await store.webhooks.register({ id: 'w', address: 'http://x.example/', cursor: 0, created: '2026-01-01' });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + YEARS });
    expect(await store.graph.claim(60_000)).toBe(true);
    expect(await store.instructions.vectors.claim(60_000)).toBe(true);
    expect(await store.webhooks.claim('w', 'dead', 60_000)).toBeDefined();
    expect(await store.graph.claim(60_000)).toBe(false);
    expect(await store.instructions.vectors.claim(60_000)).toBe(false);
    expect(await store.webhooks.claim('w', 'other', 60_000)).toBeUndefined();
    vi.useRealTimers();
    expect(await store.graph.claim(60_000)).toBe(true);
    expect(await store.instructions.vectors.claim(60_000)).toBe(true);
    expect(await store.webhooks.claim('w', 'other', 60_000)).toBeDefined();
    // And still one at a time.
    expect(await store.graph.claim(60_000)).toBe(false);
    expect(await store.webhooks.claim('w', 'third', 60_000)).toBeUndefined();
  });
});

describe('what counts time', () => {
  it('collects what was dated ahead an hour after somebody noticed, and not before', async () => {
    const home = join(await freshFolder(), 'home');
    const store = openEmbedded({ home });
    onTestFinished(() => store.close());
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + YEARS });
    await store.objects.put(Readable.from([Buffer.from('of the future')]));
    vi.useRealTimers();
    const nobody = () => false;
    const now = Date.now();
    expect((await store.objects.collect(nobody, { now })).contents).toBe(0);
    expect((await store.objects.collect(nobody, { now: now + HOUR / 2 })).contents).toBe(0);
    expect((await store.objects.collect(nobody, { now: now + 2 * HOUR })).contents).toBe(1);
  });

  it('ends a session of the dashboard after its time, whatever the clock says', () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.now() });
    const signIns = createSignIns();
    const session = signIns.begin();
    vi.setSystemTime(Date.now() + YEARS);
    expect(signIns.isOpen(session)).toBe(true);
    vi.setSystemTime(Date.now() - 2 * YEARS);
    vi.advanceTimersByTime(SESSION_MS + 1);
    expect(signIns.isOpen(session)).toBe(false);
  });

  it('finds a document of the future as recent as one of this moment, and no more', () => {
    const now = Date.now();
    expect(recency(now + YEARS, now)).toBe(recency(now, now));
    expect(recency(now - YEARS, now)).toBeLessThan(recency(now, now));
  });

  it('puts a webhook off for some minutes at most', () => {
    expect(longestPause(2000)).toBeLessThan(HOUR);
    recordFigures('clocks', [
      {
        what: 'clocks that jump',
        how: 'back an hour, ahead ten years, back between two writes, falling with every look, another one in each process (`test/faults/clocks.test.ts`)',
        profile: process.env.CAIRN_TEST_FULL === undefined ? 'short' : 'long',
        figures: { jumps: jumps.length },
      },
    ]);
  });
});
