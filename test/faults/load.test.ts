/**
 * Very many calls, of one client and of fifty: every answer is the right one, and what the server holds afterwards is what it
 * held after the first of them: memory, handles, threads, child processes.
 */
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Message, serveHttp, serveStdio } from '../support/cairn.ts';
import { freshFolder } from '../support/home.ts';
import { recordFigures } from './figures.ts';
import { type Asked, beginnings, mixed } from './mix.ts';
import { canLook, type Holdings, holdingsOf, MemoryWatch, settled } from './process.ts';

const long = process.env.CAIRN_TEST_FULL !== undefined;
const CALLS = long ? 100_000 : 3000;
const CLIENTS = 50;
/** Enough of them that every kind of call has been made often, and every thread and file is open. */
const WARM_UP = 600;
/** What the engine may keep or not as it likes. A leak of 1 kB a call is 100 MB in the long profile. */
const MOST_GROWTH_MB = 48;
/** Files that the store has open at one moment and not at another. */
const SPARE_HANDLES = 8;

/** The history of the files is kept by git, in processes of its own, which the short profile has no time for. */
const env = {
  CAIRN_EMBEDDINGS: 'none',
  CAIRN_WRITE_COOLDOWN_MS: '0',
  MCP_ENABLE_MUTATION: '1',
  ...(!long && { CAIRN_HISTORY: '0' }),
};
const patience = { timeout: long ? 3_600_000 : 120_000 };

type Call = (asked: Asked, number: number) => Promise<Message>;

/** So many at a time, each right or the test fails. Gives the milliseconds of each. */
async function inTurns(from: number, count: number, atATime: number, call: Call): Promise<number[]> {
  const took: number[] = [];
  let next = from;
  const one = async () => {
    while (next < from + count) {
      const number = next++;
      const asked = mixed(number);
      const start = performance.now();
      const result = await call(asked, number);
      took.push(performance.now() - start);
      if (!asked.right(result))
        throw new Error(`${number} ${asked.operation}: ${JSON.stringify(result).slice(0, 500)}`);
    }
  };
  await Promise.all(Array.from({ length: atATime }, one));
  return took;
}

interface Load {
  readonly name: string;
  readonly how: string;
  readonly pid: number;
  readonly atATime: number;
  readonly call: Call;
  /** The clients go. */
  leave?(): void;
}

async function carry({ name, how, pid, atATime, call, leave }: Load): Promise<void> {
  for (const [number, asked] of beginnings().entries()) expect(asked.right(await call(asked, number))).toBe(true);
  await inTurns(0, WARM_UP, atATime, call);
  leave?.();
  const before = canLook ? await calm(pid) : undefined;
  const watch = canLook ? new MemoryWatch(pid) : undefined;
  const start = performance.now();
  const took = await inTurns(WARM_UP, CALLS, atATime, call);
  const seconds = (performance.now() - start) / 1000;
  expect(took).toHaveLength(CALLS);
  if (before === undefined || watch === undefined) return;
  const memory = watch.end();
  leave?.();
  const after = await settled(pid, before, SPARE_HANDLES);
  expect(after.handles, 'handles').toBeLessThanOrEqual(before.handles + SPARE_HANDLES);
  expect(after.threads, 'threads').toBeLessThanOrEqual(before.threads);
  expect(after.children, 'children').toBeLessThanOrEqual(before.children);
  expect(memory.late - memory.early, JSON.stringify(memory)).toBeLessThan(MOST_GROWTH_MB);
  const sorted = took.sort((a, b) => a - b);
  const at = (share: number) => `${(sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1)} ms`;
  const figures = {
    calls: CALLS,
    'calls a second': Math.round(CALLS / seconds),
    'of a call, with all the others': `p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}`,
    'MB in the second quarter and in the last': `${memory.early.toFixed(0)} and ${memory.late.toFixed(0)}`,
    'handles before and after': `${before.handles} and ${after.handles}`,
    'threads before and after': `${before.threads} and ${after.threads}`,
    'child processes before and after': `${before.children} and ${after.children}`,
  };
  recordFigures('load', [{ what: name, how, profile: long ? 'long' : 'short', figures }]);
}

/** Once the clients that left are noticed: two looks with the same handles. */
async function calm(pid: number): Promise<Holdings> {
  let last = holdingsOf(pid);
  await expect
    .poll(
      () => {
        const now = holdingsOf(pid);
        const same = now.handles === last.handles && now.children === last.children;
        last = now;
        return same;
      },
      { timeout: 10_000, interval: 300 },
    )
    .toBe(true);
  return last;
}

it(`answers ${CALLS} calls of one stdio connection and holds no more than before`, patience, async () => {
  const server = serveStdio(['--home', join(await freshFolder(), 'home')], env);
  await server.initialize();
  await carry({
    name: 'one busy client',
    how: 'mixed reads and writes on one stdio connection, 16 at a time, in turns as MCP and as JSON-RPC',
    pid: server.pid,
    atATime: 16,
    async call({ operation, input }, number) {
      const asTool = number % 3 === 0;
      const { result, error } = asTool
        ? await server.ask('tools/call', { name: operation, arguments: input })
        : await server.ask(operation, input);
      if (error !== undefined) throw new Error(`${operation}: ${JSON.stringify(error)}`);
      return asTool ? result.structuredContent : result;
    },
  });
  expect(server.unasked.filter(({ method }) => method !== 'server/ready')).toEqual([]);
});

it(`answers ${CALLS} calls of ${CLIENTS} HTTP clients and holds no more than before`, patience, async () => {
  const { url, pid } = await serveHttp(['--home', join(await freshFolder(), 'home')], env);
  let agents: Agent[] = [];
  const call: Call = async ({ operation, input }, number) => {
    agents[number % CLIENTS] ??= new Agent({ keepAlive: true, maxSockets: 2 });
    const agent = agents[number % CLIENTS];
    if (number % 3 !== 0) return post(agent, `${url}/api/v1/${operation}`, input);
    const params = { name: operation, arguments: input };
    const message = await post(agent, `${url}/mcp`, { jsonrpc: '2.0', id: number, method: 'tools/call', params });
    expect(message.id).toBe(number);
    return message.result.structuredContent;
  };
  const leave = () => {
    for (const agent of agents) agent.destroy();
    agents = [];
  };
  const how = 'mixed reads and writes, each client with connections of its own, in turns as MCP and as REST';
  await carry({ name: 'fifty busy HTTP clients', how, pid, atATime: CLIENTS, call, leave });
});

function post(agent: Agent | undefined, url: string, body: unknown): Promise<Message> {
  const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', ...(agent && { agent }), headers }, async (response) => {
      let text = '';
      for await (const part of response.setEncoding('utf8')) text += part;
      if (response.statusCode !== 200) reject(new Error(`${url}: ${response.statusCode} ${text.slice(0, 500)}`));
      else resolve(JSON.parse(/^data: (.+)$/m.exec(text)?.[1] ?? text) as Message);
    });
    sent.on('error', reject).end(JSON.stringify(body));
  });
}
