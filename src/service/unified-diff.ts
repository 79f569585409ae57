/** A unified diff of two texts: the shortest edit script (Myers), three lines around each change. */
import { mask } from './secret.ts';

type Op = { readonly sign: ' ' | '-' | '+'; readonly line: string };

const AROUND = 3;
/** More changes than this are shown as one replacement: nobody reads such a diff line by line. */
const MOST_CHANGES = 500;

export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): string {
  const ops = script(linesOf(before), linesOf(after));
  const from = before === undefined ? '/dev/null' : path;
  const to = after === undefined ? '/dev/null' : path;
  // Configuration files hold keys of other servers; a diff is pasted and logged.
  return mask([`--- ${from}`, `+++ ${to}`, ...hunks(ops)].join('\n'));
}

function linesOf(text: string | undefined): string[] {
  if (text === undefined || text === '') return [];
  const lines = text.split('\n').map((line) => line.replace(/\r$/, '␍'));
  return text.endsWith('\n')
    ? lines.slice(0, -1)
    : [...lines.slice(0, -1), `${lines.at(-1)}\n\\ No newline at end of file`];
}

function script(a: readonly string[], b: readonly string[]): Op[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  return [
    ...keep(a.slice(0, head)),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...keep(a.slice(a.length - tail)),
  ];
}

function keep(lines: readonly string[]): Op[] {
  return lines.map((line) => ({ sign: ' ', line }));
}

function middle(a: readonly string[], b: readonly string[]): Op[] {
  const trace: Map<number, number>[] = [];
  const reach = new Map([[1, 0]]);
  for (let changes = 0; changes <= Math.min(a.length + b.length, MOST_CHANGES); changes++) {
    trace.push(new Map(reach));
    for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
      let x = stepsDown(reach, diagonal, changes) ? (reach.get(diagonal + 1) ?? 0) : (reach.get(diagonal - 1) ?? 0) + 1;
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++;
      reach.set(diagonal, x);
      if (x >= a.length && x - diagonal >= b.length) return walkBack(trace, a, b);
    }
  }
  return [...a.map((line): Op => ({ sign: '-', line })), ...b.map((line): Op => ({ sign: '+', line }))];
}

function stepsDown(reach: ReadonlyMap<number, number>, diagonal: number, changes: number): boolean {
  if (diagonal === -changes) return true;
  return diagonal !== changes && (reach.get(diagonal - 1) ?? 0) < (reach.get(diagonal + 1) ?? 0);
}

function walkBack(trace: readonly Map<number, number>[], a: readonly string[], b: readonly string[]): Op[] {
  const ops: Op[] = [];
  let x = a.length;
  let y = b.length;
  for (let changes = trace.length - 1; changes >= 0; changes--) {
    const reach = trace[changes] ?? new Map<number, number>();
    const down = stepsDown(reach, x - y, changes);
    const diagonal = down ? x - y + 1 : x - y - 1;
    const fromX = reach.get(diagonal) ?? 0;
    const fromY = fromX - diagonal;
    while (x > Math.max(fromX, 0) && y > Math.max(fromY, 0)) {
      ops.push({ sign: ' ', line: a[x - 1] ?? '' });
      x--;
      y--;
    }
    if (changes === 0) break;
    ops.push(down ? { sign: '+', line: b[y - 1] ?? '' } : { sign: '-', line: a[x - 1] ?? '' });
    x = fromX;
    y = fromY;
  }
  return ops.reverse();
}

function hunks(ops: readonly Op[]): string[] {
  const lines: string[] = [];
  for (let at = 0; at < ops.length; ) {
    const first = ops.findIndex(({ sign }, index) => index >= at && sign !== ' ');
    if (first === -1) break;
    let last = first;
    for (let next = first; next < ops.length && next - last <= 2 * AROUND; next++)
      if (ops[next]?.sign !== ' ') last = next;
    const from = Math.max(at, first - AROUND);
    const to = Math.min(ops.length, last + AROUND + 1);
    lines.push(heading(ops, from, to), ...ops.slice(from, to).map(({ sign, line }) => sign + line));
    at = to;
  }
  return lines;
}

function heading(ops: readonly Op[], from: number, to: number): string {
  const count = (part: readonly Op[], other: '-' | '+') => part.filter(({ sign }) => sign !== other).length;
  const range = (other: '-' | '+') => {
    const size = count(ops.slice(from, to), other);
    return `${count(ops.slice(0, from), other) + (size === 0 ? 0 : 1)},${size}`;
  };
  return `@@ -${range('+')} +${range('-')} @@`;
}
