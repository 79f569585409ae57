/** Somebody without a key who tries: guesses, near misses, tricks with headers, and what the answers and the time would tell. */
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createSignIns } from '../../src/doors/dashboard/sign-in.ts';
import { WrongKeys } from '../../src/doors/http/rate.ts';
import { digestOf, newKey, sameKey } from '../../src/service/key.ts';
import { listen } from '../http/stream.ts';
import { cairn, serveHttp } from '../support/cairn.ts';
import { freshFolder, freshHome } from '../support/home.ts';
import { quiet } from './arena.ts';

async function keyed() {
  const home = ['--home', await freshHome()];
  const { stdout } = await cairn(['call', 'keys_add', '{"name":"ci","role":"viewer"}', '--role', 'admin', ...home]);
  const { key, id } = JSON.parse(stdout) as { key: string; id: string };
  return { home, key, id };
}

async function answerTo(url: string, headers: Record<string, string>): Promise<string> {
  const response = await fetch(`${url}/api/v1/health_check`, { headers });
  return `${response.status} ${await response.text()}`;
}

describe('a key', () => {
  it('that is nearly right, cut, longer, in other letters or its own digest is as wrong as any other', async () => {
    const { home, key, id } = await keyed();
    const near = [
      key.slice(0, -1),
      `${key}x`,
      key.toUpperCase(),
      key.slice('cairn_'.length),
      digestOf(key),
      id,
      `${key},${key}`,
      "' OR '1'='1",
      '%',
    ];
    const answers = new Set<string>();
    const { url } = await serveHttp(home, quiet);
    for (const wrong of near) answers.add(await answerTo(url, { 'x-api-key': wrong }));
    expect([...answers]).toEqual([expect.stringMatching(/^401 /)]);
    expect(await answerTo(url, { 'x-api-key': key })).toMatch(/^200 /);
  });

  it('is not taken from a URL, a cookie, a body or another scheme', async () => {
    const { home, key } = await keyed();
    const { url } = await serveHttp(home, quiet);
    for (const path of [`?key=${key}`, `?api_key=${key}`, `?x-api-key=${key}`, `?access_token=${key}`])
      expect((await fetch(`${url}/api/v1/health_check${path}`)).status, path).toBe(401);
    for (const headers of [
      { cookie: `key=${key}` },
      { authorization: `Basic ${btoa(`ci:${key}`)}` },
      { 'api-key': key },
    ])
      expect((await fetch(`${url}/api/v1/health_check`, { headers })).status).toBe(401);
    expect((await fetch(`${url}/api/v1/health_check`, { method: 'POST', body: JSON.stringify({ key }) })).status).toBe(
      401,
    );
  });

  it('that was taken back and one that never was get the same answer', async () => {
    const { home, key, id } = await keyed();
    const { url } = await serveHttp(home, quiet);
    await cairn(['keys', 'revoke', id, '--role', 'admin', ...home]);
    expect(await answerTo(url, { 'x-api-key': key })).toBe(await answerTo(url, { 'x-api-key': newKey().key }));
  });

  it('that is taken back ends the streams that it opened, and what comes after is not told to them', async () => {
    const { home, key, id } = await keyed();
    const { url } = await serveHttp(home, quiet);
    const stream = await listen(url, '/api/v1/events', { 'x-api-key': key });
    expect(stream.status).toBe(200);
    const note = [
      'call',
      'feedback_submit',
      '{"type":"other","severity":"low","title":"a","description":"b"}',
      ...home,
    ];
    await cairn(note, { env: quiet });
    await stream.until(1);
    await cairn(['keys', 'revoke', id, '--role', 'admin', ...home], { env: quiet });
    await expect(Promise.race([stream.ended.then(() => 'ended'), delay(15_000, 'open')])).resolves.toBe('ended');
    await cairn(note, { env: quiet });
    expect(stream.told).toHaveLength(1);
  });

  it('that is taken back ends the watches that it began, before they store anything more', async () => {
    const folder = await freshFolder();
    const home = ['--home', join(folder, '.cairn')];
    await mkdir(join(folder, 'tree'));
    const made = await cairn(['call', 'keys_add', '{"name":"ci","role":"agent"}', '--role', 'admin', ...home]);
    const { key, id } = JSON.parse(made.stdout) as { key: string; id: string };
    const { url } = await serveHttp(home, quiet);
    const client = await openSession(url, key);
    await client('session_start', {});
    await client('session_watch', { path: 'tree' });
    const stored = async () => JSON.parse((await cairn(['call', 'list', '{}', ...home], { env: quiet })).stdout).total;
    await writeFile(join(folder, 'tree/before.txt'), 'before');
    await expect.poll(stored, { timeout: 20_000, interval: 300 }).toBe(1);
    await cairn(['keys', 'revoke', id, '--role', 'admin', ...home], { env: quiet });
    await writeFile(join(folder, 'tree/after.txt'), 'after');
    await delay(3000);
    expect(await stored()).toBe(1);
  });

  it('that is made first ends the streams of those who have none', async () => {
    const home = ['--home', await freshHome()];
    const note = [
      'call',
      'feedback_submit',
      '{"type":"other","severity":"low","title":"a","description":"b"}',
      ...home,
    ];
    await cairn(note, { env: quiet });
    const { url } = await serveHttp(home, quiet);
    const stream = await listen(url);
    await cairn(['call', 'keys_add', '{"name":"ci"}', '--role', 'admin', ...home], { env: quiet });
    await expect(Promise.race([stream.ended.then(() => 'ended'), delay(15_000, 'open')])).resolves.toBe('ended');
  });

  it('cannot be tried in numbers: the eleventh guess waits, from whatever address the headers claim', async () => {
    const { home } = await keyed();
    const { url } = await serveHttp(home, quiet);
    const statuses: number[] = [];
    for (let at = 0; at < 14; at++) {
      const claimed = { 'x-forwarded-for': `10.0.0.${at}`, forwarded: `for=10.0.0.${at}`, 'x-real-ip': `10.0.0.${at}` };
      const response = await fetch(`${url}/api/v1/health_check`, {
        headers: { 'x-api-key': `guess${at}`, ...claimed },
      });
      await response.text();
      statuses.push(response.status);
    }
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(4).fill(429)]);
  });

  it('is compared by digests of one length: what is compared does not depend on how much of a guess is right', () => {
    const { key } = newKey();
    for (const guess of ['', 'c', key.slice(0, 20), `${key}${key}`, 'x'.repeat(100_000)]) {
      expect(sameKey(guess, key)).toBe(false);
      expect(digestOf(guess)).toHaveLength(64);
    }
    expect(sameKey(key, key)).toBe(true);
  });

  it('has no memory without end behind it: addresses that try are forgotten, the newest last', () => {
    const wrong = new WrongKeys();
    for (let at = 0; at < 30_000; at++) wrong.note(`address ${at}`, 1000);
    for (let at = 0; at < 10; at++) wrong.note('the guesser', 1000);
    for (let at = 0; at < 5000; at++) wrong.note(`other ${at}`, 1000);
    expect(wrong.wait('the guesser', 1001)).toBeGreaterThan(0);
  });
});

/** MCP with a session, as older clients keep it. */
async function openSession(url: string, key: string) {
  const headers = {
    'x-api-key': key,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  };
  const post = (method: string, params: unknown, more: Record<string, string> = {}) =>
    fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
  const version = '2025-06-18';
  const clientInfo = { name: 'test', version: '1' };
  const opened = await post('initialize', { protocolVersion: version, capabilities: {}, clientInfo });
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': version };
  await opened.text();
  return async (name: string, input: object) => {
    const text = await (await post('tools/call', { name, arguments: input }, session)).text();
    expect(text, name).not.toContain('"isError":true');
  };
}

describe('a session of the page', () => {
  it('is not had by guessing, by a token for a session or by a session for a token', () => {
    const signIns = createSignIns();
    const token = signIns.newToken();
    expect(signIns.isOpen(token)).toBe(false);
    expect(signIns.isOpen(digestOf(token))).toBe(false);
    const session = signIns.redeem(token) ?? '';
    expect(signIns.isOpen(session)).toBe(true);
    expect(signIns.redeem(token)).toBeUndefined();
    expect(signIns.redeem(session)).toBeUndefined();
    for (const guess of ['', session.slice(1), `${session} `, '__proto__', 'constructor'])
      expect(signIns.isOpen(guess)).toBe(false);
  });
});

describe('a request', () => {
  it('that smuggles another, sends two hosts or two lengths, is not served', async () => {
    const { home, key } = await keyed();
    const { url } = await serveHttp(home, quiet);
    const { port } = new URL(url);
    const host = `Host: 127.0.0.1:${port}\r\n`;
    const inner = `GET /api/v1/keys_list HTTP/1.1\r\n${host}X-Api-Key: ${key}\r\n\r\n`;
    const raw = [
      `POST /mcp HTTP/1.1\r\n${host}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`,
      `POST /mcp HTTP/1.1\r\n${host}Content-Length: 0\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`,
      `GET /api/v1/health_check HTTP/1.1\r\n${host}X-Api-Key: wrong\r\nX-Api-Key : ${key}\r\n\r\n`,
      `GET /api/v1/health_check HTTP/1.1\r\nHost: evil.example\r\n${host}X-Api-Key: ${key}\r\n\r\n`,
      `GET /api/v1/health_check HTTP/1.1\r\n${host}X-Api-Key:\r\n ${key}\r\n\r\n`,
    ];
    for (const text of raw) {
      const answer = await rawAnswer(Number(port), text);
      expect(answer, text).toMatch(/^(?:HTTP\/1\.1 4\d\d|$)/);
      expect(answer, text).not.toContain('HTTP/1.1 200');
    }
  });
});

function rawAnswer(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    const timer = setTimeout(() => socket.destroy(), 1500);
    socket.on('data', (part) => {
      answer += part;
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(answer);
    });
    socket.write(text);
  });
}
