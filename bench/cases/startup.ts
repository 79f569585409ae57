/** A whole short life: start, open, first answer, end. In CPU, because that is what every window of a client pays. */
import { bareNode } from '../baselines.ts';
import { linesOf, type Message } from '../command.ts';
import { type Case, type Figure, figure } from '../figure.ts';
import { type Finished, runToEnd } from '../run-to-end.ts';
import { median, ratio } from '../stats.ts';

export const startup: Case = async ({ subject, quick, seededHome }) => {
  const { path } = await seededHome(0);
  const command = subject.command(path);
  const openings = Object.entries(subject.openings);
  const pairs = openings.map((): { bare: Finished[]; own: Finished[] } => ({ bare: [], own: [] }));
  for (let round = quick ? -1 : -2; round < (quick ? 8 : 40); round++) {
    for (const [index, [, messages]] of openings.entries()) {
      const bare = await runToEnd(bareNode);
      const own = await runToEnd(command, linesOf(messages));
      requireAnswer(own.output, messages);
      // The first rounds read the files from the disk.
      if (round < 0) continue;
      pairs[index]?.bare.push(bare);
      pairs[index]?.own.push(own);
    }
  }
  return openings.flatMap(([name], index): Figure[] => {
    const { bare, own } = pairs[index] ?? { bare: [], own: [] };
    const cpu = (runs: readonly Finished[]) => runs.map((run) => run.cpuMs);
    const wall = (runs: readonly Finished[]) => median(runs.map((run) => run.wallMs));
    return [
      figure(`${name} / bare node, CPU`, '×', ratio(cpu(own), cpu(bare)), {
        'CPU ms': median(cpu(own)),
        'bare CPU ms': median(cpu(bare)),
        'wall ms': wall(own),
        'bare wall ms': wall(bare),
      }),
    ];
  });
};

function requireAnswer(output: string, messages: readonly Message[]): void {
  const wanted = messages.at(-1)?.id;
  const answered = output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { id?: number; result?: unknown })
    .some(({ id, result }) => id === wanted && result !== undefined);
  if (!answered) throw new Error(`No answer to request ${wanted}; the output was ${output.slice(0, 500)}`);
}
