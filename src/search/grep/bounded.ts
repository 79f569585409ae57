/**
 * A regular expression of V8 that finds every line a pattern matches, and takes a bounded number of steps at each letter.
 * V8 goes back and tries again, so a repetition without an end may take it quadratic time and worse. But whether a line
 * matches does not depend on how often the first thing of a pattern is repeated, nor the last: there the least number will
 * do. Where one is left between other things, what stands on one side of it says at least where to look.
 */
import { byteOf, byteSource } from './byte-source.ts';
import { type LetterSet, type Node, treeOf } from './syntax.ts';

export interface Bounded {
  /** For bytes of UTF-8, many lines of them. */
  readonly source: string;
  /** It finds no line that does not match. */
  readonly exact: boolean;
  /** What it finds is all of a match, from its beginning to its end. */
  readonly whole: boolean;
}

const MOST_ALTERNATIVES = 64;
/** Ways to match at one place, times letters. */
const MOST_STEPS = 2000;

export function boundedOf(pattern: string, ignoreCase: boolean): Bounded | undefined {
  const tree = treeOf(pattern, ignoreCase);
  if (tree === undefined) return undefined;
  const alternatives = tree.kind === 'choice' ? tree.nodes : [tree];
  if (alternatives.length > MOST_ALTERNATIVES) return undefined;
  const found = alternatives.map(alternativeOf);
  const sources: string[] = [];
  for (const each of found) {
    if (each === undefined) return undefined;
    sources.push(each.source);
  }
  return {
    source: sources.join('|'),
    exact: found.every((each) => each?.exact),
    whole: found.every((each) => each?.whole),
  };
}

/** The most telling of the runs between repetitions without an end; all of it, where there is only one. */
function alternativeOf(node: Node): Bounded | undefined {
  const nodes = node.kind === 'sequence' ? node.nodes : [node];
  const runs = runsOf(trimmed(nodes));
  const best = runs.map((run) => trimmed(run)).reduce((one, other) => (worth(other) > worth(one) ? other : one), []);
  if (best.reduce((sum, each) => sum + shortest(each), 0) === 0) return undefined;
  const exact = runs.length === 1;
  const isWhole = (each: Node | undefined) => each?.kind !== 'repeat' || each.least === each.most;
  return { source: best.map(sourceOf).join(''), exact, whole: exact && isWhole(nodes.at(0)) && isWhole(nodes.at(-1)) };
}

/** Without what may be there more often than it must, at both ends. */
function trimmed(nodes: readonly Node[]): Node[] {
  const kept = [...nodes];
  for (const end of [0, -1]) {
    for (let node = kept.at(end); node?.kind === 'repeat' && node.least !== node.most; node = kept.at(end)) {
      const { node: inner, least } = node;
      const [at, count] = [end === 0 ? 0 : kept.length - 1, 1];
      if (least === 0) kept.splice(at, count);
      else kept.splice(at, count, { kind: 'repeat', node: inner, least, most: least });
    }
  }
  return kept;
}

/** Cut where a repetition has no end, and where there are too many ways. */
function runsOf(nodes: readonly Node[]): Node[][] {
  const runs: Node[][] = [[]];
  for (const node of nodes) {
    const run = runs.at(-1) ?? [];
    if (ways(node) * longest(node) > MOST_STEPS) runs.push([]);
    else if (
      ways({ kind: 'sequence', nodes: [...run, node] }) * longest({ kind: 'sequence', nodes: [...run, node] }) >
      MOST_STEPS
    )
      runs.push([node]);
    else run.push(node);
  }
  return runs;
}

/** Certain letters tell more than sets of them. */
function worth(nodes: readonly Node[]): number {
  return nodes.reduce((sum, node) => sum + worthOf(node), 0);
}

function worthOf(node: Node): number {
  if (node.kind === 'letter') return 2;
  if (node.kind === 'set') return node.set.beyond === 'all' ? 0.1 : Math.max(0.1, 2 - node.set.ascii.size / 8);
  if (node.kind === 'sequence') return worth(node.nodes);
  if (node.kind === 'choice') return Math.min(...node.nodes.map(worthOf));
  return node.kind === 'repeat' ? worthOf(node.node) * node.least : 0;
}

function shortest(node: Node): number {
  if (node.kind === 'set' || node.kind === 'letter') return 1;
  if (node.kind === 'sequence') return node.nodes.reduce((sum, each) => sum + shortest(each), 0);
  if (node.kind === 'choice') return Math.min(...node.nodes.map(shortest));
  return node.kind === 'repeat' ? shortest(node.node) * node.least : 0;
}

function longest(node: Node): number {
  if (node.kind === 'set' || node.kind === 'letter') return 1;
  if (node.kind === 'sequence') return node.nodes.reduce((sum, each) => sum + longest(each), 0);
  if (node.kind === 'choice') return Math.max(...node.nodes.map(longest));
  return node.kind === 'repeat' && node.most > 0 ? Math.max(1, longest(node.node)) * node.most : 0;
}

/** In how many ways it can be tried at one place. */
function ways(node: Node): number {
  if (node.kind === 'sequence') return node.nodes.reduce((product, each) => product * ways(each), 1);
  if (node.kind === 'choice') return node.nodes.reduce((sum, each) => sum + ways(each), 0);
  if (node.kind !== 'repeat') return 1;
  const each = ways(node.node);
  let sum = 0;
  for (let count = node.least; count <= node.most; count++) {
    sum += each ** count;
    if (sum > MOST_STEPS) return Number.POSITIVE_INFINITY;
  }
  return sum;
}

function sourceOf(node: Node): string {
  if (node.kind === 'set') return setSource(node.set);
  if (node.kind === 'letter') return `(?:${byteSource(node.letter)})`;
  if (node.kind === 'edge') return node.source;
  if (node.kind === 'sequence') return node.nodes.map(sourceOf).join('');
  if (node.kind === 'choice') return `(?:${node.nodes.map(sourceOf).join('|')})`;
  return node.most === 0 ? '' : `(?:${sourceOf(node.node)}){${node.least},${node.most}}`;
}

/** Every letter beyond ASCII, as it begins and goes on. */
const BEYOND = ['[\\xc2-\\xdf][\\x80-\\xbf]', '[\\xe0-\\xef][\\x80-\\xbf]{2}', '[\\xf0-\\xf4][\\x80-\\xbf]{3}'];

function setSource({ ascii, beyond }: LetterSet): string {
  const [only, other] = ascii;
  const plain =
    ascii.size === 0
      ? []
      : only !== undefined && other === undefined
        ? [byteOf(only)]
        : [`[${rangesOf(ascii).join('')}]`];
  const parts = [...plain, ...(beyond === 'all' ? BEYOND : beyond.map(byteSource))];
  // Nothing fits in an empty set.
  if (parts.length === 0) return '[]';
  return parts.length === 1 ? parts.join('') : `(?:${parts.join('|')})`;
}

function rangesOf(found: ReadonlySet<number>): string[] {
  const ranges: string[] = [];
  for (let code = 0; code < 128; code++) {
    if (!found.has(code)) continue;
    const from = code;
    while (found.has(code + 1)) code++;
    ranges.push(from === code ? byteOf(from) : `${byteOf(from)}-${byteOf(code)}`);
  }
  return ranges;
}
