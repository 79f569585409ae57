/** How nodes and edges look in an answer. */
import * as z from 'zod';

export const nodeShape = z.object({
  key: z.string(),
  type: z.string(),
  label: z.string(),
  collection: z.string().optional(),
  path: z.string().optional(),
  hash: z.string().optional().describe('Of the content; a symbol has that of its document.'),
  kind: z.string().optional().describe('What sort of symbol, decision or event.'),
  line: z.number().optional(),
  end_line: z.number().optional(),
  status: z.string().optional(),
  namespace: z.string().optional(),
});

export const reachedShape = nodeShape.extend({ depth: z.number().describe('Steps from the origin.') });

export const edgeShape = z.object({
  source: z.string(),
  target: z.string(),
  relation: z.string(),
  line: z.number().optional().describe('Where the source says so.'),
  resolved: z.boolean().optional().describe('false: what is meant is not in the store, or cannot be known.'),
});
