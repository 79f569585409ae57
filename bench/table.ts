/** Figures as a table for people. */
import type { Figure } from './figure.ts';

export interface Judged extends Figure {
  /** The most that is allowed; where more is better, the least. */
  readonly budget?: number;
  readonly least?: number;
  readonly verdict?: 'PASS' | 'over budget';
}

const HEADINGS = ['figure', 'median', 'p10–p90', 'budget', '', 'details'];

export function tableOf(title: string, figures: readonly Judged[]): string {
  if (figures.length === 0) return `${title}\n  not measured on this platform\n`;
  const rows = [HEADINGS, ...figures.map(rowOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const lines = rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
  );
  return `${title}\n${lines.join('\n')}\n`;
}

function rowOf({ name, unit, value, spread, budget, least, verdict, details }: Judged): string[] {
  return [
    name,
    `${short(value)} ${unit}`,
    spread === undefined ? '' : `${short(spread.p10)}–${short(spread.p90)}`,
    budget !== undefined ? `≤ ${budget} ${unit}` : least !== undefined ? `≥ ${least} ${unit}` : '',
    verdict ?? '',
    Object.entries(details ?? {})
      .map(([what, number]) => `${what} ${short(number)}`)
      .join(', '),
  ];
}

function short(value: number): string {
  if (Number.isNaN(value)) return '?';
  return value >= 1000 ? value.toLocaleString('en-US', { maximumFractionDigits: 0 }) : value.toPrecision(3);
}
