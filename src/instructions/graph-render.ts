/** The catalog's graph as text for drawing: DOT and mermaid, in the form of S1's examples. */
import { dotString, mermaidLabel, mermaidNames, unicodeEscape } from '../graph/drawing.ts';
import type { Graph } from './graph.ts';

export function toDot({ nodes, edges }: Graph): string {
  return [
    'graph Instructions {',
    ...nodes.map(({ id }) => `  ${dotString(id)};`),
    ...edges.map(({ from, to, type }) => `  ${dotString(from)} -- ${dotString(to)} [label="${type}"];`),
    '}',
  ].join('\n');
}

/** `generatedAt` is given and not read from a clock, so that the same catalog gives the same text. */
export function toMermaid({ meta, nodes, edges }: Graph, generatedAt: string): string {
  const names = mermaidNames();
  for (const { id } of nodes) names.of(id);
  const lines = edges.map(({ from, to, type }) => `  ${names.of(from)} ---|${type}| ${names.of(to)}`);
  // Categories have no node of their own in schema v1 but are the end of edges: they too are declared, with a label,
  // because mermaid would otherwise show the reduced id.
  const declared = names.all().map(([id, name]) => `  ${name}["${mermaidLabel(id)}"]`);
  return [...frontMatter(meta.graphSchemaVersion, generatedAt), 'flowchart TB', ...declared, ...lines].join('\n');
}

function frontMatter(schemaVersion: 1 | 2, generatedAt: string): readonly string[] {
  return [
    '---',
    'title: Instruction Catalog Graph',
    `description: Deterministic instruction relationship graph (schema ${schemaVersion === 1 ? 'v1 minimal' : 'v2 enriched'})`,
    'config:',
    '  theme: base',
    '  themeVariables:',
    "    primaryColor: '#1e3a8a'",
    "    primaryTextColor: '#ffffff'",
    "    lineColor: '#94a3b8'",
    "    secondaryColor: '#334155'",
    "    tertiaryColor: '#0f172a'",
    "    noteBkgColor: '#f1f5f9'",
    "    noteTextColor: '#0f172a'",
    'meta:',
    `  schemaVersion: ${schemaVersion}`,
    `  generatedAt: ${yamlTime(generatedAt)}`,
    '---',
  ];
}

/** A time stands plain, as in S1; anything else is quoted, in ASCII, so that it stays one scalar on one line. */
function yamlTime(time: string): string {
  return /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z$/.test(time)
    ? time
    : JSON.stringify(time).replace(/[^ -~]/g, unicodeEscape);
}
