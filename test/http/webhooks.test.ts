/** Webhooks: told after the commit, signed, in order, at least once, and nothing is lost. */
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { cairn, serveHttp, serveStdio } from '../support/cairn.ts';
import { freshHome } from '../support/home.ts';
import { operate } from './client.ts';
import { type Received, receiver } from './receiver.ts';

const SECRET = 'a secret that both sides know';
const env = {
  CAIRN_WEBHOOK_ALLOW_PRIVATE: '1',
  CAIRN_WEBHOOK_SECRET: SECRET,
  CAIRN_WEBHOOK_RETRY_MS: '5',
  CAIRN_WRITE_COOLDOWN_MS: '0',
};
const note = (title: string) => ({ type: 'issue', severity: 'low', title, description: 'It is so.' });
const submit = (url: string, title: string) => operate(url, 'feedback_submit', note(title));
const ids = (received: readonly Received[]) => received.map(({ body }) => body.id);

/** The check that docs/events.md shows, as it stands there. */
const shown = /```js\n(import[\s\S]*?)```/.exec(
  readFileSync(join(import.meta.dirname, '../../docs/events.md'), 'utf8'),
)?.[1];
const documented = await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(shown ?? '')}`);

function isGenuine({ headers, text }: Received, secret: string): boolean {
  return documented.isGenuine(headers, text, secret);
}

describe('a webhook', () => {
  it('is told of every change of every process, signed and in order', async () => {
    const home = await freshHome();
    const hook = await receiver();
    const { url } = await serveHttp(['--home', home, '--webhooks', hook.url], env);
    await operate(url, 'record_decision', { title: 'A', target: 'a', rationale: 'Because everybody knows it well.' });
    await cairn(['call', 'feedback_submit', JSON.stringify(note('from elsewhere')), '--home', home]);
    await submit(url, 'last');
    const received = await hook.until(3);
    expect(ids(received)).toEqual([1, 2, 3]);
    expect(received[0]?.body).toEqual({
      id: 1,
      time: expect.stringMatching(/Z$/),
      operation: 'record_decision',
      kind: 'decision',
      ids: [expect.stringMatching(/^decisions\//)],
      principal: 'agent',
      role: 'agent',
      door: 'http',
      outcome: 'ok',
    });
    expect(received[1]?.body.door).toBe('cli');
    for (const each of received) {
      expect(each.headers['content-type']).toBe('application/json');
      expect(each.headers['x-cairn-delivery']).toMatch(/^[0-9a-f]{32}$/);
      expect(isGenuine(each, SECRET)).toBe(true);
      expect(isGenuine(each, 'another secret')).toBe(false);
      expect(isGenuine({ ...each, text: `${each.text} ` }, SECRET)).toBe(false);
    }
    expect(new Set(received.map(({ headers }) => headers['x-cairn-delivery'])).size).toBe(3);
  });

  it('is one of several, each told on its own', async () => {
    const [first, second, third] = [await receiver(), await receiver(), await receiver()];
    first.answer(500);
    const flags = ['--webhooks', `${first.url},${second.url}`, '--webhooks', third.url];
    const { url } = await serveHttp(['--home', await freshHome(), ...flags], {
      ...env,
      CAIRN_WEBHOOK_RETRY_MS: '60000',
    });
    await submit(url, 'one');
    await submit(url, 'two');
    expect(ids(await second.until(2))).toEqual([1, 2]);
    expect(ids(await third.until(2))).toEqual([1, 2]);
    expect(ids(first.received)).toEqual([1]);
  });

  it('is tried again with the same delivery id until it takes the event', async () => {
    const hook = await receiver();
    hook.answer(503);
    const { url } = await serveHttp(['--home', await freshHome(), '--webhooks', hook.url], {
      ...env,
      CAIRN_WEBHOOK_RETRY_MS: '50',
    });
    await submit(url, 'one');
    await hook.until(3);
    hook.answer(204);
    await submit(url, 'two');
    await expect.poll(() => ids(hook.received).at(-1), { timeout: 20_000 }).toBe(2);
    const tries = hook.received.filter(({ body }) => body.id === 1);
    expect(tries.length).toBeGreaterThan(3);
    expect(new Set(tries.map(({ headers }) => headers['x-cairn-delivery'])).size).toBe(1);
    const { body } = await operate(url, 'webhook_list');
    expect(body).toMatchObject({ deadLetters: [], webhooks: [{ delivered: 2, attempts: 0, waiting: 0 }] });
    expect(body.webhooks[0].failures).toBe(tries.length - 1);
  });

  it('gives an event up after eight tries, goes on, and sends it once more when asked to', async () => {
    const hook = await receiver();
    hook.answer(500);
    const { url } = await serveHttp(['--home', await freshHome(), '--role', 'admin', '--webhooks', hook.url], env);
    await submit(url, 'one');
    const dead = async () => (await operate(url, 'webhook_list')).body.deadLetters;
    await expect.poll(dead, { timeout: 20_000 }).toMatchObject([{ seq: 1, error: 'The receiver answered 500' }]);
    expect(hook.received).toHaveLength(8);
    hook.answer(200);
    await submit(url, 'two');
    expect(ids(await hook.until(9)).at(-1)).toBe(2);
    expect((await operate(url, 'webhook_retry', { id: 999 })).body).toEqual({ retried: 0 });
    expect((await operate(url, 'webhook_retry')).body).toEqual({ retried: 1 });
    await expect.poll(dead, { timeout: 20_000 }).toEqual([]);
    const again = hook.received.filter(({ body }) => body.id === 1).at(-1);
    expect(again?.headers['x-cairn-delivery']).toBe(hook.received[0]?.headers['x-cairn-delivery']);
    expect(isGenuine(again as Received, SECRET)).toBe(true);
  });

  it('hears after a restart what happened meanwhile; a new one begins now', async () => {
    const home = await freshHome();
    const hook = await receiver();
    const first = await serveHttp(['--home', home, '--webhooks', hook.url], env);
    await submit(first.url, 'one');
    await hook.until(1);
    expect(await first.stop()).toBe(0);
    for (const title of ['two', 'three'])
      await cairn(['call', 'feedback_submit', JSON.stringify(note(title)), '--home', home]);
    const fresh = await receiver();
    const second = await serveHttp(['--home', home, '--webhooks', hook.url, '--webhooks', fresh.url], env);
    expect(ids(await hook.until(3))).toEqual([1, 2, 3]);
    await submit(second.url, 'four');
    expect(ids(await hook.until(4))).toEqual([1, 2, 3, 4]);
    expect(ids(await fresh.until(1))).toEqual([4]);
  });

  it('goes on with an attempt that a kill cut off', async () => {
    const home = await freshHome();
    const hook = await receiver();
    hook.answer(0);
    const quick = { ...env, CAIRN_WEBHOOK_TIMEOUT_MS: '2000' };
    const first = serveStdio(['--home', home, '--webhooks', hook.url], quick);
    await first.initialize();
    await first.ask('feedback/submit', note('one'));
    await hook.until(1);
    first.kill('SIGKILL');
    await first.exited;
    hook.answer(200);
    // The turn of the one that was killed is over after a while: the receiver is not told twice at once.
    const second = await serveHttp(['--home', home, '--webhooks', hook.url], quick);
    await submit(second.url, 'two');
    for (const start = Date.now(); hook.received.length < 3 && Date.now() - start < 50_000; ) await delay(100);
    expect(ids(hook.received)).toEqual([1, 1, 2]);
  });

  it('is told once, however many servers the home has', async () => {
    const home = await freshHome();
    const hook = await receiver();
    const servers = await Promise.all(
      Array.from({ length: 3 }, () => serveHttp(['--home', home, '--webhooks', hook.url], env)),
    );
    await Promise.all(servers.flatMap(({ url }) => Array.from({ length: 5 }, (_, at) => submit(url, `${at}`))));
    await hook.until(15);
    await delay(1000);
    expect(ids(hook.received)).toEqual(Array.from({ length: 15 }, (_, at) => at + 1));
    // Another one takes over as soon as the one that told them goes.
    for (const server of servers.slice(0, 2)) await server.stop();
    await submit(servers[2]?.url ?? '', 'left over');
    expect(ids(await hook.until(16)).at(-1)).toBe(16);
  });

  it('does not reach this machine or its network unless that is allowed', async () => {
    const hook = await receiver();
    const { port } = new URL(hook.url);
    const urls = [
      hook.url,
      `http://localhost:${port}/`,
      `http://[::ffff:127.0.0.1]:${port}/`,
      'http://169.254.169.254/',
    ];
    const { url } = await serveHttp(['--home', await freshHome(), '--webhooks', urls.join(',')], {
      ...env,
      CAIRN_WEBHOOK_ALLOW_PRIVATE: '0',
    });
    await submit(url, 'one');
    const errors = async () =>
      (await operate(url, 'webhook_list')).body.deadLetters.map(({ error }: { error: string }) => error);
    await expect.poll(errors, { timeout: 20_000 }).toHaveLength(urls.length);
    for (const error of await errors()) expect(error).toContain('not public');
    expect(hook.connections()).toBe(0);
  });

  it('never reaches a link-local address, follows no redirect, and gives up on a receiver that does not answer', async () => {
    const [other, hook, silent] = [await receiver(), await receiver(), await receiver()];
    hook.answer(302, { location: other.url });
    silent.answer(0);
    const urls = ['http://169.254.169.254/', hook.url, silent.url];
    const { url } = await serveHttp(['--home', await freshHome(), '--webhooks', urls.join(',')], {
      ...env,
      CAIRN_WEBHOOK_TIMEOUT_MS: '100',
    });
    await submit(url, 'one');
    const dead = async () =>
      (await operate(url, 'webhook_list')).body.deadLetters.map(({ error }: { error: string }) => error);
    await expect.poll(dead, { timeout: 20_000 }).toHaveLength(3);
    expect((await dead()).sort()).toEqual([
      'No answer within 100 ms',
      'The host leads to an address that is not public (link-local)',
      'The receiver answered 302',
    ]);
    expect(other.connections()).toBe(0);
  });

  it('is not configured by a file of the project, and keeps its secrets to itself', async () => {
    const home = await freshHome();
    const hook = await receiver();
    const secret = hook.url
      .replace('http://', 'http://user:hunter2@')
      .concat('/abcdefghijklmnopqrstuvwxyz?token=tttt1234');
    const server = serveStdio(['--home', home, '--webhooks', secret], env);
    await server.initialize();
    await server.ask('feedback/submit', note('one'));
    await hook.until(1);
    expect(hook.received[0]?.headers.authorization).toBe(`Basic ${Buffer.from('user:hunter2').toString('base64')}`);
    const listed = await server.ask('webhook_list', {});
    expect(listed.result.webhooks[0].address).toBe(`${hook.url}/abcd…`);
    server.kill();
    await server.exited;
    const kept = await Promise.all(
      (await readdir(home)).map((name) => readFile(join(home, name), 'latin1').catch(() => '')),
    );
    for (const hidden of ['hunter2', 'tttt1234', SECRET]) {
      expect(JSON.stringify(listed) + server.stderr()).not.toContain(hidden);
      for (const text of kept) expect(text).not.toContain(hidden);
    }
    const page = await cairn(['config', '--home', home, '--webhooks', secret]);
    expect(page.stdout).toContain('(hidden)');
    expect(page.stdout).not.toMatch(/hunter2|tttt1234/);
    const wrong = await cairn(['config', '--home', home, '--webhooks', secret.replace('http:', 'ftp:')]);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.not.stringMatching(/hunter2|tttt1234/)]);
    await mkdir(home, { recursive: true });
    await writeFile(join(home, 'config.json'), JSON.stringify({ webhooks: [hook.url] }));
    const refused = await cairn(['call', 'health_check', '--home', home]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--webhooks or CAIRN_WEBHOOKS')]);
  });

  it('needs a URL that is one', async () => {
    for (const wrong of ['ftp://a.example', 'nonsense', 'https://a.example,nonsense'])
      expect((await cairn(['call', 'health_check', '--webhooks', wrong])).code, wrong).toBe(2);
  });
});
