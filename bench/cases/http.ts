/**
 * Fifty clients at once over HTTP, each with a connection of its own and one call after the other: how long a call takes, and
 * how much of that a bare Node would take for the same answer. Every answer is looked at; one that is wrong ends the run.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';
import type { Ask } from '../command.ts';
import { spawnOptions } from '../command.ts';
import { type Case, type Figure, figure } from '../figure.ts';
import { percentile, summarize } from '../stats.ts';

const ENTRIES = 1_000;
const CLIENTS = 50;

/** Answers everything with what it was asked to say. */
const bareHttp = `require('node:http').createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => { body += chunk; }).on('end', () => {
    JSON.parse(body);
    response.writeHead(200, { 'content-type': 'application/json' }).end(process.argv[1]);
  });
}).listen(0, '127.0.0.1', function () { console.log('MCP http://127.0.0.1:' + this.address().port + '/mcp'); });`;

export const http: Case = async ({ subject, quick, seededHome }) => {
  const home = await seededHome(ENTRIES);
  const asks = [subject.get(home.id), ...subject.reads.map((read) => read(home))];
  const command = subject.command(home.path);
  const [node, ...args] = command.argv;
  const server = spawn(node, [...args, '--http', '127.0.0.1:0'], spawnOptions(command));
  const figures: Figure[] = [];
  try {
    const url = await urlOf(server);
    for (const ask of unique(asks)) figures.push(...(await measured(url, ask, quick ? 20 : 200)));
  } finally {
    await ended(server);
  }
  return figures;
};

function unique(asks: readonly Ask[]): Ask[] {
  return [...new Map(asks.map((ask) => [JSON.stringify([ask.tool, ask.input]), ask])).values()];
}

async function measured(url: string, ask: Ask, calls: number): Promise<Figure[]> {
  const path = `/api/v1/${ask.tool}`;
  await burst(url, path, ask, Math.ceil(calls / 4));
  const own = await burst(url, path, ask, calls);
  const bare = spawn(process.execPath, ['-e', bareHttp, own.answer]);
  try {
    const address = await urlOf(bare);
    await burst(address, path, ask, Math.ceil(calls / 4));
    const floor = await burst(address, path, ask, calls);
    const name = `${ask.label ?? ask.tool}, ${CLIENTS} clients`;
    const details = {
      'p95 ms': percentile(own.ms, 95),
      'calls a second': (calls * CLIENTS) / own.seconds,
      'bare p50 ms': percentile(floor.ms, 50),
      'bare p95 ms': percentile(floor.ms, 95),
    };
    return [figure(name, 'ms', summarize(own.ms), details)];
  } finally {
    await ended(bare);
  }
}

interface Burst {
  readonly ms: readonly number[];
  readonly seconds: number;
  readonly answer: string;
}

async function burst(url: string, path: string, { input, proof }: Ask, calls: number): Promise<Burst> {
  const ms: number[] = [];
  let answer = '';
  const started = performance.now();
  const client = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let call = 0; call < calls; call++) {
      const began = performance.now();
      answer = await post(`${url}${path}`, input, agent);
      ms.push(performance.now() - began);
      if (!answer.includes(proof)) throw new Error(`${path} answered ${answer.slice(0, 300)}`);
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return { ms, seconds: (performance.now() - started) / 1000, answer };
}

function post(url: string, input: object, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const asking = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => (response.statusCode === 200 ? resolve(text) : reject(new Error(text.slice(0, 300)))));
    });
    asking.on('error', reject).end(JSON.stringify(input));
  });
}

async function urlOf(server: ChildProcess): Promise<string> {
  if (server.stdout === null) throw new Error('The server has no stdout');
  for await (const line of createInterface({ input: server.stdout })) {
    const url = /\bMCP\s+(http:\S+)\/mcp/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('The server ended before it said its address');
}

async function ended(server: ChildProcess): Promise<void> {
  const gone = once(server, 'exit');
  server.kill();
  await gone;
}
