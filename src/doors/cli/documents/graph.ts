/** `cairn graph`, `impact` and `path`: a part of the graph as a small tree. */
import { badUsage } from '../arguments.ts';
import { counted, numberText } from '../figures.ts';
import { table } from '../table.ts';
import { type Line, toned } from '../terminal.ts';
import type { Order } from './verb.ts';

interface Node {
  readonly key: string;
  readonly type: string;
  readonly label: string;
  readonly path?: string;
  readonly collection?: string;
  readonly line?: number;
  readonly status?: string;
}

interface Edge {
  readonly source: string;
  readonly target: string;
  readonly relation: string;
  readonly line?: number;
}

interface Answer {
  readonly origin?: Node;
  readonly nodes?: readonly (Node & { readonly depth: number })[];
  readonly edges?: readonly Edge[];
  readonly types?: readonly { readonly type: string; readonly count: number }[];
  readonly dot?: string;
  readonly mermaid?: string;
  readonly truncated?: boolean;
  readonly next_offset?: number;
  readonly pending?: number;
}

/** A name may be a key, which says its type in front. */
function named(words: readonly string[], input: Readonly<Record<string, unknown>>, verb: string) {
  const [word, ...more] = words;
  if (more.length > 0) throw badUsage(`${verb} takes one name`);
  if (word === undefined) return input;
  const isKey = /^(collection|folder|document|symbol|instruction|category|decision|target|event|unresolved):/.test(
    word,
  );
  return { ...input, ...(isKey ? { node_key: word } : { name: word }) };
}

export async function showGraph({ words, input, width, call, show }: Order): Promise<number> {
  const asked = named(words, input, 'graph');
  const known = ['name', 'node_key', 'hash', 'list_type', 'list_types'].some((each) => each in asked);
  const answer = await call<Answer>('graph', known ? asked : { ...asked, list_types: true });
  show(answer, () => [...graphLines(answer, width), ...restLines(answer)]);
  return 0;
}

function graphLines({ origin, nodes = [], edges = [], types, dot, mermaid }: Answer, width: number): Line[] {
  const drawing = dot ?? mermaid;
  if (drawing !== undefined) return drawing.split('\n').map((line): Line => [line]);
  if (types !== undefined) {
    const rows = types.map(({ type, count }) => [toned('name', type), numberText(count)]);
    return table([{ title: 'TYPE' }, { title: 'NODES', right: true }], rows, width);
  }
  if (origin === undefined) return nodes.map((node): Line => nameOf(node));
  const lines = treeLines(origin, nodes, edges);
  return nodes.length === 0 ? [...lines, [toned('faint', 'connected with nothing, this way')]] : lines;
}

/** Each node below the one it was reached from, with the edge that led there. */
function treeLines(origin: Node, nodes: readonly (Node & { depth: number })[], edges: readonly Edge[]): Line[] {
  const depths = new Map<string, number>([
    [origin.key, 0],
    ...nodes.map((each): [string, number] => [each.key, each.depth]),
  ]);
  const reachedBy = new Map<string, { edge: Edge; from: string }>();
  for (const edge of edges) {
    for (const [from, to] of [
      [edge.source, edge.target],
      [edge.target, edge.source],
    ] as const) {
      const nearer = (depths.get(from) ?? Number.NaN) + 1 === depths.get(to);
      if (nearer && !reachedBy.has(to)) reachedBy.set(to, { edge, from });
    }
  }
  const children = new Map<string, Node[]>();
  for (const node of nodes) {
    const from = reachedBy.get(node.key)?.from ?? origin.key;
    children.set(from, [...(children.get(from) ?? []), node]);
  }
  const below = (key: string, indent: string): Line[] => {
    const own = children.get(key) ?? [];
    return own.flatMap((node, at): Line[] => {
      const last = at === own.length - 1;
      const edge = reachedBy.get(node.key)?.edge;
      const arrow = edge?.source === node.key ? '←' : '→';
      const line: Line = [
        toned('faint', `${indent}${last ? '└─' : '├─'} `),
        toned('change', `${edge?.relation ?? ''} ${arrow} `),
        ...nameOf(node),
      ];
      return [line, ...below(node.key, `${indent}${last ? '   ' : '│  '}`)];
    });
  };
  return [nameOf(origin), ...below(origin.key, '')];
}

function nameOf({ key, type, label, path, line, status }: Node): Line {
  if (type === 'symbol') return [toned('name', label), toned('faint', ` ${path}:${line}`)];
  if (type === 'unresolved') return [toned('faint', `${label} (not in the store)`)];
  if (path !== undefined) return [toned('name', type === 'folder' ? `${path}/` : path)];
  return [
    toned('name', key),
    ...(label === key.slice(type.length + 1) ? [] : [` ${label}`]),
    ...(status ? [` (${status})`] : []),
  ];
}

function restLines({ truncated, next_offset, pending }: Pick<Answer, 'truncated' | 'next_offset' | 'pending'>): Line[] {
  return [
    ...(truncated
      ? [
          [
            toned(
              'change',
              next_offset === undefined ? 'there is more: raise --limit' : `go on with --offset ${next_offset}`,
            ),
          ],
        ]
      : []),
    ...(pending === undefined ? [] : [[toned('change', `${counted(pending, 'document')} not read yet: ask again`)]]),
  ];
}

interface Impact {
  readonly origin: Node;
  readonly dependants: readonly (Node & { readonly distance: number; readonly why: readonly Edge[] })[];
  readonly documents: readonly string[];
  readonly truncated?: boolean;
  readonly pending?: number;
}

export async function showImpact({ words, input, call, show }: Order): Promise<number> {
  if (words.length === 0 && !['name', 'node_key', 'hash'].some((each) => each in input))
    throw badUsage('impact needs a name, as in cairn impact src/store.ts');
  const answer = await call<Impact>('graph_impact', named(words, input, 'impact'));
  show(answer, () => {
    const { origin, dependants, documents } = answer;
    if (dependants.length === 0)
      return [nameOf(origin), [toned('good', 'nothing depends on it')], ...restLines(answer)];
    // The way of a dependant is one edge, and then the way of the one that it depends on.
    const nodes = dependants.map(({ distance, why: _why, ...node }) => ({ ...node, depth: distance }));
    const byWay = new Map(dependants.map(({ key, why }) => [JSON.stringify(why), key]));
    const edges = dependants.map(({ key, why }) => ({
      source: key,
      target: byWay.get(JSON.stringify(why.slice(1))) ?? origin.key,
      relation: why[0]?.relation ?? '',
    }));
    return [
      ...treeLines(origin, nodes, edges),
      [toned('faint', `${counted(dependants.length, 'dependant')} in ${counted(documents.length, 'document')}`)],
      ...restLines(answer),
    ];
  });
  return 0;
}

interface Path {
  readonly found: boolean;
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
  readonly gave_up?: string;
  readonly pending?: number;
}

export async function showPath({ words, input, call, show }: Order): Promise<number> {
  const [from = input.from, to = input.to, ...more] = words;
  if (from === undefined || to === undefined || more.length > 0)
    throw badUsage('path needs two names, as in cairn path src/main.ts src/db.ts');
  const answer = await call<Path>('graph_path', { ...input, from, to });
  show(answer, () => [...pathLines(answer), ...restLines(answer)]);
  return answer.found ? 0 : 1;
}

function pathLines({ found, nodes, edges, gave_up }: Path): Line[] {
  if (!found) return [[toned('bad', gave_up ?? 'No way leads from one to the other')]];
  return nodes.flatMap((node, at): Line[] => {
    const edge = edges[at];
    const step: Line[] =
      edge === undefined ? [] : [[toned('change', `  ${edge.source === node.key ? '↓' : '↑'} ${edge.relation}`)]];
    return [nameOf(node), ...step];
  });
}
