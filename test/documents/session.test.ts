/** Sessions: of a connection or by their handle, of their owner alone, and nothing is narrowed unless asked. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openEmbedded } from '../../src/store/embedded/engine.ts';
import { legacy, pinned, Workbench } from '../mcp/workbench.ts';
import { cairn, type HttpServer, type Message, type StdioServer, serveHttp } from '../support/cairn.ts';
import { ask, type Desk, openDesk, pathsOf, session, until } from './desk.ts';

let desk: Desk;
let server: StdioServer;

beforeEach(async () => {
  desk = await openDesk();
  server = desk.start();
});

const add = (of: StdioServer, name: string, more: object = {}) =>
  ask(of, 'add', { name, content: `The content of ${name}`, ...more });

const current = async (of: StdioServer) =>
  (await session(of, 'list')).sessions.filter((each: Message) => each.current).map(({ label }: Message) => label);

describe("the seed's examples", () => {
  it('work as printed, with a real hash', async () => {
    const { hash } = await add(server, 'notes.md');
    const started = await ask(server, 'session', { action: 'start', params: { label: 'feature-review' } });
    expect(started).toEqual({
      session_id: expect.stringMatching(/^ses-[0-9a-f]{32}$/),
      label: 'feature-review',
      created: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(await ask(server, 'session', { action: 'pin', params: { hash } })).toMatchObject({ pinned: 1, pins: 1 });
    expect(await ask(server, 'session', { action: 'unpin', params: { hash } })).toMatchObject({ unpinned: 1, pins: 0 });
    expect(await ask(server, 'session', { action: 'stop' })).toMatchObject({ label: 'feature-review', pins: 0 });
  });

  it('answer as a tool with the hints of the seed', async () => {
    await server.initialize();
    const { tools } = (await server.ask('tools/list')).result;
    expect(tools.find(({ name }: Message) => name === 'session').annotations).toMatchObject({
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
    });
    const { result } = await server.ask('tools/call', { name: 'session', arguments: { action: 'start' } });
    expect(result.structuredContent.session_id).toMatch(/^ses-/);
    // The tool and the raw method are the same connection.
    expect(await session(server, 'stop')).toMatchObject({ session_id: result.structuredContent.session_id });
  });
});

describe('a session of a connection', () => {
  it('is its own, and not that of another connection of the same caller', async () => {
    const other = desk.start();
    await session(server, 'start', { label: 'mine' });
    await expect(session(other, 'stop')).rejects.toMatchObject({
      message: 'There is no session that this could mean',
      data: { suggestion: expect.stringContaining('session_id') },
    });
    await session(other, 'start', { label: 'theirs' });
    expect(await current(server)).toEqual(['mine']);
    expect(await current(other)).toEqual(['theirs']);
    await add(server, 'a.md');
    await add(other, 'b.md');
    const [theirs, mine] = (await session(server, 'list')).sessions;
    expect([mine.documents, theirs.documents]).toEqual([1, 1]);
    expect(await pathsOf(server, { session: mine.session_id })).toEqual(['a.md']);
    expect(await pathsOf(server, { session: theirs.session_id })).toEqual(['b.md']);
  });

  it('narrows nothing unless asked', async () => {
    await add(server, 'before.md');
    const { session_id } = await session(server, 'start');
    await add(server, 'within.md');
    expect(await pathsOf(server)).toEqual(['before.md', 'within.md']);
    expect(await pathsOf(server, { session: session_id })).toEqual(['within.md']);
    await session(server, 'pin', { name: 'before.md' });
    expect(await pathsOf(server, { session: session_id })).toEqual(['before.md', 'within.md']);
    await session(server, 'stop');
    await add(server, 'after.md');
    expect(await pathsOf(server, { session: session_id })).toEqual(['before.md', 'within.md']);
  });

  it('that is started while another runs takes its place, and both can be named', async () => {
    const first = await session(server, 'start', { label: 'first' });
    await session(server, 'start', { label: 'second' });
    await add(server, 'a.md');
    await add(server, 'b.md', { session: first.session_id });
    expect(await pathsOf(server, { session: first.session_id })).toEqual(['b.md']);
    expect(await session(server, 'stop', { session_id: first.session_id })).toMatchObject({ documents: 1 });
    expect(await current(server)).toEqual(['second']);
  });

  it('that somebody else stopped is over, and what is added then belongs to none', async () => {
    const { session_id } = await session(server, 'start');
    await session(desk.start(), 'stop', { session_id });
    await expect(session(server, 'pin', { name: 'x' })).rejects.toThrow('There is no session');
    expect(await add(server, 'a.md')).toMatchObject({ added: 1 });
    await expect(add(server, 'b.md', { session: session_id })).rejects.toThrow('The session was stopped at');
    expect(await pathsOf(server)).toEqual(['a.md']);
    const again = await session(server, 'stop', { session_id });
    expect(again).toMatchObject({ session_id, documents: 0 });
    expect(again.stopped).toBe((await session(server, 'list')).sessions[0].stopped);
  });
});

describe('a pin', () => {
  it('by name follows the document, by hash the content', async () => {
    const { hash } = await add(server, 'docs/a.md');
    await session(server, 'start');
    await session(server, 'pin', { path: 'docs/a.md' });
    await session(server, 'pin', { hash: hash.slice(0, 10) });
    const changed = await ask(server, 'add', { name: 'docs/a.md', content: 'other' });
    const [{ pins, pin_count }] = (await session(server, 'list')).sessions;
    expect(pin_count).toBe(2);
    expect(pins).toEqual(
      expect.arrayContaining([{ hash: changed.hash, path: 'docs/a.md', collection: 'default' }, { hash }]),
    );
  });

  it('names several by pattern or list, each once, and is taken back the same way, also when they are gone', async () => {
    for (const name of ['a.md', 'b.md', 'c.txt']) await add(server, name);
    await add(server, 'a.md', { collection: 'other' });
    await session(server, 'start');
    expect(await session(server, 'pin', { name: '*.md' })).toMatchObject({ pinned: 3, pins: 3 });
    expect(await session(server, 'pin', { names: ['b.md', 'c.txt'] })).toMatchObject({ pinned: 2, pins: 4 });
    await ask(server, 'delete', { name: 'b.md' });
    expect(await session(server, 'unpin', { name: 'b.md' })).toMatchObject({ unpinned: 1, pins: 3 });
    expect(await session(server, 'unpin', { name: '*.md', collection: 'other' })).toMatchObject({ unpinned: 1 });
    expect(await session(server, 'unpin', { name: '*' })).toMatchObject({ unpinned: 2, pins: 0 });
    await expect(session(server, 'pin', { name: 'gone.md' })).rejects.toThrow('No document is gone.md');
    await expect(session(server, 'pin', {})).rejects.toThrow('hash, name, names or path');
  });

  it('keeps a content while its session runs', async () => {
    const kept = await add(server, 'kept.md');
    const lost = await add(server, 'lost.md');
    await session(server, 'start');
    await session(server, 'pin', { hash: kept.hash });
    await ask(server, 'delete', { names: ['kept.md', 'lost.md'] });
    const store = openEmbedded({ home: desk.home });
    onTestFinished(() => store.close());
    const collect = () =>
      store.objects.collect((hash) => store.read(({ documents }) => documents.isNeeded(hash)), {
        now: Date.now() + 7_200_000,
      });
    expect(await collect()).toMatchObject({ contents: 1 });
    expect(await store.objects.size(kept.hash)).toBe(22);
    expect(await store.objects.size(lost.hash)).toBeUndefined();
    await session(server, 'stop');
    expect(await collect()).toMatchObject({ contents: 1 });
    expect(await store.objects.size(kept.hash)).toBeUndefined();
  });
});

describe('a handle', () => {
  it('is of its owner alone: a right guess of somebody else looks like a wrong one', async () => {
    const agent = desk.start('--role', 'agent');
    const { session_id } = await session(agent, 'start', { label: 'mine' });
    await add(agent, 'a.md');
    const named = (id: string) => ({ session_id: id });
    const foreign = [desk.start('--role', 'viewer'), desk.startWith({ MCP_AGENT_ID: 'somebody' })];
    for (const other of foreign) {
      for (const id of [session_id, `ses-${'0'.repeat(32)}`]) {
        const refusal = { code: -32002, message: `There is no session ${id}` };
        await expect(session(other, 'stop', named(id))).rejects.toMatchObject(refusal);
        await expect(session(other, 'pin', { ...named(id), name: 'a.md' })).rejects.toMatchObject(refusal);
        await expect(session(other, 'unpin', { ...named(id), name: 'a.md' })).rejects.toMatchObject(refusal);
        await expect(ask(other, 'list', { session: id })).rejects.toMatchObject(refusal);
      }
      expect((await session(other, 'list')).sessions).toEqual([]);
    }
    await expect(add(foreign[1] ?? server, 'b.md', { session: session_id })).rejects.toThrow('There is no session');
    const admin = desk.start('--role', 'admin');
    expect((await session(admin, 'list')).sessions).toEqual([expect.objectContaining({ session_id, owner: 'agent' })]);
    expect(await session(admin, 'stop', named(session_id))).toMatchObject({ label: 'mine' });
  });

  it('is no secret that the audit trail gives away', async () => {
    const { session_id } = await session(server, 'start');
    const admin = desk.start('--role', 'admin');
    const trail = JSON.stringify(await ask(admin, 'get_audit_logs', { limit: 50 }));
    expect(trail).toContain('session_start');
    expect(trail).not.toContain(session_id);
  });

  it('is what a command goes by', async () => {
    const run = async (...args: string[]) => {
      const { stdout, stderr, code } = await cairn([...args, '--home', desk.home]);
      expect([stderr, code]).toEqual(['', 0]);
      return JSON.parse(stdout);
    };
    const { session_id } = await run('session', 'start', '--label', 'by hand');
    await desk.put('docs/a.md', 'a');
    const watched = await run('session', 'watch', '--session-id', session_id, '--path', join(desk.project, 'docs'));
    expect(watched).toMatchObject({ watches: [{ files: 1, taken: 1 }], note: expect.stringContaining('cairn serve') });
    expect(await run('session', 'stop', '--session-id', session_id)).toMatchObject({ documents: 1, watches: 0 });
    const refused = await cairn(['call', 'session_stop', '{}', '--home', desk.home]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('give the session_id') });
  });
});

describe('over HTTP', () => {
  let http: HttpServer;
  let bench: Workbench;

  beforeEach(async () => {
    http = await serveHttp(['--home', desk.home]);
    bench = await Workbench.open();
    onTestFinished(() => bench.end());
  });

  async function client(dialect: typeof legacy) {
    const connection = await bench.http(`${http.url}/mcp`, dialect);
    return {
      ...connection,
      async call(name: string, args: Record<string, unknown>): Promise<Message> {
        const { structuredContent, isError } = (await connection.client.callTool({ name, arguments: args })) as Message;
        return isError ? { refused: structuredContent.error.message } : structuredContent;
      },
    };
  }

  it('without a state a session is what its handle names, and nothing is remembered', async () => {
    const { call } = await client(pinned);
    await add(server, 'a.md');
    const { session_id } = await call('session', { action: 'start', params: { label: 'stateless' } });
    expect(await call('session', { action: 'stop' })).toEqual({ refused: 'There is no session that this could mean' });
    expect(await call('session', { action: 'pin', params: { session_id, name: 'a.md' } })).toMatchObject({ pins: 1 });
    const operations = [{ op: 'add', params: { name: 'b.md', content: 'b', session: session_id } }];
    expect(await call('execute', { operations })).toMatchObject({ failed: 0 });
    const steps = [{ op: 'list', params: { session: session_id, paths_only: true } }];
    expect(await call('query', { steps })).toMatchObject({ paths: ['a.md', 'b.md'] });
    await mkdir(join(desk.project, 'tree'));
    await call('session', { action: 'watch', params: { session_id, path: 'tree' } });
    await desk.put('tree/c.md', 'c');
    await until(
      () => pathsOf(server),
      (paths) => paths.includes('tree/c.md'),
    );
    expect(await call('session', { action: 'stop', params: { session_id } })).toMatchObject({
      documents: 2,
      pins: 1,
      watches: 1,
    });
  });

  it('an older client with a session of the protocol has one of its own, and its watches end with it', async () => {
    const one = await client(legacy);
    const other = await client(legacy);
    await mkdir(join(desk.project, 'tree'));
    const { session_id } = await one.call('session', { action: 'start', params: { label: 'one' } });
    expect(await other.call('session', { action: 'stop' })).toHaveProperty('refused');
    await one.call('session', { action: 'watch', params: { path: 'tree' } });
    await desk.put('tree/a.md', 'a');
    await until(
      () => pathsOf(server, { session: session_id }),
      (paths) => paths.includes('tree/a.md'),
    );
    const watches = async () => (await other.call('session', { action: 'list' })).sessions[0].watches;
    expect(await watches()).toEqual([expect.objectContaining({ state: 'watching' })]);
    await (one.transport as unknown as { terminateSession(): Promise<void> }).terminateSession();
    await until(watches, ([watch]) => watch.state === 'ended' && watch.reason === 'the connection ended');
    // The session itself is there for whoever has its handle.
    expect(await other.call('session', { action: 'stop', params: { session_id } })).toMatchObject({ label: 'one' });
  });

  it('an id in the arguments or a made-up header is no connection', async () => {
    const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
    const post = async (args: object, more: Record<string, string> = {}) => {
      const params = { name: 'session', arguments: args };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      const response = await fetch(`${http.url}/mcp`, { method: 'POST', headers: { ...headers, ...more }, body });
      return { status: response.status, text: await response.text() };
    };
    expect((await post({ action: 'start' }, { 'mcp-session-id': 'made-up' })).status).toBe(404);
    expect((await post({ action: 'start', connection: 'x' })).text).toContain('connection');
    expect((await post({ action: 'start' })).text).toContain('ses-');
    expect((await post({ action: 'stop' })).text).toContain('There is no session that this could mean');
  });
});

describe('what is wrong with a call', () => {
  it('is said as for any operation', async () => {
    await expect(session(server, 'begin')).rejects.toMatchObject({ code: -32601, data: { action: 'begin' } });
    await expect(session(server, 'strat')).rejects.toMatchObject({ data: { nearest: ['start'] } });
    await expect(session(server, 'start', { labl: 'x' })).rejects.toMatchObject({
      code: -32602,
      data: { method: 'session_start', errors: [{ keyword: 'additionalProperties' }] },
    });
    await expect(ask(server, 'session', {})).rejects.toMatchObject({ code: -32602, data: { method: 'session' } });
    await expect(session(server, 'pin', { hash: 'short' })).rejects.toMatchObject({
      code: -32602,
      data: { errors: [{ instancePath: '/hash', keyword: 'pattern' }] },
    });
    const nested = { steps: [{ op: 'session', params: { action: 'list' } }] };
    await expect(ask(server, 'query', nested)).rejects.toMatchObject({ code: -32602 });
  });

  it('a read-only server lists sessions and starts none', async () => {
    await session(server, 'start', { label: 'seen' });
    const readOnly = desk.start('--read-only');
    expect((await session(readOnly, 'list')).sessions).toEqual([expect.objectContaining({ label: 'seen' })]);
    for (const action of ['start', 'stop', 'pin', 'unpin', 'watch'])
      await expect(session(readOnly, action)).rejects.toMatchObject({ code: -32000 });
  });

  it('a viewer keeps sessions of its own', async () => {
    await add(server, 'a.md');
    const viewer = desk.start('--role', 'viewer');
    await session(viewer, 'start');
    expect(await session(viewer, 'pin', { name: 'a.md' })).toMatchObject({ pins: 1 });
    expect(await session(viewer, 'stop')).toMatchObject({ pins: 1 });
  });
});
