import { randomBytes } from 'node:crypto';
import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import * as z from 'zod';
import { CairnError } from '../../errors.ts';
import { type Context, operation } from '../../operations/operation.ts';
import { allowedPath } from '../../service/roots.ts';
import type { SnapshotRecord } from '../../store/documents.ts';
import { selecting } from '../glob.ts';
import { Ingest } from '../ingest.ts';
import { placeIn } from '../place.ts';
import { sessionOf } from '../session/current.ts';
import { filesIn } from '../walk.ts';
import { collection, documentWrite, metadata, path, patterns, sessionId, tags } from './shape.ts';

const input = z.strictObject({
  path: path.optional().describe('A file or folder within the allowed roots.'),
  paths: z.array(path).min(1).max(10_000).optional().describe('Several of them.'),
  content: z.string().max(10_000_000).optional().describe('A text to store instead; needs name.'),
  name: z.string().min(1).max(1024).optional().describe('The path of the text as a document.'),
  collection: collection.default('default'),
  recursive: z.boolean().default(true).describe('Whether folders below the folder are taken too.'),
  include_patterns: patterns.default([]),
  exclude_patterns: patterns.default([]),
  tags: tags.default([]),
  metadata: metadata.default({}),
  label: z.string().max(200).optional().describe('Label of the snapshot that a folder makes.'),
  base: path.optional().describe('A folder: files lie where they would if it had been added whole.'),
  session: sessionId.optional(),
});
type Input = z.infer<typeof input>;

export const add = operation({
  ...documentWrite,
  name: 'add',
  shown: ['name', 'collection', 'tags', 'metadata', 'label'],
  description:
    'Stores a file, a folder (with what .gitignore leaves), or a text given as content and name. Unchanged files are not read again; a folder makes a snapshot.',
  idempotent: true,
  positional: ['path'],
  input,
  output: z.object({
    hash: z.string().optional().describe('Of the content, where it is one.'),
    path: z.string().optional().describe('Of the document, or of the folder as documents see it.'),
    collection: z.string(),
    added: z.number(),
    updated: z.number(),
    unchanged: z.number(),
    bytes: z.number().describe('Of all files that were looked at.'),
    new_bytes: z.number().describe('That were not in the store yet.'),
    snapshot_id: z.string().optional(),
    pending: z.number().optional().describe('Changes of documents that cannot be found yet.'),
    failed: z.number(),
    errors: z.array(z.object({ path: z.string(), error: z.string() })),
  }),
  example: { input: { name: 'notes/design.md', content: '# Design\n\nOne store for everything.\n', tags: ['design'] } },
  async run(given, context) {
    const { path: one, paths: several, content, name } = given;
    if ([one, several, content].filter((each) => each !== undefined).length !== 1) {
      throw new CairnError('validation_failed', 'add takes either path, paths, or content with name');
    }
    const ingest = new Ingest(context, { ...given, session: await sessionOf(context, given.session) });
    if (content === undefined) return addPaths(context, ingest, given, several ?? [one ?? '']);
    if (name === undefined) throw new CairnError('validation_failed', 'content needs a name: the path of the document');
    await ingest.text(name, content);
    return ingest.report();
  },
});

async function addPaths(context: Context, ingest: Ingest, given: Input, named: readonly string[]) {
  const project = projectOf(context);
  const single = given.paths === undefined;
  const base = given.base === undefined ? undefined : await allowedPath(given.base, context.config, context.principal);
  let folder: string | undefined;
  for (const each of named) {
    const found = await lookAt(context, each).catch((thrown: unknown) => {
      if (single) throw thrown;
      ingest.refuse(each, thrown);
    });
    if (found === undefined) continue;
    const { real, isFolder } = found;
    if (isFolder) {
      folder = real;
      await addFolder(context, ingest, given, real, project);
    } else if (single) await ingest.file(real, placeIn(project, base ?? real, real));
    else await ingest.offer(real, placeIn(project, base ?? real, real));
  }
  const report = await ingest.report();
  if (folder === undefined) return report;
  const { id } = await takeSnapshot(context, given.collection, given.label ?? '');
  return { ...report, ...(single && { path: placeIn(project, folder, folder) }), snapshot_id: id };
}

async function lookAt({ config, principal }: Context, named: string): Promise<{ real: string; isFolder: boolean }> {
  const real = await allowedPath(named, config, principal);
  const stats = await lstat(real);
  if (stats.isFile() || stats.isDirectory()) return { real, isFolder: stats.isDirectory() };
  throw new CairnError('validation_failed', `${named} is no file or folder`);
}

async function addFolder(context: Context, ingest: Ingest, given: Input, folder: string, project: string) {
  const wanted = selecting(given.include_patterns, given.exclude_patterns);
  // A home may have any name, and lie in the folder.
  const home = await realpath(context.config.home).catch(() => context.config.home);
  for await (const found of filesIn(folder, context.signal)) {
    if (!given.recursive && found.path.includes('/')) continue;
    const file = join(folder, found.path);
    if (!wanted(found.path) || file.startsWith(`${home}${sep}`)) continue;
    await ingest.offer(file, placeIn(project, folder, file));
  }
}

/** The folder that paths are seen from: the one that holds the home. */
export function projectOf({ config }: Pick<Context, 'config'>): string {
  return basename(config.home) === '.cairn' ? dirname(config.home) : process.cwd();
}

export async function takeSnapshot(context: Context, name: string, label: string): Promise<SnapshotRecord> {
  const created = new Date().toISOString();
  const id = `${created.slice(0, 19).replace(/[-:]/g, '')}-${randomBytes(4).toString('hex')}`;
  return context.write(async (change, audit) => {
    audit.subject(`snapshot ${id}`);
    return change.documents.takeSnapshot({ id, collection: name, label, created });
  });
}
