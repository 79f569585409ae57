/** A part of the graph as text for drawing, and as a small tree for a terminal's width. */
import { dotString, mermaidLabel, mermaidNames } from './drawing.ts';
import type { GraphEdge, GraphNode } from './node.ts';

export const formats = ['json', 'dot', 'mermaid'] as const;
export type Format = (typeof formats)[number];

interface Drawn {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export function drawn({ nodes, edges }: Drawn, format: 'dot' | 'mermaid'): string {
  return format === 'dot' ? toDot(nodes, edges) : toMermaid(nodes, edges);
}

function toDot(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): string {
  return [
    'digraph Knowledge {',
    ...nodes.map(({ key, type, label }) => `  ${dotString(key)} [label=${dotString(`${type} ${label}`)}];`),
    ...edges.map(({ source, target, relation, resolved }) => {
      const style = resolved === false ? ', style=dashed' : '';
      return `  ${dotString(source)} -> ${dotString(target)} [label="${relation}"${style}];`;
    }),
    '}',
  ].join('\n');
}

function toMermaid(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): string {
  const names = mermaidNames();
  return [
    'flowchart LR',
    ...nodes.map(({ key, type, label }) => `  ${names.of(key)}["${mermaidLabel(`${type} ${label}`)}"]`),
    ...edges.map(({ source, target, relation, resolved }) => {
      const arrow = resolved === false ? '-.->' : '-->';
      return `  ${names.of(source)} ${arrow}|${relation}| ${names.of(target)}`;
    }),
  ].join('\n');
}
