import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { CairnError } from '../../errors.ts';
import { type Context, operation } from '../../operations/operation.ts';
import { allowedPath } from '../../service/roots.ts';
import { sha256 } from '../../store/hash.ts';
import { type Exported, type ExportedDocument, readExport } from '../export-file.ts';
import { filesIn } from '../walk.ts';
import { collection, documentWrite, metadata, path, tags } from './shape.ts';

const MAX_EXPORT = 256 * 1024 ** 2;
const SHOWN = 1000;

const inline = z.object({
  path: z.string().min(1).max(1024),
  content: z.string().max(10_000_000),
  tags: tags.optional(),
  metadata: metadata.optional(),
});

export const documentsImport = operation({
  ...documentWrite,
  name: 'documents_import',
  shown: ['collection'],
  description:
    'Takes in documents of YAMS: a folder that its restore wrote, or a JSON file of documents with their contents, tags and metadata. Hashes that are given are checked. A second run brings only what is new. dryRun reports and changes nothing.',
  idempotent: true,
  positional: ['source'],
  changesNothing: ({ dryRun }) => dryRun === true,
  input: z.strictObject({
    source: path.optional().describe('The folder or file, within the allowed roots.'),
    documents: z.array(inline).max(1000).optional().describe('Documents, instead of a source.'),
    collection: collection.default('default'),
    dryRun: z.boolean().default(false).describe('Report what would be done, and do nothing.'),
  }),
  output: z.object({
    dryRun: z.boolean().optional(),
    collection: z.string(),
    found: z.number(),
    imported: z.number(),
    present: z.number().describe('Here already, with the same content.'),
    skipped: z.array(z.object({ item: z.string(), reason: z.string() })),
    snapshot_id: z.string().optional(),
  }),
  example: { input: { documents: [{ path: 'notes/meeting.md', content: '# Meeting\n', tags: ['meeting'] }] } },
  async run({ source, documents, collection: name, dryRun }, context) {
    if ((source === undefined) === (documents === undefined))
      throw new CairnError('invalid_params', 'documents_import needs either source or documents');
    const place = source === undefined ? undefined : await allowedPath(source, context.config, context.principal);
    if (place !== undefined && (await lstat(place)).isDirectory()) return takeFolder(context, place, name, dryRun);
    const exported = place === undefined ? readInline(documents ?? []) : await exportAt(place);
    return { ...(dryRun && { dryRun }), collection: name, ...(await takeExport(context, exported, name, dryRun)) };
  },
});

function readInline(documents: readonly z.infer<typeof inline>[]): Exported {
  return checked(readExport(JSON.stringify(documents)));
}

async function exportAt(file: string): Promise<Exported> {
  const facts = await lstat(file);
  if (!facts.isFile()) throw new CairnError('validation_failed', 'The source is neither a folder nor a file');
  if (facts.size > MAX_EXPORT) throw new CairnError('limit_exceeded', 'The file is larger than 256 MiB');
  return checked(readExport(await readFile(file, 'utf8')));
}

function checked(exported: ReturnType<typeof readExport>): Exported {
  if ('problem' in exported) throw new CairnError('validation_failed', `The file cannot be read: ${exported.problem}`);
  return exported;
}

async function takeExport(context: Context, { documents, skipped }: Exported, name: string, dryRun: boolean) {
  const left = [...skipped];
  let imported = 0;
  let present = 0;
  for (const [at, document] of documents.entries()) {
    context.signal.throwIfAborted();
    context.progress({ done: at, total: documents.length, message: document.path });
    const before = await isHere(context, name, document);
    if (before) present++;
    else if (dryRun) imported++;
    else {
      const { path: place, content, tags: words, metadata: facts } = document;
      const input = { name: place, content, tags: words, metadata: facts, collection: name };
      try {
        await context.call('add', input);
        imported++;
      } catch (thrown) {
        if (!(thrown instanceof CairnError) || thrown.kind === 'internal_error') throw thrown;
        left.push({ item: place, reason: thrown.message });
      }
    }
  }
  return { found: documents.length + skipped.length, imported, present, skipped: left.slice(0, SHOWN) };
}

async function isHere(context: Context, name: string, { path: place, content }: ExportedDocument): Promise<boolean> {
  const found = await context.read((view) => view.documents.at(name, place));
  return found?.hash === sha256(content);
}

interface Added {
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
  readonly errors: readonly { readonly path: string; readonly error: string }[];
  readonly snapshot_id?: string;
}

async function takeFolder(context: Context, folder: string, name: string, dryRun: boolean) {
  await refuseStorage(folder);
  if (dryRun) {
    let found = 0;
    for await (const _ of filesIn(folder, context.signal)) found++;
    return { dryRun, collection: name, found, imported: found, present: 0, skipped: [] };
  }
  const done = (await context.call('add', { path: folder, collection: name })) as Added;
  const { added, updated, unchanged, failed, errors, snapshot_id } = done;
  return {
    collection: name,
    found: added + updated + unchanged + failed,
    imported: added + updated,
    present: unchanged,
    skipped: errors.map(({ path: item, error }) => ({ item, reason: error })),
    ...(snapshot_id !== undefined && { snapshot_id }),
  };
}

/** Its own files are chunks and tables whose form is not documented: taking them in as documents would help nobody. */
async function refuseStorage(folder: string): Promise<void> {
  for (const name of ['yams.db', 'refs.db', 'storage/objects', 'storage/refs.db']) {
    if ((await lstat(join(folder, name)).catch(() => undefined)) === undefined) continue;
    throw new CairnError(
      'validation_failed',
      `This is the storage of YAMS itself (${name}), whose form is not documented`,
      {
        suggestion:
          'Let YAMS write the documents out (execute restore with a collection and output_directory), then import that folder.',
      },
    );
  }
}
