/**
 * Every line that matches a pattern in many texts, counted by the server and by ripgrep on the same files in turns, its start
 * included. Both must count the same. The first question of a server is apart: it makes the copies that later ones read.
 */
import { spawnSync } from 'node:child_process';
import type { Command } from '../command.ts';
import { answerOf, numberIn, patient, takeIn } from '../documents/client.ts';
import { textsOfModules } from '../documents/tree.ts';
import { type Case, type Figure, figure } from '../figure.ts';
import { runToEnd } from '../run-to-end.ts';
import { type Server, withServers } from '../server.ts';
import { median, ratio } from '../stats.ts';

const BYTES = 150e6;
const QUICK_BYTES = 40e6;
const NEEDLE = 'nowhereElseToBeFound';

interface Question {
  readonly pattern: string;
  readonly ignore_case?: boolean;
  readonly word?: boolean;
  readonly invert?: boolean;
  readonly files_with_matches?: boolean;
}

const questions: Readonly<Record<string, Question>> = {
  'rare literal': { pattern: NEEDLE },
  'common literal': { pattern: 'function' },
  'common literal in any case': { pattern: 'function', ignore_case: true },
  'common word': { pattern: 'function', word: true },
  alternatives: { pattern: 'TODO|FIXME|deprecated' },
  'regex with a rare literal': { pattern: `${NEEDLE}[0-9]+` },
  'regex with a common literal': { pattern: '[a-z]+Error' },
  'regex with two literals': { pattern: 'export function [a-z]+Error' },
  'regex of no letters': { pattern: '[0-9]{3}-[0-9]{4}' },
  'files with a common literal': { pattern: 'function', files_with_matches: true },
  'lines without a common literal': { pattern: 'function', invert: true },
};

export const grep: Case = async ({ subject, quick, seededHome, newPath }) => {
  const program = await ripgrepHere();
  if (program === undefined) return [];
  const tree = await textsOfModules(newPath('texts'), quick ? QUICK_BYTES : BYTES, NEEDLE);
  const { path } = await seededHome(0);
  return withServers([patient(subject, path)], async ([server]) => {
    if (server === undefined) return [];
    await server.initialize();
    const taken = await takeIn(server, tree.folder, tree.files);
    const figures: Figure[] = [
      {
        name: 'text taken in',
        unit: 'MB/s',
        value: tree.bytes / 1e6 / (taken.wallMs / 1000),
        details: { MB: tree.bytes / 1e6, files: tree.files, 'wall ms': taken.wallMs, 'CPU ms': taken.cpuMs },
      },
    ];
    for (const [name, question] of Object.entries(questions)) {
      figures.push(await compare(server, program, { name, question, folder: tree.folder, rounds: quick ? 5 : 15 }));
    }
    return figures;
  });
};

/** As the machine has it, or as npm installed it. */
async function ripgrepHere(): Promise<string | undefined> {
  if (spawnSync('rg', ['--version']).status === 0) return 'rg';
  return import('@vscode/ripgrep').then(({ rgPath }) => rgPath).catch(() => undefined);
}

/** Nothing left out; the output is one number a line, or one path. */
function ripgrep(
  program: string,
  { pattern, ignore_case, word, invert, files_with_matches }: Question,
  folder: string,
): Command {
  const flags = [
    ...(ignore_case ? ['--ignore-case'] : []),
    ...(word ? ['--word-regexp'] : []),
    ...(invert ? ['--invert-match'] : []),
    ...(files_with_matches ? ['--files-with-matches'] : ['--count', '--no-filename']),
  ];
  return { argv: [program, '--no-config', '-uuu', '--text', ...flags, '-e', pattern, folder] };
}

interface Comparison {
  readonly name: string;
  readonly question: Question;
  readonly folder: string;
  readonly rounds: number;
}

async function compare(
  server: Server,
  program: string,
  { name, question, folder, rounds }: Comparison,
): Promise<Figure> {
  const times = { own: [] as number[], tool: [] as number[], ownCpu: [] as number[], toolCpu: [] as number[] };
  let [found, searched, firstMs] = [0, 0, 0];
  // The first round reads files and compiles code.
  for (let round = -1; round < rounds; round++) {
    const { output, wallMs, cpuMs } = await runToEnd(ripgrep(program, question, folder));
    const before = server.cpuMs() ?? Number.NaN;
    const started = performance.now();
    const own = await countBy(server, question);
    const ownMs = performance.now() - started;
    const lines = output.split('\n').filter((line) => line !== '');
    found = question.files_with_matches ? lines.length : lines.reduce((sum, line) => sum + Number(line), 0);
    searched = own.searched;
    if (own.found !== found) throw new Error(`${name}: ${own.found} instead of the ${found} of ripgrep`);
    if (round < 0) {
      firstMs = ownMs;
      continue;
    }
    times.own.push(ownMs);
    times.tool.push(wallMs);
    times.ownCpu.push((server.cpuMs() ?? Number.NaN) - before);
    times.toolCpu.push(cpuMs);
  }
  return figure(`${name} / ripgrep`, '×', ratio(times.own, times.tool), {
    ms: median(times.own),
    'ripgrep ms': median(times.tool),
    'CPU ms': median(times.ownCpu),
    'ripgrep CPU ms': median(times.toolCpu),
    'first ms': firstMs,
    found,
    'files searched': searched,
  });
}

async function countBy(server: Server, question: Question): Promise<{ found: number; searched: number }> {
  const sum = { found: 0, searched: 0 };
  const how = question.files_with_matches ? {} : { count: true };
  let cursor: unknown;
  do {
    const next = cursor === undefined ? {} : { cursor };
    const answer = await answerOf(server, 'grep', { ...question, ...how, limit: 10_000, ...next });
    if (answer.left_out !== undefined) throw new Error(`grep left out ${JSON.stringify(answer.left_out)}`);
    sum.found += numberIn(answer, question.files_with_matches ? 'files_matched' : 'total');
    sum.searched += numberIn(answer, 'files_searched');
    cursor = answer.next_cursor;
  } while (cursor !== undefined);
  return sum;
}
