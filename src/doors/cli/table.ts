/** Rows as a table that fits the terminal. Pure. */
import { cut, type Line, type Piece, toned, visible, widthOf, wordsOf } from './terminal.ts';

export interface Column {
  readonly title: string;
  readonly right?: boolean;
  /** Which part of a cell stays where the terminal is too narrow; columns without it are never cut. */
  readonly keep?: 'start' | 'end';
}

const GAP = 2;
const NARROWEST = 8;

/** Columns without a word in any row are left out. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly Piece[])[],
  width = Number.POSITIVE_INFINITY,
): Line[] {
  const used = columns.map((_, at) => at).filter((at) => rows.some((row) => wordsOf(row[at] ?? '') !== ''));
  const shown = used.map((at) => columns[at] ?? { title: '' });
  const cells = rows.map((row) => used.map((at) => oneLine(row[at] ?? '')));
  const natural = shown.map(({ title }, at) =>
    Math.max(widthOf(title), ...cells.map((row) => widthOf(wordsOf(row[at] ?? '')))),
  );
  const widths = fitted(shown, natural, width);
  const heads = shown.map(({ title }) => toned('faint', title));
  return [heads, ...cells].map((row) => lineOf(row, shown, widths));
}

/** Already as it will be shown, so that its width is known. */
function oneLine(piece: Piece): Piece {
  const text = visible(wordsOf(piece)).replaceAll('\t', '\\t');
  return typeof piece === 'string' ? text : { ...piece, text };
}

/** The widest column that may be cut gives way first. */
function fitted(columns: readonly Column[], natural: readonly number[], width: number): number[] {
  const widths = [...natural];
  const gaps = GAP * Math.max(0, columns.length - 1);
  for (let over = sum(widths) + gaps - width; over > 0; ) {
    const [widest, next] = columns
      .map(({ keep }, at) => ({ at, own: widths[at] ?? 0, cuttable: keep !== undefined }))
      .filter(({ cuttable, own }) => cuttable && own > NARROWEST)
      .sort((a, b) => b.own - a.own);
    if (widest === undefined) break;
    const least = Math.max(NARROWEST, widest.own - over, Math.min(next?.own ?? 0, widest.own - 1));
    over -= widest.own - least;
    widths[widest.at] = least;
  }
  return widths;
}

function lineOf(row: readonly Piece[], columns: readonly Column[], widths: readonly number[]): Line {
  const line: Piece[] = [];
  for (const [at, cell] of row.entries()) {
    const { right = false, keep } = columns[at] ?? { title: '' };
    const width = widths[at] ?? 0;
    const text = keep === undefined ? wordsOf(cell) : cut(wordsOf(cell), width, keep);
    const space = ' '.repeat(Math.max(0, width - widthOf(text)));
    const last = at === row.length - 1;
    line.push(
      ...(right && space !== '' ? [space] : []),
      typeof cell === 'string' ? text : { ...cell, text },
      ...(last ? [] : [`${right ? '' : space}${' '.repeat(GAP)}`]),
    );
  }
  return withoutEnd(line);
}

/** Blanks at the end of a line wrap on a terminal that is exactly as wide. */
function withoutEnd(line: Piece[]): Line {
  while (line.length > 0 && wordsOf(line.at(-1) ?? '').trim() === '') line.pop();
  const last = line.at(-1);
  if (typeof last === 'string') line[line.length - 1] = last.trimEnd();
  return line;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
