/**
 * Reads over stdio at growing store sizes. One server for each size and a bare one take turns, a short batch each, so that
 * a busy moment hits all of them; flatness is the largest size over the smallest of the same round.
 */
import { bareServer } from '../baselines.ts';
import type { Ask } from '../command.ts';
import { type Case, count, type Figure, figure, type SeededHome } from '../figure.ts';
import { type Server, withServers } from '../server.ts';
import { median, percentile, ratio, summarize } from '../stats.ts';

const SIZES = [100, 1_000, 5_000, 20_000];
const BATCH = 10;
const WARM_UP = 100;

export const calls: Case = async ({ subject, quick, seededHome }) => {
  const homes: SeededHome[] = [];
  const chosen = quick ? subject.sizes?.quick : subject.sizes?.full;
  for (const size of chosen ?? SIZES) homes.push(await seededHome(size));
  const commands = [bareServer, ...homes.map(({ path }) => subject.command(path))];
  return withServers(commands, async (servers) => {
    for (const server of servers) await server.initialize();
    const figures: Figure[] = [];
    for (const read of subject.reads) {
      // The bare server is asked the same and knows nothing, so it cannot prove anything.
      const blank = { ...read({ entries: 0, id: 'nothing' }), proof: '' };
      const asks = [blank, ...homes.map(read)];
      const rows = servers.map((server, index) => ({ server, ask: asks[index] ?? blank, batches: [] as Batch[] }));
      const sizes = homes.map(({ entries }) => entries);
      figures.push(...(await measure(rows, sizes, quick ? 12 : 60)));
    }
    return figures;
  });
};

interface Batch {
  readonly latencies: readonly number[];
  readonly cpuMs: number;
}

interface Row {
  readonly server: Server;
  readonly ask: Ask;
  readonly batches: Batch[];
}

async function measure(rows: readonly Row[], entries: readonly number[], rounds: number): Promise<Figure[]> {
  // The first calls compile code; nobody notices them in a server that lives for a day.
  for (const { server, ask } of rows) for (let repeat = 0; repeat < WARM_UP; repeat++) await server.call(ask);
  for (let round = 0; round < rounds; round++) {
    for (const { server, ask, batches } of rows) batches.push(await batch(server, ask));
  }
  const [bare = [], ...sizes] = rows.map(({ batches }) => batches);
  const ask = rows[0]?.ask;
  const name = ask?.label ?? ask?.tool;
  const smallest = medians(sizes[0]);
  const largest = medians(sizes.at(-1));
  return [
    ...sizes.map((batches, index) => latency(`${name} at ${count(entries[index] ?? 0)}`, batches)),
    figure(`${name} ${count(entries.at(-1) ?? 0)} / ${count(entries[0] ?? 0)}`, '×', ratio(largest, smallest)),
    figure(`${name} / bare round trip`, '×', ratio(largest, medians(bare)), { 'bare p50 ms': median(medians(bare)) }),
  ];
}

async function batch(server: Server, ask: Ask): Promise<Batch> {
  const latencies: number[] = [];
  const before = server.cpuMs() ?? Number.NaN;
  for (let repeat = 0; repeat < BATCH; repeat++) latencies.push(await server.call(ask));
  return { latencies, cpuMs: ((server.cpuMs() ?? Number.NaN) - before) / BATCH };
}

function latency(name: string, rounds: readonly Batch[]): Figure {
  const all = rounds.flatMap((round) => round.latencies);
  return figure(name, 'ms', summarize(all), {
    'p95 ms': percentile(all, 95),
    'CPU ms': median(rounds.map((round) => round.cpuMs)),
  });
}

function medians(rounds: readonly Batch[] = []): number[] {
  return rounds.map((round) => median(round.latencies));
}
