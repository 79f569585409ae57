import * as z from 'zod';
import { CairnError } from '../../errors.ts';
import { type Audit, operation } from '../../operations/operation.ts';
import type { DocumentRecord, DocumentShelf } from '../../store/documents.ts';
import type { Change } from '../../store/store.ts';
import { matching, meant, named, notFound, wholeHash } from '../find.ts';
import { isPattern } from '../glob.ts';
import { collection, documentWrite, given, hash, metadata, pairs, path, tags } from './shape.ts';

const SHOWN = 100;

export const update = operation({
  ...documentWrite,
  name: 'update',
  shown: ['tags', 'metadata', 'metadata_object'],
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
    const planned = async (documents: DocumentShelf) => {
      const found = await meant(documents, which);
      if (found.length === 0) throw notFound(which.name ?? which.hash ?? '');
      const changed = found.filter((each) => JSON.stringify(change(each)) !== JSON.stringify(each));
      return { found, changed };
    };
    const carryOut = async ({ documents }: Change, audit: Audit) => {
      const plan = await planned(documents);
      if (plan.changed.length === 0) audit.skip();
      for (const each of plan.changed) await documents.put(change(each));
      audit.subject(...plan.changed.slice(0, 20).map((each) => `${each.collection}/${each.path}`));
      return plan;
    };
    const done = await (dry_run ? context.read(({ documents }) => planned(documents)) : context.write(carryOut));
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
    exact: z.boolean().default(false).describe('Names are whole paths, and no patterns.'),
    dry_run: z.boolean().default(false),
  }),
  output: z.object({
    deleted: z.number(),
    dry_run: z.boolean().optional(),
    paths: z.array(z.string()),
    not_found: z.array(z.string()),
  }),
  example: { given, input: { name: '*.md', dry_run: true } },
  async run({ name, names = [], hash: content, collection: within, exact, dry_run }, context) {
    const wanted = [...(name === undefined ? [] : [name]), ...names];
    if (wanted.length === 0 && content === undefined) {
      throw new CairnError('validation_failed', 'Say what to delete: name, names or hash');
    }
    const planned = async (documents: DocumentShelf) => {
      const fits = () =>
        exact ? exactly(documents, wanted, within ?? 'default') : matching(documents, wanted, within);
      const found = await doomed(documents, fits, wanted, content, within);
      const missing: string[] = [];
      for (const each of wanted) {
        if (exact && !found.some(({ path: own }) => own === each)) missing.push(each);
        if (!exact && !isPattern(each) && (await named(documents, each, within)) === undefined) missing.push(each);
      }
      return { found, paths: found.map((each) => `${each.collection}/${each.path}`), missing };
    };
    const carryOut = async ({ documents }: Change, audit: Audit) => {
      const plan = await planned(documents);
      if (plan.found.length === 0) audit.skip();
      for (const { id } of plan.found) await documents.remove(id);
      audit.subject(...plan.paths.slice(0, 20));
      return plan;
    };
    const { found, paths, missing } = await (dry_run
      ? context.read(({ documents }) => planned(documents))
      : context.write(carryOut));
    return { deleted: found.length, ...(dry_run && { dry_run }), paths: paths.slice(0, SHOWN), not_found: missing };
  },
});

async function exactly(documents: DocumentShelf, paths: readonly string[], within: string): Promise<DocumentRecord[]> {
  const found: DocumentRecord[] = [];
  for (const each of new Set(paths)) {
    const document = await documents.at(within, each);
    if (document !== undefined) found.push(document);
  }
  return found;
}

/** What one of the names fits; where a hash is given too, only what has that content. */
async function doomed(
  documents: DocumentShelf,
  fits: () => Promise<DocumentRecord[]>,
  wanted: readonly string[],
  content: string | undefined,
  within: string | undefined,
): Promise<DocumentRecord[]> {
  if (content === undefined) return fits();
  if (wanted.length === 0) return meant(documents, { hash: content, collection: within });
  const whole = await wholeHash(documents, content);
  return (await fits()).filter((each) => each.hash === whole);
}
