/** Names that answer one address when they are judged and another when they are used. Only the resolver of the system is played. */
import { lookup } from 'node:dns/promises';
import { describe, expect, it, vi } from 'vitest';
import { deliveryOf, hookOf } from '../../src/changes/webhooks/hook.ts';
import { post } from '../../src/changes/webhooks/post.ts';
import { fetchTo } from '../../src/documents/download/fetch.ts';
import { rangeOf } from '../../src/service/address.ts';
import { resolveName } from '../../src/service/reach.ts';
import { receiver } from '../http/receiver.ts';
import { saying, site } from '../support/site.ts';

vi.mock('node:dns/promises', () => ({ lookup: vi.fn() }));

/** Each look-up gets the next answer; the last one stays. */
function answering(...answers: readonly string[][]): void {
  const waiting = [...answers];
  vi.mocked(lookup).mockReset();
  vi.mocked(lookup).mockImplementation((async () => {
    const [now = []] = waiting.length > 1 ? waiting.splice(0, 1) : waiting;
    return now.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  }) as never);
}

const entry = {
  seq: 1,
  time: '2026-01-01T00:00:00.000Z',
  operation: 'add',
  principal: 'x',
  role: 'agent',
  door: 'mcp',
  outcome: 'ok',
  ids: [],
  hash: 'h',
  previous: 'p',
};
const signal = new AbortController().signal;

function send(url: string, allowPrivate: boolean): Promise<void> {
  const hook = hookOf(url);
  const delivery = deliveryOf(hook, entry as never, () => 'document' as never, 'secret', 0);
  return post(hook.url, delivery, { timeoutMs: 1000, allowPrivate }, signal);
}

/** Reserved for documentation: nobody is there. */
const NOBODY = '198.51.100.7';

describe('a webhook', () => {
  it('asks for the name once, and goes to what was judged, not to what the name answers by then', async () => {
    const here = await receiver();
    const { port } = new URL(here.url);
    answering(['127.0.0.1'], ['169.254.169.254']);
    await send(`http://rebound.example:${port}/hook`, true);
    expect(here.received).toHaveLength(1);
    expect(vi.mocked(lookup)).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['this machine', [['127.0.0.1']]],
    ['a public and a private address', [['8.8.8.8', '127.0.0.1']]],
    ['the address of this machine in other clothes', [['::ffff:127.0.0.1']]],
    ['one behind a translator', [['64:ff9b::7f00:1']]],
    ['the metadata of a cloud', [['169.254.169.254']]],
    ['nothing', [[]]],
    ['nobody', [[NOBODY], ['127.0.0.1']]],
  ])('is not sent to a name that answers %s, and nobody is connected to', async (_what, answers) => {
    const here = await receiver();
    const { port } = new URL(here.url);
    answering(...answers);
    await expect(send(`http://rebound.example:${port}/hook`, false)).rejects.toThrow(/not public|no address/);
    expect(here.connections()).toBe(0);
  });

  it('never goes where no setting opens the way, by whatever spelling', async () => {
    for (const host of ['169.254.169.254', '0xa9fea9fe', '2852039166', '[fe80::1]', '[::ffff:a9fe:a9fe]', '0', '[::]'])
      await expect(send(`http://${host}/`, true), host).rejects.toThrow(/not public/);
  });
});

describe('a download', () => {
  const rules = { maxBytes: 1000, timeoutMs: 2000, idleMs: 1000, resolve: resolveName };

  it('asks for the name once for each step, and a later answer does not count', async () => {
    const { port, connections } = await site({ '/a': saying('content') });
    answering(['127.0.0.1'], ['10.0.0.1']);
    const parts: Uint8Array[] = [];
    const sink = async (bytes: Uint8Array) => void parts.push(bytes);
    // Loopback stands for a public address here: what counts is which of the two answers is used.
    const refused = (address: string) => (address === '127.0.0.1' ? undefined : rangeOf(address));
    await fetchTo(new URL(`http://rebound.example:${port}/a`), sink, { ...rules, refused }, signal);
    expect(Buffer.concat(parts).toString()).toBe('content');
    expect([connections(), vi.mocked(lookup).mock.calls.length]).toEqual([1, 1]);
  });

  it('is refused where the name comes to answer with this machine at a redirect', async () => {
    const { port, connections } = await site({
      '/a': (response) => void response.writeHead(302, { location: `http://other.example:${port}/b` }).end(),
      '/b': saying('private'),
    });
    answering(['127.0.0.1'], ['127.0.0.2']);
    const refused = (address: string) => (address === '127.0.0.1' ? undefined : rangeOf(address));
    const going = fetchTo(new URL(`http://rebound.example:${port}/a`), async () => {}, { ...rules, refused }, signal);
    await expect(going).rejects.toThrow(/does not reach: loopback/);
    expect(connections()).toBe(1);
  });
});
