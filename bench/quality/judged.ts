/** One judged set from its texts to its table: the floor, and every question asked of the server in each type. */
import { withServers } from '../server.ts';
import { hasVectors, ranking, type SearchType, types, untilReady } from './ask.ts';
import { floorOf } from './floor.ts';
import { homeOf, idOf, type Layout, quality } from './home.ts';
import { scoresOf } from './metrics.ts';
import { type Line, lineOf, type Run } from './report.ts';
import { readSet, type SetName } from './sets.ts';

export interface Choice {
  readonly types: readonly SearchType[];
  readonly layout: Layout;
  readonly mostQueries: number;
  readonly depth: number;
  readonly fresh: boolean;
  readonly say: (line: string) => void;
}

export interface Judged {
  readonly set: SetName;
  readonly queries: number;
  readonly runs: readonly Run[];
  readonly lines: readonly Line[];
  /** When the texts were taken in. */
  readonly made: string;
}

export async function judge(name: SetName, choice: Choice): Promise<Judged> {
  const { layout, depth, say } = choice;
  const set = readSet(name, choice.mostQueries);
  const floor: Run = {
    name: 'floor',
    ms: [],
    scores: floorOf(set, depth).map((found, at) => scoresOf(found, set.queries[at]?.judged ?? new Map())),
  };
  const started = performance.now();
  const home = await homeOf(set, layout, choice.fresh);
  if (!home.kept)
    say(`${name}: ${set.texts.length} texts taken in, in ${((performance.now() - started) / 1000).toFixed(0)} s`);
  const runs = await withServers([quality(home.path)], async ([server]) => {
    if (server === undefined) return [];
    await server.initialize();
    const vectors = choice.types.some((type) => type !== 'keyword') && (await hasVectors(server));
    say(`${name}: indexes ready after ${(await untilReady(server, vectors)).toFixed(0)} s`);
    const asked: Run[] = [];
    for (const type of types.filter((each) => choice.types.includes(each))) {
      if (type !== 'keyword' && !vectors) {
        say(`${name}: this server has no vectors, so ${type} is left out`);
        continue;
      }
      const found = [];
      for (const { text } of set.queries) found.push(await ranking(server, text, type, depth));
      asked.push({
        name: type,
        ms: found.map(({ ms }) => ms),
        scores: found.map(({ paths }, at) =>
          scoresOf([...new Set(paths.map(idOf))], set.queries[at]?.judged ?? new Map()),
        ),
      });
    }
    return asked;
  });
  const all = [floor, ...runs];
  const lines = [lineOf(floor), ...runs.map((run) => lineOf(run, floor))];
  return { set: name, queries: set.queries.length, runs: all, lines, made: home.made };
}
