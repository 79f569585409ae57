/** The verbs of the graph. */
import type { Verb } from './verb.ts';

export const graphVerbs: readonly Verb[] = [
  {
    name: 'graph',
    usage: '[NAME]',
    about: 'what a document, symbol, instruction or decision is connected with',
    notes:
      'NAME is a path or the end of one, a symbol such as Store.open, an id, or a key such as folder:default/src. Without it: which kinds of nodes there are.',
    operation: 'graph',
    spoken: ['name', 'node_key'],
    answersForOperation: true,
    letters: { r: 'reverse', d: 'depth', n: 'limit' },
    examples: [
      ['cairn graph src/main.ts --depth 2', 'what it defines, imports and calls'],
      ['cairn graph Store.open -r --relation CALLS', 'who calls it'],
      ['cairn graph src/main.ts --format mermaid', 'as a drawing'],
    ],
    load: async () => (await import('./graph.ts')).showGraph,
  },
  {
    name: 'impact',
    usage: 'NAME',
    about: 'what depends on a document, symbol, instruction or decision',
    notes: 'NAME as for cairn graph. Look here before you change something.',
    operation: 'graph_impact',
    spoken: ['name', 'node_key'],
    answersForOperation: true,
    letters: { d: 'depth', n: 'limit' },
    examples: [
      ['cairn impact src/store.ts', 'documents that import it, and those that import these'],
      ['cairn impact Store.open --depth 1', 'its callers, and what mentions it'],
    ],
    load: async () => (await import('./graph.ts')).showImpact,
  },
  {
    name: 'path',
    usage: 'NAME NAME',
    about: 'the shortest way from one node of the graph to another',
    notes: 'NAME as for cairn graph. Exit code 1 if no way was found.',
    operation: 'graph_path',
    spoken: ['from', 'to'],
    answersForOperation: true,
    examples: [['cairn path src/main.ts src/db.ts --directed', 'through which imports and calls']],
    load: async () => (await import('./graph.ts')).showPath,
  },
];
