/**
 * What a suite of faults measured, left for scripts/reliability.mjs, which keeps the long profile in docs/reliability.json and
 * makes docs/reliability.md of it. A test calls it last: what failed has no figures.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface FigureRow {
  /** The fault, as the page names it: "servers killed while they write". */
  readonly what: string;
  readonly how: string;
  readonly profile: 'short' | 'long';
  /** What was counted and measured, under names that read well: { kills: 1000, 'acknowledged writes': 8123 }. */
  readonly figures: Readonly<Record<string, string | number>>;
}

export const figuresFolder = join(import.meta.dirname, '../../node_modules/.cache/faults');

/** Rows of one suite replace its earlier rows of the same name and profile. Never fails a test: figures are not what it is for. */
export function recordFigures(suite: string, rows: readonly FigureRow[], folder = figuresFolder): void {
  const path = join(folder, `${suite}.json`);
  const draft = `${path}.${process.pid}`;
  try {
    mkdirSync(folder, { recursive: true });
    const measured = new Date().toISOString();
    const replaced = new Set(rows.map(keyOf));
    const kept = recorded(path).filter((row) => !replaced.has(keyOf(row)));
    const all = [...kept, ...rows.map((row) => ({ ...row, measured }))];
    writeFileSync(draft, `${JSON.stringify({ suite, rows: all }, null, 2)}\n`);
    renameSync(draft, path);
  } catch (thrown) {
    removed(draft);
    process.stderr.write(`The figures of ${suite} were not recorded: ${thrown}\n`);
  }
}

function removed(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Where not even the folder is one, nothing is there.
  }
}

const keyOf = ({ what, profile }: FigureRow) => `${profile} ${what}`;

function recorded(path: string): FigureRow[] {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).rows;
  } catch {
    return [];
  }
}
