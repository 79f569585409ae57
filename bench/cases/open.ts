/** From the start of the process to the first answer out of the store: a large home, an empty one and a bare server in turns. */
import { bareServer } from '../baselines.ts';
import type { Ask, Command } from '../command.ts';
import { type Case, count, figure } from '../figure.ts';
import { withServers } from '../server.ts';
import { median, ratio, summarize } from '../stats.ts';

const ENTRIES = 20_000;

export const open: Case = async ({ subject, quick, seededHome }) => {
  const empty = await seededHome(0);
  const large = await seededHome(ENTRIES);
  const found = subject.get(large.id);
  const missing = { ...subject.get('nothing'), proof: '' };
  const times = { bare: [] as number[], empty: [] as number[], large: [] as number[] };
  for (let round = -1; round < (quick ? 8 : 40); round++) {
    const bare = await firstAnswer(bareServer, missing);
    const fromEmpty = await firstAnswer(subject.command(empty.path), missing);
    const fromLarge = await firstAnswer(subject.command(large.path), found);
    if (round < 0) continue;
    times.bare.push(bare);
    times.empty.push(fromEmpty);
    times.large.push(fromLarge);
  }
  return [
    figure(`first answer from ${count(ENTRIES)} entries`, 'ms', summarize(times.large), {
      'empty ms': median(times.empty),
      'bare ms': median(times.bare),
    }),
    figure(`${count(ENTRIES)} entries / empty home`, '×', ratio(times.large, times.empty)),
    figure(`${count(ENTRIES)} entries / bare server`, '×', ratio(times.large, times.bare)),
  ];
};

async function firstAnswer(command: Command, ask: Ask): Promise<number> {
  const started = performance.now();
  return withServers([command], async ([server]) => {
    await server?.initialize();
    await server?.call(ask);
    return performance.now() - started;
  });
}
