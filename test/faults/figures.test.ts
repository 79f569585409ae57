/** Figures of long runs, and of nothing else, reach the page. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshFolder } from '../support/home.ts';
import { recordFigures } from './figures.ts';

const script = join(import.meta.dirname, '../../scripts/reliability.mjs');

/** The script knows no types; it is asked as a program would. */
function evaluated(expression: string, given: unknown): unknown {
  const code = `const m = await import(${JSON.stringify(`file://${script}`)}); const given = ${JSON.stringify(given)};
    process.stdout.write(JSON.stringify(${expression}))`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' }));
}

it('a suite replaces its own rows of the same profile', async () => {
  const folder = join(await freshFolder(), 'deep', 'faults');
  const row = (profile: 'short' | 'long', kills: number) =>
    ({ what: 'kills', how: 'kill -9', profile, figures: { kills } }) as const;
  recordFigures('kills', [row('long', 1000)], folder);
  recordFigures('kills', [row('short', 24)], folder);
  recordFigures('kills', [row('long', 1001)], folder);
  const { rows } = JSON.parse(readFileSync(join(folder, 'kills.json'), 'utf8'));
  expect(rows.map(({ profile, figures }: { profile: string; figures: object }) => [profile, figures])).toEqual([
    ['short', { kills: 24 }],
    ['long', { kills: 1001 }],
  ]);
});

it('a run that cannot be recorded fails nothing', () => {
  expect(() => recordFigures('kills', [], join(script, 'no-folder'))).not.toThrow();
});

it('the page keeps the newest long run of each row, and says where and when it was', () => {
  const run = (measured: string, profile: string, kills: number) => ({
    suite: 'kills',
    rows: [{ what: 'killed | cut', how: 'kill -9', profile, figures: { kills }, measured }],
  });
  const machine = { machine: '2 cores', version: '0.1.0' };
  const left = [run('2026-02-02T00:00:00Z', 'long', 1000), run('2026-03-03T00:00:00Z', 'short', 24)];
  const kept = evaluated('m.withLongRuns([], given.left, given.machine)', { left, machine }) as object[];
  expect(kept).toEqual([expect.objectContaining({ figures: { kills: 1000 }, measured: '2026-02-02T00:00:00Z' })]);
  const older = { left: [run('2026-01-01T00:00:00Z', 'long', 7)], machine, kept };
  expect(evaluated('m.withLongRuns(given.kept, given.left, given.machine)', older)).toEqual(kept);
  const table = evaluated('m.figuresOf(given)', kept);
  expect(table).toContain('| killed \\| cut | kill -9 | kills: 1,000 | 2026-02-02, Cairn 0.1.0, 2 cores | `kills` |');
  expect(evaluated('m.figuresOf(given)', [])).toBe('No long run has been recorded yet.');
});
