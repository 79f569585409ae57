/** What the operations of the document store share. */
import * as z from 'zod';
import type { DocumentRecord } from '../../store/documents.ts';

export const documentRead = {
  family: 'documents',
  toolsets: ['documents'],
  capability: 'read',
  writes: false,
  kind: 'step',
} as const;

export const documentWrite = {
  family: 'documents',
  toolsets: ['documents'],
  capability: 'write',
  writes: true,
  kind: 'step',
} as const;

export const collection = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/);
export const path = z.string().min(1).max(4096);
export const patterns = z.array(z.string().min(1).max(1024)).max(100);
export const sessionId = z
  .string()
  .min(1)
  .max(100)
  .describe('Id that session start answered; without it, the session of this connection.');
export const tags = z.array(z.string().min(1).max(100)).max(50);
export const hash = z
  .string()
  .regex(/^(?:sha256[-:])?[0-9a-fA-F]{8,64}$/)
  .describe('Hash of the content, whole or its first 8 characters or more.');

/** S4's two forms: an object, or a list of `key=value`. */
export const metadata = z.record(z.string(), z.string().max(10_000));
export const pairs = z
  .array(
    z
      .string()
      .max(10_300)
      .regex(/^[^=]{1,200}=/),
  )
  .max(200);

export const documentShape = z.object({
  id: z.number(),
  hash: z.string(),
  name: z.string(),
  path: z.string(),
  collection: z.string(),
  size: z.number(),
  type: z.string(),
  mime: z.string(),
  tags: z.array(z.string()),
  metadata: z.record(z.string(), z.string()),
  created: z.string(),
  modified: z.string(),
  indexed: z.string(),
  flagged: z.string().optional().describe('The rule of a secret that was found in it.'),
});

export function shown(document: DocumentRecord) {
  const { kind, source: _source, ...rest } = document;
  return { ...rest, name: document.path.slice(document.path.lastIndexOf('/') + 1), type: kind };
}

/** A document that examples can find. */
export const given = [
  {
    op: 'add',
    params: { name: 'notes/design.md', content: '# Design\n\nOne store for everything.\n', tags: ['design'] },
  },
] as const;
