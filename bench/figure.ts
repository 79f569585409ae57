/** What a case gives back: figures with their spread. Whether one keeps its budget is decided in index.ts. */

import type { Summary } from './stats.ts';
import type { Seeded, Subject } from './subject.ts';

export type Unit = '×' | 'ms' | 'MB' | 'MB/s' | '%';

export interface Figure {
  readonly name: string;
  readonly unit: Unit;
  readonly value: number;
  /** Absent where there is one measurement only. */
  readonly spread?: { readonly p10: number; readonly p90: number; readonly samples: number };
  /** What helps to read the figure; the names carry their units. */
  readonly details?: Readonly<Record<string, number>>;
}

export interface Bench {
  readonly subject: Subject;
  readonly quick: boolean;
  /** A home with that many entries, in the temporary folder of this run, and the id of one of them. */
  seededHome(entries: number): Promise<SeededHome>;
  /** A path in the temporary folder of this run at which there is nothing yet. */
  newPath(name: string): string;
}

export interface SeededHome extends Seeded {
  readonly path: string;
}

export type Case = (bench: Bench) => Promise<readonly Figure[]>;

export function figure(name: string, unit: Unit, summary: Summary, details?: Figure['details']): Figure {
  const { median: value, p10, p90, samples } = summary;
  return { name, unit, value, spread: { p10, p90, samples }, ...(details && { details }) };
}

export function count(number: number): string {
  return number.toLocaleString('en-US');
}
