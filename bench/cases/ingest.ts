/**
 * A real source tree taken in by a server, for the first time and again as it is. The least that the first costs is to read
 * and hash every file, the least that the second costs is to look at every file; both are done beside it by plain Node.
 */
import { rm } from 'node:fs/promises';
import { type Effort, hashAll, lookAtAll } from '../baselines.ts';
import { patient, type TakenIn, takeIn } from '../documents/client.ts';
import { copyModules, type Tree } from '../documents/tree.ts';
import { type Case, type Figure, figure } from '../figure.ts';
import { withServers } from '../server.ts';
import { median, ratio, summarize } from '../stats.ts';

const MB = 1e6;

export const ingest: Case = async ({ subject, quick, seededHome, newPath }) => {
  const tree = await copyModules(newPath('tree'));
  const first = { own: [] as TakenIn[], least: [] as Effort[] };
  const again = { own: [] as TakenIn[], least: [] as Effort[] };
  for (let run = 0; run < (quick ? 1 : 3); run++) {
    const { path } = await seededHome(0);
    await withServers([patient(subject, path)], async ([server]) => {
      if (server === undefined) return;
      await server.initialize();
      first.least.push(await hashAll(tree.folder));
      first.own.push(await takeIn(server, tree.folder, tree.files));
      for (let look = 0; look < (quick ? 3 : 5); look++) {
        again.least.push(await lookAtAll(tree.folder));
        again.own.push(await takeIn(server, tree.folder, tree.files));
      }
    });
    await rm(path, { recursive: true, force: true });
  }
  return [
    { name: 'tree', unit: 'MB', value: tree.bytes / MB, details: sizes(tree) },
    figure('first time, its text', 'MB/s', speedOf(first.own, tree.textBytes)),
    ...figures('first time', first, tree, 'read and hash by Node'),
    ...figures('unchanged', again, tree, 'look at by Node'),
  ];
};

function sizes({ files, textFiles, textBytes }: Tree) {
  return { files, 'text files': textFiles, 'text MB': textBytes / MB };
}

interface Pairs {
  readonly own: readonly TakenIn[];
  readonly least: readonly Effort[];
}

function figures(name: string, { own, least }: Pairs, tree: Tree, baseline: string): Figure[] {
  const wall = (of: readonly Effort[]) => of.map(({ wallMs }) => wallMs);
  const cpu = (of: readonly Effort[]) => of.map(({ cpuMs }) => cpuMs);
  return [
    figure(`${name}, all bytes`, 'MB/s', speedOf(own, tree.bytes), {
      'wall ms': median(wall(own)),
      'CPU ms': median(cpu(own)),
    }),
    figure(`${name} / ${baseline}`, '×', ratio(wall(own), wall(least)), { 'Node ms': median(wall(least)) }),
    figure(`${name} / ${baseline}, CPU`, '×', ratio(cpu(own), cpu(least)), { 'Node CPU ms': median(cpu(least)) }),
  ];
}

/** All of the time counts, whatever part of it the bytes that are asked about took. */
function speedOf(taken: readonly Effort[], bytes: number) {
  return summarize(taken.map(({ wallMs }) => bytes / MB / (wallMs / 1000)));
}
