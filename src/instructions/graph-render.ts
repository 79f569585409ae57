/**
 * A graph as text for drawing: DOT and mermaid, in the form of S1's examples.
 *
 * Ids and categories may come from files that others wrote, and both languages have ways out of a quoted label: a
 * quote, a backslash before it, a line break, and in mermaid also HTML, `%%{init}%%` directives anywhere in the text
 * and keywords where a node id stands. So labels keep only characters known to be harmless, and mermaid ids are made
 * of letters, digits and `_` alone.
 */
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

/**
 * DOT knows two escapes inside quotes, `\"` and `\\`. Line breaks and other control characters are written as a single
 * backslash and letters: no text can yield that, since its own backslashes are doubled, so two ids never become one.
 */
function dotString(text: string): string {
  return `"${text.replace(/["\\\p{Cc}\p{Zl}\p{Zp}]/gu, dotEscape)}"`;
}

function dotEscape(character: string): string {
  if (character === '"' || character === '\\') return `\\${character}`;
  return character === '\n' ? '\\n' : character === '\r' ? '\\r' : unicodeEscape(character);
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * Mermaid's own escapes are `#<code>;`. Everything but letters, digits and plain punctuation takes that form; so do
 * runs of hyphens, which look like a link or the end of the front matter, and the blank after `direction`, because
 * mermaid takes any line that contains `direction TB` for a statement, quoted or not.
 */
function mermaidLabel(text: string): string {
  // Mermaid refuses a label of nothing.
  if (text === '') return ' ';
  return text.replace(/-{3,}|(?<=direction) |[^\p{L}\p{M}\p{N} _.,:/+=()-]/gu, (found) =>
    Array.from(found, (character) => `#${character.codePointAt(0)};`).join(''),
  );
}

/** Words that mermaid's grammar, or the plain objects inside its older versions, would not take as the id of a node. */
const keywords = new Set([
  ...['graph', 'flowchart', 'subgraph', 'end', 'style', 'linkstyle', 'classdef', 'class', 'default', 'interpolate'],
  ...['click', 'href', 'call', '_self', '_blank', '_parent', '_top', '__proto__', 'constructor'],
]);

/** Gives each id a name of its own, in the order of first use; of several that reduce to one, later ones get a number. */
function mermaidNames() {
  const named = new Map<string, string>();
  const taken = new Set<string>();
  const lastNumber = new Map<string, number>();
  const fresh = (id: string): string => {
    // A line that ends in `direction`, before one that begins with `TB`, is that same statement to mermaid.
    const base = id.replace(/[^A-Za-z0-9_]/gu, '_').replace(/^(?=TB|BT|LR|RL|TD)/, '_');
    if (base !== '' && !keywords.has(base.toLowerCase()) && !taken.has(base)) return base;
    let number = lastNumber.get(base) ?? 1;
    do number += 1;
    while (taken.has(`${base}_${number}`));
    lastNumber.set(base, number);
    return `${base}_${number}`;
  };
  return {
    of(id: string): string {
      const known = named.get(id);
      if (known !== undefined) return known;
      const name = fresh(id);
      taken.add(name);
      named.set(id, name);
      return name;
    },
    all: (): readonly (readonly [string, string])[] => [...named],
  };
}
