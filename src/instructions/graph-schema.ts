/** The JSON Schema of a graph of version 2 (S1: schemas/graph-export-v2.schema.json). */
import { requirements, statuses, tiers } from './entry.ts';
import { edgeTypes } from './graph.ts';

const text = { type: 'string' } as const;
const count = { type: 'integer', minimum: 0 } as const;

export const graphExportV2Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'graph_export, schema version 2',
  type: 'object',
  additionalProperties: false,
  required: ['meta', 'nodes', 'edges'],
  properties: {
    meta: {
      type: 'object',
      additionalProperties: false,
      required: ['graphSchemaVersion', 'nodeCount', 'edgeCount'],
      properties: {
        graphSchemaVersion: { const: 2 },
        nodeCount: count,
        edgeCount: count,
        truncated: { type: 'boolean' },
        notes: { type: 'array', items: text },
      },
    },
    nodes: { type: 'array', items: { oneOf: [{ $ref: '#/$defs/instruction' }, { $ref: '#/$defs/category' }] } },
    edges: { type: 'array', items: { $ref: '#/$defs/edge' } },
  },
  $defs: {
    instruction: {
      type: 'object',
      additionalProperties: false,
      // S1's example leaves the rest out where an entry does not have it.
      required: ['id', 'nodeType', 'categories'],
      properties: {
        id: text,
        nodeType: { const: 'instruction' },
        categories: { type: 'array', items: text, uniqueItems: true },
        primaryCategory: text,
        priority: { type: 'number', minimum: 1, maximum: 100 },
        priorityTier: { enum: tiers },
        requirement: { enum: requirements },
        owner: text,
        status: { enum: statuses },
        version: text,
        createdAt: text,
        updatedAt: text,
        usageCount: count,
      },
    },
    category: {
      type: 'object',
      additionalProperties: false,
      required: ['id', 'nodeType'],
      properties: { id: { type: 'string', pattern: '^category:' }, nodeType: { const: 'category' } },
    },
    edge: {
      type: 'object',
      additionalProperties: false,
      required: ['from', 'to', 'type', 'weight'],
      properties: { from: text, to: text, type: { enum: edgeTypes }, weight: { const: 1 } },
    },
  },
} as const;
