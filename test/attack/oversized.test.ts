/** Everything too large, at every operation: refused, or done, in time, and the memory is given back. */
import { describe, expect, it } from 'vitest';
import type { Message, StdioServer } from '../support/cairn.ts';
import { entries, memoryOf, openArena, refusalOf, slotsOf } from './arena.ts';

const LONG = 'x'.repeat(9_000_000);
const MANY = Array.from({ length: 100_000 }, () => 'y');
const PATIENCE_MS = 15_000;

/** What may take as much as a frame holds: its own limits are told in its schema. */
async function within(server: StdioServer, name: string, input: unknown): Promise<Message> {
  const started = performance.now();
  const answer = await server.ask(name, input);
  expect(performance.now() - started, `${name} took too long`).toBeLessThan(PATIENCE_MS);
  return answer;
}

/** As text: JSON.stringify itself gives up on such a value. */
function nested(levels: number, open: string, close: string): string {
  return open.repeat(levels) + close.repeat(levels);
}

describe('arguments without measure', () => {
  it('are refused by every operation: 9 MB of text, 100,000 items, 10,000 levels', async () => {
    const { server } = await openArena();
    await server.ask('feedback_submit', { type: 'other', severity: 'low', title: 'a', description: 'a home' });
    const before = await memoryOf(server.pid);
    for (const { name, inputSchema } of entries) {
      // A real field of the wrong size; where there is none, one that nobody knows.
      const [text] = slotsOf(inputSchema, 'string');
      const [list] = slotsOf(inputSchema, 'array');
      const long = await within(server, name, text?.put({}, LONG) ?? { surplus: LONG });
      expect(refusalOf(long), `${name} ${JSON.stringify(long).slice(0, 200)}`).toBeDefined();
      expect(JSON.stringify(long).length, name).toBeLessThan(100_000);
      if (list === undefined) continue;
      const many = await within(server, name, list.put({}, MANY));
      expect(JSON.stringify(many).length, `${name} ${list.path}`).toBeLessThan(1_000_000);
    }
    const after = await memoryOf(server.pid);
    if (before !== undefined && after !== undefined) expect((after - before) / 1024).toBeLessThan(500);
  });

  it('nested 10,000 levels deep reach no operation, in objects and in lists, beside the arguments and inside of them', async () => {
    const { server } = await openArena();
    const deep = [nested(10_000, '{"a":', '}').replace('"a":}', '"a":1}'), nested(10_000, '[', ']')];
    let id = 0;
    for (const { name, inputSchema } of entries) {
      const [slot] = slotsOf(inputSchema, 'object').filter(({ path }) => path !== '$');
      const place = slot?.path.slice(2).split(/[.[]/)[0] ?? 'surplus';
      for (const value of deep)
        server.write(`{"jsonrpc":"2.0","id":${++id},"method":"${name}","params":{"${place}":${value}}}`);
    }
    const { result } = await server.ask('mcp_echo', { message: 'still here' });
    expect(result).toEqual({ message: 'still here' });
    await expect.poll(() => server.unasked.length, { timeout: 20_000 }).toBe(id);
    for (const answer of server.unasked)
      expect(answer.error?.message, JSON.stringify(answer)).toContain('nested deeper');
  });

  it('as the names of fields are refused without being repeated', async () => {
    const { server } = await openArena();
    const names = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`n${at}`, 1]));
    for (const input of [{ [LONG]: 1 }, names]) {
      for (const name of ['instructions_add', 'record_decision', 'search', 'instructions_dispatch', 'query']) {
        const answer = await within(server, name, input);
        expect(refusalOf(answer), name).toBeDefined();
        expect(JSON.stringify(answer).length, name).toBeLessThan(100_000);
      }
    }
  });

  it('as names of methods, tools, prompts and resources are refused without being repeated', async () => {
    const { server } = await openArena();
    await server.initialize();
    for (const [method, params] of [
      [LONG, {}],
      ['tools/call', { name: LONG, arguments: {} }],
      ['prompts/get', { name: LONG }],
      ['resources/read', { uri: LONG }],
      ['query', { steps: [{ op: 'y'.repeat(90) }] }],
      ['instructions_dispatch', { action: LONG }],
    ] as const) {
      const answer = await within(server, method, params);
      expect(refusalOf(answer), method.slice(0, 40)).toBeDefined();
      expect(JSON.stringify(answer).length, method.slice(0, 40)).toBeLessThan(100_000);
    }
  });

  it('do not add up: twenty calls of 9 MB leave the memory as one does', async () => {
    const { server } = await openArena();
    const call = () => server.ask('mcp_echo', { message: LONG });
    for (let round = 0; round < 5; round++) await call();
    const before = await memoryOf(server.pid);
    for (let round = 0; round < 20; round++) await call();
    const after = await memoryOf(server.pid);
    if (before !== undefined && after !== undefined) expect((after - before) / 1024).toBeLessThan(250);
  });
});
