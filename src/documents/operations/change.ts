import * as z from 'zod';
import { CairnError } from '../../errors.ts';
import { operation } from '../../operations/operation.ts';
import type { DocumentRecord } from '../../store/documents.ts';
import { matching, meant, notFound } from '../find.ts';
import { isPattern } from '../glob.ts';
import { collection, documentWrite, given, hash, metadata, pairs, path, tags } from './shape.ts';

const SHOWN = 100;

export const update = operation({
  ...documentWrite,
  name: 'update',
  description: 'Changes metadata and tags of documents, by hash, name or pattern. The content stays.',
  idempotent: true,
  input: z.strictObject({
    hash: hash.optional(),
    name: path.optional().describe('Path, the unique end of one, or a pattern.'),
    collection: collection.optional(),
    metadata: pairs.optional().describe('key=value, each; what is not named stays.'),
    metadata_object: metadata.optional().describe('The same as an object.'),
    tags: tags.default([]).describe('To add.'),
    remove_tags: tags.default([]),
    dry_run: z.boolean().default(false),
  }),
  output: z.object({
    matched: z.number(),
    updated: z.number(),
    dry_run: z.boolean().optional(),
    paths: z.array(z.string()),
  }),
  // S4 shows a list of pairs; its makers also sent an object under the same name.
  prepare: (raw) => {
    const fields = raw as Record<string, unknown> | null;
    if (typeof fields?.metadata !== 'object' || fields.metadata === null || Array.isArray(fields.metadata)) return raw;
    const { metadata: facts, ...rest } = fields;
    return { ...rest, metadata_object: facts };
  },
  example: { given, input: { name: 'design.md', metadata: ['status=reviewed', 'priority=high'] } },
  async run({ metadata: listed = [], metadata_object = {}, tags: wanted, remove_tags, dry_run, ...which }, context) {
    const facts = { ...Object.fromEntries(listed.map(pairOf)), ...metadata_object };
    const change = (document: DocumentRecord) => ({
      ...document,
      metadata: { ...document.metadata, ...facts },
      tags: [...new Set([...document.tags, ...wanted])].filter((tag) => !remove_tags.includes(tag)),
    });
    const done = await context.write(async ({ documents }, audit) => {
      const found = await meant(documents, which);
      if (found.length === 0) throw notFound(which.name ?? which.hash ?? '');
      const changed = found.filter((each) => JSON.stringify(change(each)) !== JSON.stringify(each));
      if (dry_run || changed.length === 0) audit.skip();
      else for (const each of changed) await documents.put(change(each));
      audit.subject(...changed.slice(0, 20).map((each) => `${each.collection}/${each.path}`));
      return { found, changed };
    });
    return {
      matched: done.found.length,
      updated: done.changed.length,
      ...(dry_run && { dry_run }),
      paths: done.changed.slice(0, SHOWN).map((each) => each.path),
    };
  },
});

function pairOf(pair: string): [string, string] {
  const at = pair.indexOf('=');
  return [pair.slice(0, at), pair.slice(at + 1)];
}

export const remove = operation({
  ...documentWrite,
  name: 'delete',
  description: 'Removes documents by name or pattern. Snapshots keep what they hold; dry_run shows what would go.',
  destructive: true,
  idempotent: true,
  positional: ['name'],
  input: z.strictObject({
    name: path.optional().describe('Path, the unique end of one, or a pattern such as *.tmp.'),
    names: z.array(path).max(1000).optional(),
    hash: hash.optional().describe('Every path that has this content.'),
    collection: collection.optional(),
    dry_run: z.boolean().default(false),
  }),
  output: z.object({
    deleted: z.number(),
    dry_run: z.boolean().optional(),
    paths: z.array(z.string()),
    not_found: z.array(z.string()),
  }),
  example: { given, input: { name: '*.md', dry_run: true } },
  async run({ name, names = [], hash: content, collection: within, dry_run }, context) {
    const wanted = [...(name === undefined ? [] : [name]), ...names];
    if (wanted.length === 0 && content === undefined) {
      throw new CairnError('validation_failed', 'Say what to delete: name, names or hash');
    }
    return context.write(async ({ documents }, audit) => {
      const found = new Map<number, DocumentRecord>();
      const missing: string[] = [];
      for (const each of wanted) {
        const matched = await matching(documents, [each], within);
        for (const document of matched) found.set(document.id, document);
        if (matched.length === 0 && !isPattern(each)) missing.push(each);
      }
      if (content !== undefined) {
        for (const document of await meant(documents, { hash: content, collection: within }))
          found.set(document.id, document);
      }
      if (dry_run || found.size === 0) audit.skip();
      else for (const id of found.keys()) await documents.remove(id);
      const all = [...found.values()].map((each) => `${each.collection}/${each.path}`);
      audit.subject(...all.slice(0, 20));
      return { deleted: found.size, ...(dry_run && { dry_run }), paths: all.slice(0, SHOWN), not_found: missing };
    });
  },
});
