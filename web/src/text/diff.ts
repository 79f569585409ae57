/** What differs between two texts, line by line (Myers' shortest edit script, bounded). Pure. */

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed' | 'skipped';
  readonly text: string;
}

/** Beyond it the texts are shown as replaced: the page must not stand still for it. */
const MOST_STEPS = 2000;
const CONTEXT = 3;

export function diffOf(before: string, after: string): DiffLine[] {
  const a = before.split('\n');
  const b = after.split('\n');
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const same = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ kind: 'same', text }));
  return [
    ...same(a.slice(0, start)),
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...same(a.slice(a.length - end)),
  ];
}

function middle(a: readonly string[], b: readonly string[]): DiffLine[] {
  const trace = search(a, b);
  if (trace === undefined) return [...a.map(removed), ...b.map(added)];
  const lines: DiffLine[] = [];
  let x = a.length;
  let y = b.length;
  for (let steps = trace.length - 1; steps >= 0; steps--) {
    const reached = trace[steps] as ReadonlyMap<number, number>;
    const k = x - y;
    const down = k === -steps || (k !== steps && (reached.get(k - 1) ?? -1) < (reached.get(k + 1) ?? -1));
    const from = down ? k + 1 : k - 1;
    const fromX = reached.get(from) ?? 0;
    const fromY = fromX - from;
    while (x > fromX && y > fromY && x > 0 && y > 0) {
      x--;
      y--;
      lines.push({ kind: 'same', text: a[x] ?? '' });
    }
    if (steps === 0) break;
    if (down) lines.push(added(b[fromY] ?? ''));
    else lines.push(removed(a[fromX] ?? ''));
    x = fromX;
    y = fromY;
  }
  return lines.reverse();
}

const added = (text: string): DiffLine => ({ kind: 'added', text });
const removed = (text: string): DiffLine => ({ kind: 'removed', text });

/** How far each diagonal is reached before every step; nothing if that takes too many. */
function search(a: readonly string[], b: readonly string[]): ReadonlyMap<number, number>[] | undefined {
  const trace: ReadonlyMap<number, number>[] = [];
  const reached = new Map<number, number>([[1, 0]]);
  for (let steps = 0; steps <= Math.min(a.length + b.length, MOST_STEPS); steps++) {
    trace.push(new Map(reached));
    for (let k = -steps; k <= steps; k += 2) {
      const down = k === -steps || (k !== steps && (reached.get(k - 1) ?? -1) < (reached.get(k + 1) ?? -1));
      let x = down ? (reached.get(k + 1) ?? 0) : (reached.get(k - 1) ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      reached.set(k, x);
      if (x >= a.length && x - k >= b.length) return trace;
    }
  }
  return undefined;
}

/** Leaves out what is the same, but for a few lines around each change. */
export function shortened(lines: readonly DiffLine[]): DiffLine[] {
  const near = new Set<number>();
  lines.forEach(({ kind }, index) => {
    if (kind === 'same') return;
    for (let other = index - CONTEXT; other <= index + CONTEXT; other++) near.add(other);
  });
  const shown: DiffLine[] = [];
  let skipped = 0;
  lines.forEach((line, index) => {
    if (!near.has(index)) {
      skipped++;
      return;
    }
    if (skipped > 0) shown.push({ kind: 'skipped', text: `${skipped} lines alike` });
    skipped = 0;
    shown.push(line);
  });
  if (skipped > 0 && shown.length > 0) shown.push({ kind: 'skipped', text: `${skipped} lines alike` });
  return shown;
}
