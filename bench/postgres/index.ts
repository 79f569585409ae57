/**
 * The same calls on both engines, by one process and by several: what a database costs one process, and what it gives to many. Run on
 * one machine, where the database takes its share of the same cores.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../test/support/postgres.mjs';
import type { Command } from '../command.ts';
import { below, randomFrom } from '../documents/random.ts';
import { wordOf } from '../documents/texts.ts';
import { type Answer, type Server, withServers } from '../server.ts';

interface Options {
  readonly documents: readonly number[];
  readonly processes: readonly number[];
  readonly seconds: number;
}

interface Figure {
  readonly engine: string;
  readonly documents: number;
  readonly processes: number;
  readonly call: string;
  readonly p50: number;
  readonly p95: number;
  readonly perSecond: number;
}

interface Call {
  readonly method: string;
  readonly params: Record<string, unknown>;
}

type Calls = Readonly<Record<string, (number: number) => Call>>;

const plain = { CAIRN_EMBEDDINGS: 'none', CAIRN_HISTORY: '0', CAIRN_WRITE_COOLDOWN_MS: '0', MCP_ENABLE_MUTATION: '1' };

export async function runPostgresBench(argv: readonly string[]): Promise<void> {
  const options: Options = argv.includes('--quick')
    ? { documents: [1000], processes: [1, 4], seconds: 3 }
    : { documents: [1000, 10_000], processes: [1, 2, 4, 8], seconds: 6 };
  const folder = await mkdtemp(join(tmpdir(), 'cairn-bench-postgres-'));
  const server = await startPostgres({ durable: true });
  const figures: Figure[] = [];
  try {
    for (const documents of options.documents) {
      for (const engine of ['embedded', 'postgres']) {
        const home = join(folder, `${engine}-${documents}`, '.cairn');
        const store = engine === 'postgres' ? { CAIRN_STORE: server.url, CAIRN_CATALOG: `docs-${documents}` } : {};
        const command = {
          argv: [process.execPath, 'dist/cairn.js', 'serve', '--home', home, '--role', 'admin'],
          env: { ...plain, ...store },
          patienceMs: 1_800_000,
        } as const;
        const seconds = await fill(home, documents, command);
        console.log(`${engine}: ${documents} documents indexed in ${seconds.toFixed(1)} s`);
        for (const processes of options.processes)
          figures.push(...(await measure(engine, documents, processes, command, options.seconds)));
      }
    }
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
  print(figures);
}

async function fill(home: string, count: number, command: Command): Promise<number> {
  const project = join(home, '..', 'notes');
  await mkdir(home, { recursive: true });
  await mkdir(project, { recursive: true });
  for (let at = 0; at < count; at++) await writeFile(join(project, `${at}.md`), `# Note ${at}\n\n${words(200, at)}\n`);
  const began = performance.now();
  await withServers([command], async ([server]) => {
    await server?.request('add', { path: project });
    await server?.request('search', { query: 'note', limit: 1 });
  });
  return (performance.now() - began) / 1000;
}

const calls: Calls = {
  get: (number) => ({ method: 'get', params: { name: `notes/${number % 1000}.md`, include_content: true } }),
  search: (number) => ({ method: 'search', params: { query: words(3, number), limit: 10 } }),
  add: (number) => ({
    method: 'add',
    params: { name: `new/${process.pid}-${number}.md`, content: `# New ${number}\n\n${words(50, number)}\n` },
  }),
};

async function measure(
  engine: string,
  documents: number,
  processes: number,
  command: Command,
  seconds: number,
): Promise<Figure[]> {
  return withServers(
    Array.from({ length: processes }, () => command),
    async (servers) => {
      const figures: Figure[] = [];
      let number = processes * 1_000_000 + documents;
      for (const [call, made] of Object.entries(calls)) {
        // Everything that is loaded once.
        for (const server of servers) await ask(server, made(++number));
        const times: number[] = [];
        const until = performance.now() + seconds * 1000;
        await Promise.all(
          servers.map(async (server) => {
            while (performance.now() < until) times.push((await ask(server, made(++number))).ms);
          }),
        );
        times.sort((a, b) => a - b);
        const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
        figures.push({
          engine,
          documents,
          processes,
          call,
          p50: at(0.5),
          p95: at(0.95),
          perSecond: times.length / seconds,
        });
      }
      return figures;
    },
  );
}

async function ask(server: Pick<Server, 'request'>, { method, params }: Call): Promise<Answer> {
  const answer = await server.request(method, params);
  if (answer.text.includes('"error":')) throw new Error(answer.text.slice(0, 300));
  return answer;
}

/** Some words are in many texts and most in few, as in any language. */
function words(count: number, seed: number): string {
  const random = randomFrom(seed);
  return Array.from({ length: count }, () => wordOf(Math.floor(below(random, 5000) * random()))).join(' ');
}

function print(figures: readonly Figure[]): void {
  console.log(
    '\n| documents | call | processes | embedded p50 / p95 ms, calls a second | PostgreSQL |\n|---|---|---|---|---|',
  );
  for (const one of figures.filter(({ engine }) => engine === 'embedded')) {
    const other = figures.find(
      (each) =>
        each.engine === 'postgres' &&
        each.documents === one.documents &&
        each.processes === one.processes &&
        each.call === one.call,
    );
    console.log(`| ${one.documents} | ${one.call} | ${one.processes} | ${cell(one)} | ${other ? cell(other) : ''} |`);
  }
}

function cell({ p50, p95, perSecond }: Figure): string {
  return `${p50.toFixed(1)} / ${p95.toFixed(1)}, ${Math.round(perSecond)}`;
}
