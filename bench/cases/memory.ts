/** Memory of a server on a large store: after its start, after the first calls, and whether it grows with many more. */
import { bareServer } from '../baselines.ts';
import type { Ask } from '../command.ts';
import { type Case, count, type Figure } from '../figure.ts';
import { type Server, withServers } from '../server.ts';

const ENTRIES = 20_000;
const FIRST = 1_000;
const LOOKS = 40;

export const memory: Case = async ({ subject, quick, seededHome }) => {
  const home = await seededHome(ENTRIES);
  const total = quick ? 5_000 : 100_000;
  return withServers([bareServer, subject.command(home.path)], async ([bare, server]) => {
    if (bare === undefined || server === undefined) return [];
    for (const each of [bare, server]) await each.initialize();
    const bareMb = bare.memory()?.residentMb;
    const startMb = server.memory()?.residentMb;
    // Not Linux: nothing to read it from.
    if (bareMb === undefined || startMb === undefined) return [];
    return [
      { name: 'after the start', unit: 'MB', value: startMb },
      { name: 'after the start / bare server', unit: '×', value: startMb / bareMb, details: { 'bare MB': bareMb } },
      ...(await memoryOfCalls(
        server,
        subject.reads.map((read) => read(home)),
        total,
      )),
    ];
  });
};

/** After the first calls, after all of them, and whether what was kept grew meanwhile. */
export async function memoryOfCalls(server: Server, asks: readonly Ask[], total: number): Promise<Figure[]> {
  await ask(server, asks, FIRST);
  const firstMb = resident(server);
  const seen: number[] = [];
  for (let look = 0; look < LOOKS; look++) {
    await ask(server, asks, (total - FIRST) / LOOKS);
    seen.push(resident(server));
  }
  const lastMb = seen.at(-1) ?? Number.NaN;
  return [
    { name: `after ${count(FIRST)} calls`, unit: 'MB', value: firstMb },
    {
      name: `after ${count(total)} calls`,
      unit: 'MB',
      value: lastMb,
      details: { 'peak MB': server.memory()?.peakMb ?? Number.NaN },
    },
    { name: `after ${count(total)} calls / after ${count(FIRST)}`, unit: '×', value: lastMb / firstMb },
    {
      name: `floor of the last quarter / of the second, ${count(total)} calls`,
      unit: '×',
      value: floor(seen, 3) / floor(seen, 1),
    },
  ];
}

/** All reads in turn, so that nothing that leaks is left out. */
async function ask(server: Server, asks: readonly Ask[], times: number): Promise<void> {
  for (let number = 0; number < times; number++) {
    const next = asks[number % asks.length];
    if (next !== undefined) await server.call(next);
  }
}

function resident(server: Server): number {
  return server.memory()?.residentMb ?? Number.NaN;
}

/** Between two collections memory rises and falls like a saw; what leaks shows at the bottom of the teeth. */
function floor(seen: readonly number[], quarter: number): number {
  const length = seen.length / 4;
  return Math.min(...seen.slice(quarter * length, (quarter + 1) * length));
}
