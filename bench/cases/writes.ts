/** One durable entry against one durable file, in turns on the same disk, in a small store and in a large one. */
import { dirname } from 'node:path';
import { atomicWrite } from '../baselines.ts';
import { type Case, count, figure } from '../figure.ts';
import { withServers } from '../server.ts';
import { median, percentile, ratio } from '../stats.ts';

const SMALL = 100;
const LARGE = 20_000;
const WARM_UP = 5;

export const writes: Case = async ({ subject, quick, seededHome }) => {
  const homes = [await seededHome(SMALL), await seededHome(LARGE)];
  return withServers(
    homes.map(({ path }) => subject.command(path)),
    async (servers) => {
      for (const server of servers) await server.initialize();
      const rows = servers.map((server) => ({ server, files: [] as number[], entries: [] as number[] }));
      for (let round = -WARM_UP; round < (quick ? 60 : 400); round++) {
        const ask = subject.write(LARGE + round);
        for (const { server, files, entries } of rows) {
          const file = await atomicWrite(dirname(homes[0]?.path ?? ''), JSON.stringify(ask.input));
          const entry = await server.call(ask);
          if (round < 0) continue;
          files.push(file);
          entries.push(entry);
        }
      }
      const [small, large] = rows;
      if (small === undefined || large === undefined) return [];
      return [
        ...[small, large].map(({ files, entries }, index) =>
          figure(`write at ${count(index === 0 ? SMALL : LARGE)} / atomic file write`, '×', ratio(entries, files), {
            'p50 ms': median(entries),
            'p95 ms': percentile(entries, 95),
            'file p50 ms': median(files),
          }),
        ),
        figure(`write ${count(LARGE)} / ${count(SMALL)}`, '×', ratio(large.entries, small.entries)),
      ];
    },
  );
};
