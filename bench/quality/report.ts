/** Rankings as tables for people. Pure. */
import { randomFrom } from '../documents/random.ts';
import { percentile } from '../stats.ts';
import { metricNames, type Verdict } from './goals.ts';
import type { Recall } from './memory.ts';
import { intervalOf, type Metric, mean, type Scores } from './metrics.ts';
import type { Corrected } from './typos.ts';

export interface Run {
  readonly name: string;
  readonly scores: readonly Scores[];
  /** How long each question took; empty where it says nothing. */
  readonly ms: readonly number[];
}

export interface Line {
  readonly name: string;
  readonly means: Readonly<Record<Metric, number>>;
  /** How much more nDCG than the floor, with the bounds within which it would be for 95 of 100 such lists of questions. */
  readonly gain?: { readonly mean: number; readonly low: number; readonly high: number };
  readonly p50?: number;
  readonly p95?: number;
}

const SEED = 7;

export function lineOf({ name, scores, ms }: Run, floor?: Run): Line {
  const over = (metric: Metric) => mean(scores.map((each) => each[metric]));
  const gains = floor && scores.map(({ ndcg }, at) => ndcg - (floor.scores[at]?.ndcg ?? 0));
  return {
    name,
    means: { ndcg: over('ndcg'), recall: over('recall'), mrr: over('mrr'), deep: over('deep') },
    ...(gains && { gain: { mean: mean(gains), ...intervalOf(gains, randomFrom(SEED)) } }),
    ...(ms.length > 0 && { p50: percentile(ms, 50), p95: percentile(ms, 95) }),
  };
}

export function tableOfLines(title: string, lines: readonly Line[], depth: number): string {
  const heads = [metricNames.ndcg, metricNames.recall, metricNames.mrr, `R@${depth}`];
  const headings = ['', ...heads, 'nDCG over the floor', 'p50 ms', 'p95 ms'];
  return columns(title, [headings, ...lines.map(cellsOf)]);
}

function cellsOf({ name, means, gain, p50, p95 }: Line): string[] {
  const { ndcg, recall, mrr, deep } = means;
  return [
    name,
    ...[ndcg, recall, mrr, deep].map((value) => value.toFixed(3)),
    gain === undefined ? '' : `${signed(gain.mean)} (${signed(gain.low)} … ${signed(gain.high)})`,
    p50?.toFixed(1) ?? '',
    p95?.toFixed(1) ?? '',
  ];
}

export function verdictLines(verdicts: readonly Verdict[]): string {
  return columns(
    'Goals',
    verdicts.map(({ goal, reached, least, kept }) => [
      kept ? 'PASS' : 'MISS',
      goal,
      reached.toFixed(3),
      `≥ ${least.toFixed(3)}`,
    ]),
  );
}

export function recallTable(recalls: readonly Recall[], verbose: boolean): string {
  const rows = recalls.map(({ name, asked, recall, bySplit }) => [
    name,
    String(asked.length),
    recall.toFixed(3),
    ...Object.values(bySplit).map((value) => value.toFixed(3)),
  ]);
  const table = columns('Decision memory, an answer in the first 5', [
    ['', 'questions', 'recall@5', 'tune', 'check', 'fresh'],
    ...rows,
  ]);
  if (!verbose) return table;
  const missed = recalls.flatMap(({ name, asked }) =>
    asked
      .filter(({ right }) => !right)
      .map(
        ({ question, found }) =>
          `  ${name}: ${question.question} → ${found.join(', ')} (expected ${question.expect?.join(', ')})`,
      ),
  );
  return `${table}${missed.join('\n')}\n`;
}

export function shareOf(corrected: readonly Corrected[]): number {
  return mean(corrected.map(({ hit }) => (hit ? 1 : 0)));
}

export function typoTable(corrected: readonly Corrected[], verbose: boolean): string {
  const row = (name: string, of: readonly Corrected[]) => [
    name,
    String(of.length),
    shareOf(of).toFixed(3),
    mean(of.map(({ hitSpelledRight }) => (hitSpelledRight ? 1 : 0))).toFixed(3),
    of.length === 0
      ? ''
      : percentile(
          of.map(({ ms }) => ms),
          50,
        ).toFixed(1),
    of.length === 0
      ? ''
      : percentile(
          of.map(({ ms }) => ms),
          95,
        ).toFixed(1),
  ];
  const table = columns('Misspelled words, the right document in the first 5', [
    ['', 'words', 'found', 'spelled right', 'p50 ms', 'p95 ms'],
    ...[1, 2].map((edits) =>
      row(
        `${edits} edit${edits > 1 ? 's' : ''}`,
        corrected.filter((each) => each.edits === edits),
      ),
    ),
    row('all', corrected),
  ]);
  if (!verbose) return table;
  const missed = corrected.filter(({ hit }) => !hit);
  const told = missed.map(
    ({ wrong, meant, edits, takenFor }) =>
      `  ${wrong} for ${meant} (${edits}): taken for ${takenFor.join(', ') || 'nothing'}`,
  );
  return `${table}${told.join('\n')}\n`;
}

export function columns(title: string, rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const lines = rows.map((row) => `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd());
  return `${title}\n${lines.join('\n')}\n`;
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`;
}
