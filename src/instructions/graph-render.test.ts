import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Edge, Graph } from './graph.ts';
import { toDot, toMermaid } from './graph-render.ts';

const time = '2025-09-15T12:00:00.000Z';

function graph(ids: readonly string[], edges: readonly Edge[] = [], graphSchemaVersion: 1 | 2 = 1): Graph {
  const nodes = ids.map((id) => ({ id, nodeType: 'category' as const }));
  const meta = { nodeCount: nodes.length, edgeCount: edges.length };
  return graphSchemaVersion === 1
    ? { meta: { ...meta, graphSchemaVersion }, nodes, edges }
    : { meta: { ...meta, graphSchemaVersion }, nodes, edges: edges.map((edge) => ({ ...edge, weight: 1 as const })) };
}

const example = graph(
  ['instr.alpha', 'instr.beta', 'category:ai'],
  [
    { from: 'instr.alpha', to: 'category:ai', type: 'primary' },
    { from: 'instr.alpha', to: 'instr.beta', type: 'category' },
    { from: 'instr.beta', to: 'category:ai', type: 'primary' },
    { from: 'instr.beta', to: 'category:ai', type: 'belongs' },
  ],
  2,
);

describe("S1's example", () => {
  it('is drawn in DOT as S1 shows', () => {
    expect(toDot(example)).toBe(`graph Instructions {
  "instr.alpha";
  "instr.beta";
  "category:ai";
  "instr.alpha" -- "category:ai" [label="primary"];
  "instr.alpha" -- "instr.beta" [label="category"];
  "instr.beta" -- "category:ai" [label="primary"];
  "instr.beta" -- "category:ai" [label="belongs"];
}`);
  });

  it('is drawn in mermaid as S1 shows', () => {
    expect(toMermaid(example, time)).toBe(`---
title: Instruction Catalog Graph
description: Deterministic instruction relationship graph (schema v2 enriched)
config:
  theme: base
  themeVariables:
    primaryColor: '#1e3a8a'
    primaryTextColor: '#ffffff'
    lineColor: '#94a3b8'
    secondaryColor: '#334155'
    tertiaryColor: '#0f172a'
    noteBkgColor: '#f1f5f9'
    noteTextColor: '#0f172a'
meta:
  schemaVersion: 2
  generatedAt: 2025-09-15T12:00:00.000Z
---
flowchart TB
  instr_alpha["instr.alpha"]
  instr_beta["instr.beta"]
  category_ai["category:ai"]
  instr_alpha ---|primary| category_ai
  instr_alpha ---|category| instr_beta
  instr_beta ---|primary| category_ai
  instr_beta ---|belongs| category_ai`);
  });
});

/** What stands after the front matter, without the `flowchart TB` line. */
const bodyOf = (mermaid: string) => mermaid.split('\n---\n')[1]?.split('\n').slice(1) ?? [];
const idsOf = (mermaid: string) => bodyOf(mermaid).map((line) => /^ {2}(\w+)\["/.exec(line)?.[1]);

describe('mermaid', () => {
  it('declares categories that are only the end of an edge, so that they are shown by their name', () => {
    const plain = graph(['a.b'], [{ from: 'a.b', to: 'category:ai', type: 'primary' }]);
    expect(bodyOf(toMermaid(plain, time))).toEqual([
      '  a_b["a.b"]',
      '  category_ai["category:ai"]',
      '  a_b ---|primary| category_ai',
    ]);
  });

  it('gives ids that reduce to one another a number, the same in every run', () => {
    const text = toMermaid(graph(['a.b', 'a-b', 'a_b', 'a_b_2', 'a:b']), time);
    expect(idsOf(text)).toEqual(['a_b', 'a_b_2', 'a_b_3', 'a_b_2_2', 'a_b_4']);
  });

  it('numbers 20,000 ids that reduce to one without looking at each again', () => {
    const ids = Array.from({ length: 20_000 }, (_, place) => String.fromCharCode(0x4e00 + place));
    const start = performance.now();
    expect(new Set(idsOf(toMermaid(graph(ids), time))).size).toBe(20_000);
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  it.each(['end', 'graph', 'style', 'class', 'click', 'Default', 'linkStyle', '_self', 'constructor'])(
    'does not use its keyword %s as an id',
    (word) => {
      expect(bodyOf(toMermaid(graph([word]), time))).toEqual([`  ${word}_2["${word}"]`]);
    },
  );

  it('lets no line begin with the name of a direction, which the line before could make a statement', () => {
    const text = toMermaid(graph(['TBx'], [{ from: 'TBx', to: 'text-direction', type: 'category' }]), time);
    expect(bodyOf(text).at(-1)).toBe('  _TBx ---|category| text_direction');
  });

  it('names its schema in the front matter', () => {
    const { meta, description } = parse(toMermaid(graph([]), time).split('---\n')[1] ?? '');
    expect([meta.schemaVersion, description]).toEqual([
      1,
      'Deterministic instruction relationship graph (schema v1 minimal)',
    ]);
  });

  it.each(['now\n---\nflowchart LR', "x' # y", '2025-09-15T12:00:00Z\nevil: true', '\u2028---', 'a: b'])(
    'keeps the time %j inside the front matter, as one value',
    (hostile) => {
      const text = toMermaid(graph(['a']), hostile);
      expect(text.match(/^---$/gm)).toHaveLength(2);
      expect(parse(text.split('\n---\n')[0] ?? '').meta).toEqual({ schemaVersion: 1, generatedAt: hostile });
    },
  );
});

describe('hostile names', () => {
  const names = [
    ...['a"b', 'a\\', 'a\\"', 'a\nb', 'a\r\nb', 'a]b["c"]', '<script>alert(1)</script>', '&quot;', '#quot;', '#34;'],
    ...['%%{init: {"theme":"dark"}}%%', '%% comment', '---', '\n---\n', 'direction TB', 'x direction LR', '`md`', ''],
    ...['"; } graph Evil {', '"]\n  click a href "javascript:alert(1)"', '$$x$$', '\u2028x', '\0nul', 'ﬂ°°34¶ß', '|p|'],
  ];
  const edges = names.map((name): Edge => ({ from: name, to: `category:${name}`, type: 'primary' }));
  const all = graph(names, edges);

  it('stay in their strings in DOT, and two never become one', () => {
    const [first, ...lines] = toDot(all).split(/[\n\r\u2028\u2029\u0085]/);
    const string = String.raw`"(?:[^"\\]|\\.)*"`;
    expect([first, lines.pop(), lines.length]).toEqual(['graph Instructions {', '}', names.length * 2]);
    for (const line of lines.slice(0, names.length)) expect(line).toMatch(new RegExp(`^ {2}${string};$`));
    for (const line of lines.slice(names.length)) {
      expect(line).toMatch(new RegExp(`^ {2}${string} -- ${string} \\[label="primary"\\];$`));
    }
    expect(new Set(lines).size).toBe(lines.length);
  });

  it('stay in their labels in mermaid, with an id each', () => {
    const text = toMermaid(all, time);
    const lines = bodyOf(text);
    expect(text.match(/^---$/gm)).toHaveLength(2);
    expect(lines).toHaveLength(names.length * 3);
    const declared = lines.slice(0, names.length * 2);
    for (const line of declared) expect(line).toMatch(/^ {2}\w+\["(?:[\p{L}\p{N} _.,:/+=()-]|#\d+;)+"\]$/u);
    for (const line of declared) expect(line).not.toMatch(/---|%%|direction\s+[A-Z]{2}/);
    for (const line of lines.slice(names.length * 2)) expect(line).toMatch(/^ {2}\w+ ---\|primary\| \w+$/);
    expect(new Set(idsOf(text).slice(0, names.length * 2)).size).toBe(names.length * 2);
  });

  it('can be read back from their labels', () => {
    const labels = bodyOf(toMermaid(graph(names.filter((name) => name !== '')), time)).map((line) =>
      line.slice(line.indexOf('["') + 2, -2).replace(/#(\d+);/g, (_, code) => String.fromCodePoint(Number(code))),
    );
    expect(labels).toEqual(names.filter((name) => name !== ''));
  });
});
