import * as z from 'zod';
import { operation } from '../../operations/operation.ts';
import { edgeTypes, exportGraph } from '../graph.ts';
import { toDot, toMermaid } from '../graph-render.ts';
import { given } from './shape.ts';
import { lastModified } from './status.ts';
import { viewCatalog } from './view.ts';

const record = z.record(z.string(), z.unknown());

export const graphExport = operation({
  name: 'graph_export',
  description:
    'The instructions as a graph of entries and categories: as JSON, or drawn for Graphviz (dot) or Mermaid.',
  family: 'governance',
  toolsets: ['instructions'],
  spellings: ['graph/export'],
  capability: 'read',
  writes: false,
  rest: 'Ask with maxEdges, or with fewer includeEdgeTypes.',
  input: z.strictObject({
    includeEdgeTypes: z.array(z.enum(edgeTypes)).max(3).optional().describe('Only these kinds of edges.'),
    maxEdges: z.int().min(0).optional(),
    format: z.enum(['json', 'dot', 'mermaid']).default('json'),
    enrich: z.boolean().default(false).describe('Schema 2: nodes with their facts.'),
    includeCategoryNodes: z.boolean().default(false),
    includeUsage: z.boolean().default(false),
  }),
  output: z.object({
    meta: record,
    nodes: z.array(record).optional(),
    edges: z.array(record).optional(),
    format: z.string().optional(),
    dot: z.string().optional(),
    mermaid: z.string().optional(),
  }),
  example: { given, input: { enrich: true, includeCategoryNodes: true, maxEdges: 25 } },
  async run({ format, includeUsage, ...wanted }, context) {
    const view = await viewCatalog(context);
    const heads = [...view.shelf.values()].map(({ head }) => head);
    const usage = includeUsage ? await context.read((store) => store.usage.of(heads.map(({ id }) => id))) : undefined;
    const graph = exportGraph(heads, {
      ...wanted,
      includePrimaryEdges: context.config.graphPrimaryEdges,
      largeCategoryCap: context.config.graphLargeCategoryCap,
      ...(usage && { usage: new Map([...usage].map(([id, { count }]) => [id, count])) }),
    });
    if (format === 'dot') return { meta: graph.meta, format, dot: toDot(graph) };
    if (format === 'mermaid') return { meta: graph.meta, format, mermaid: toMermaid(graph, lastModified(view)) };
    return { meta: graph.meta, nodes: graph.nodes, edges: graph.edges };
  },
});
