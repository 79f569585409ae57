/**
 * Every line that matches a pattern in many texts, counted by the server and by the tool for it on the same files in turns:
 * ripgrep where the machine has it, else grep. Both must count the same.
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

/** What is understood by all alike. */
const patterns: Readonly<Record<string, string>> = {
  'rare literal': NEEDLE,
  'common literal': 'function',
  'regex with a rare literal': `${NEEDLE}[0-9]+`,
  'regex with a common literal': 'export function [a-z]+Error',
  'regex of no letters': '[A-Z][A-Z][A-Z][A-Z][0-9][0-9][0-9]',
};

export const grep: Case = async ({ subject, quick, seededHome, newPath }) => {
  const tool = toolHere();
  if (tool === undefined) return [];
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
    for (const [name, pattern] of Object.entries(patterns)) {
      figures.push(await compare(server, tool, { name, pattern, folder: tree.folder, rounds: quick ? 3 : 15 }));
    }
    return figures;
  });
};

interface Tool {
  readonly name: string;
  command(pattern: string, folder: string): Command;
}

/** Nothing left out, lines of each file counted; the output is one number a line. */
const ripgrep: Tool = {
  name: 'ripgrep',
  command: (pattern, folder) => ({
    argv: ['rg', '--no-config', '-uuu', '--text', '--count', '--no-filename', '-e', pattern, folder],
  }),
};
/** Comparing bytes, which is its fastest way. */
const gnuGrep: Tool = {
  name: 'grep -r',
  command: (pattern, folder) => ({
    argv: ['grep', '-r', '--text', '--count', '--no-filename', '-E', '-e', pattern, folder],
    env: { LC_ALL: 'C' },
  }),
};

function toolHere(): Tool | undefined {
  const answers = (program: string) => spawnSync(program, ['--version']).status === 0;
  return answers('rg') ? ripgrep : answers('grep') ? gnuGrep : undefined;
}

interface Comparison {
  readonly name: string;
  readonly pattern: string;
  readonly folder: string;
  readonly rounds: number;
}

async function compare(server: Server, tool: Tool, { name, pattern, folder, rounds }: Comparison): Promise<Figure> {
  const times = { own: [] as number[], tool: [] as number[] };
  let [lines, searched] = [0, 0];
  // The first round reads files and compiles code.
  for (let round = -1; round < rounds; round++) {
    const { output, wallMs } = await runToEnd(tool.command(pattern, folder));
    const started = performance.now();
    const own = await countBy(server, pattern);
    const ownMs = performance.now() - started;
    lines = output.split('\n').reduce((sum, line) => sum + Number(line), 0);
    searched = own.searched;
    if (own.lines !== lines) throw new Error(`${pattern}: ${own.lines} lines instead of the ${lines} of ${tool.name}`);
    if (round < 0) continue;
    times.own.push(ownMs);
    times.tool.push(wallMs);
  }
  return figure(`${name} / ${tool.name}`, '×', ratio(times.own, times.tool), {
    ms: median(times.own),
    [`${tool.name} ms`]: median(times.tool),
    lines,
    'files searched': searched,
  });
}

async function countBy(server: Server, pattern: string): Promise<{ lines: number; searched: number }> {
  const sum = { lines: 0, searched: 0 };
  let cursor: unknown;
  do {
    const next = cursor === undefined ? {} : { cursor };
    const answer = await answerOf(server, 'grep', { pattern, count: true, limit: 10_000, ...next });
    if (answer.left_out !== undefined) throw new Error(`grep left out ${JSON.stringify(answer.left_out)}`);
    sum.lines += numberIn(answer, 'total');
    sum.searched += numberIn(answer, 'files_searched');
    cursor = answer.next_cursor;
  } while (cursor !== undefined);
  return sum;
}
