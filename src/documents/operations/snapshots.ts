import { lstat, mkdir, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { CairnError, toCairnError } from '../../errors.ts';
import { type Context, operation } from '../../operations/operation.ts';
import { allowedPath } from '../../service/roots.ts';
import type { DocumentShelf, SnapshotFile } from '../../store/documents.ts';
import { selecting } from '../glob.ts';
import { faultOf } from '../place.ts';
import { reasonOf } from '../reason.ts';
import { placeBelow, wouldWrite, writeContent } from '../write-out.ts';
import { takeSnapshot } from './add.ts';
import { collection, documentRead, documentWrite, given, path, patterns } from './shape.ts';

const PAGE = 2000;
const SHOWN = 200;

const snapshotShape = z.object({
  id: z.string(),
  label: z.string(),
  collection: z.string(),
  created: z.string(),
  files: z.number(),
  bytes: z.number(),
  root: z.string().describe('Hash of all paths and contents: equal for equal trees.'),
});
const snapshotId = z.string().min(1).max(100).describe('Id of a snapshot, as list_snapshots gives it.');

export const listSnapshots = operation({
  ...documentRead,
  name: 'list_snapshots',
  description: 'Snapshots of collections, newest first.',
  rest: 'Go on with offset, or ask with a smaller limit.',
  input: z.strictObject({
    collection: collection.optional(),
    limit: z.int().min(1).max(1000).default(50),
    offset: z.int().min(0).default(0),
  }),
  output: z.object({ snapshots: z.array(snapshotShape) }),
  example: { given: [...given, { op: 'snapshot', params: { label: 'first' } }], input: {} },
  async run({ collection: name, limit, offset }, context) {
    return context.read(async ({ documents }) => ({ snapshots: await documents.snapshots(name, limit, offset) }));
  },
});

export const snapshot = operation({
  ...documentWrite,
  name: 'snapshot',
  shown: ['collection', 'label'],
  description:
    'Keeps a collection as it is now. A snapshot never changes; restore brings it back, snapshot_diff compares two.',
  input: z.strictObject({ collection: collection.default('default'), label: z.string().max(200).default('') }),
  output: snapshotShape,
  example: { given, input: { label: 'before the clean-up' } },
  async run({ collection: name, label }, context) {
    return takeSnapshot(context, name, label);
  },
});

export const snapshotDiff = operation({
  ...documentRead,
  name: 'snapshot_diff',
  description: 'What was added, changed and removed from one snapshot to another, or to the documents as they are now.',
  kind: 'plain',
  positional: ['from', 'to'],
  rest: 'Narrow it with patterns.',
  input: z.strictObject({
    from: snapshotId,
    to: snapshotId.optional().describe('Another snapshot; without it, the collection as it is now.'),
    include_patterns: patterns.default([]),
  }),
  output: z.object({
    added: z.array(z.string()),
    changed: z.array(z.string()),
    removed: z.array(z.string()),
    counts: z.object({ added: z.number(), changed: z.number(), removed: z.number(), same: z.number() }),
  }),
  example: {
    given: [...given, { op: 'snapshot', params: { label: 'first' } }],
    input: { from: '$prev.id' },
  },
  async run({ from, to, include_patterns }, context) {
    const wanted = selecting(include_patterns, []);
    return context.read(async ({ documents }) => {
      const { collection: name } = await known(documents, from);
      if (to !== undefined) await known(documents, to);
      const before = await gathered(documents, from, undefined, wanted);
      const after = await gathered(documents, to, name, wanted);
      const [added, changed, removed]: [string[], string[], string[]] = [[], [], []];
      let same = 0;
      for (const [file, content] of after) {
        const old = before.get(file);
        if (old === undefined) added.push(file);
        else if (old === content) same++;
        else changed.push(file);
      }
      for (const file of before.keys()) if (!after.has(file)) removed.push(file);
      const counts = { added: added.length, changed: changed.length, removed: removed.length, same };
      return { added, changed, removed, counts };
    });
  },
});

async function known(documents: DocumentShelf, id: string) {
  const found = await documents.snapshot(id);
  if (found === undefined) throw new CairnError('not_found', `There is no snapshot ${id}`);
  return found;
}

async function gathered(
  documents: DocumentShelf,
  id: string | undefined,
  name: string | undefined,
  wanted: (path: string) => boolean,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const file of filesOf(documents, id, name)) if (wanted(file.path)) found.set(file.path, file.hash);
  return found;
}

/** Of a snapshot, or of a collection as it is. */
async function* filesOf(
  documents: DocumentShelf,
  id: string | undefined,
  name: string | undefined,
): AsyncGenerator<SnapshotFile> {
  for (let after = '', more = true; more; ) {
    const page: readonly SnapshotFile[] =
      id === undefined ? await documents.page(name, after, PAGE) : await documents.snapshotFiles(id, after, PAGE);
    yield* page;
    after = page.at(-1)?.path ?? '';
    more = page.length === PAGE;
  }
}

export const restore = operation({
  ...documentWrite,
  name: 'restore',
  description:
    'Writes the documents of a collection or snapshot below a folder, byte for byte. Nothing outside of it; files that are there stay unless overwrite is set.',
  idempotent: true,
  input: z.strictObject({
    collection: collection.optional(),
    snapshot_id: snapshotId.optional(),
    output_directory: path.describe('A folder within the allowed roots; made where it is missing.'),
    dry_run: z.boolean().default(false),
    overwrite: z.boolean().default(false),
    include_patterns: patterns.default([]),
    exclude_patterns: patterns.default([]),
  }),
  output: z.object({
    restored: z.number(),
    skipped: z.number().describe('Files that were there already.'),
    bytes: z.number(),
    output_directory: z.string(),
    dry_run: z.boolean().optional(),
    paths: z.array(z.string()),
    failed: z.number(),
    errors: z.array(z.object({ path: z.string(), error: z.string() })),
  }),
  example: { given, input: { collection: 'default', output_directory: './restored', dry_run: true } },
  async run(input, context) {
    const { collection: name, snapshot_id, dry_run } = input;
    if ((name === undefined) === (snapshot_id === undefined)) {
      throw new CairnError('validation_failed', 'Say what to restore: either collection or snapshot_id');
    }
    const wanted = selecting(input.include_patterns, input.exclude_patterns);
    const files = await context.read(async ({ documents }) => {
      if (snapshot_id !== undefined) await known(documents, snapshot_id);
      const found: SnapshotFile[] = [];
      let any = snapshot_id !== undefined;
      for await (const file of filesOf(documents, snapshot_id, name)) {
        any = true;
        if (wanted(file.path)) found.push(file);
      }
      if (!any) throw noCollection(name ?? '');
      return found;
    });
    const folder = await outputFolder(context, input.output_directory, dry_run);
    const written = await writeAll(context, files, folder, input);
    if (!dry_run && written.restored > 0) {
      await context.write(async (_change, audit) => audit.note(`${written.restored} files below ${folder}`));
    }
    return { ...written, output_directory: folder, ...(dry_run && { dry_run }) };
  },
});

/** Its parent must be there and allowed; the folder itself is made by a real run only. */
async function outputFolder({ config, principal }: Context, given: string, dryRun: boolean): Promise<string> {
  try {
    const folder = await allowedPath(given, config, principal);
    if ((await lstat(folder)).isDirectory()) return folder;
  } catch (thrown) {
    if (toCairnError(thrown).kind !== 'not_found') throw thrown;
    return newFolder(await allowedPath(dirname(given), config, principal), basename(given), dryRun);
  }
  throw new CairnError('validation_failed', `${given} is no folder`);
}

async function newFolder(parent: string, name: string, dryRun: boolean): Promise<string> {
  const fault = faultOf(name);
  if (fault !== undefined) throw new CairnError('permission_denied', `${name} is not made a folder: ${fault}`);
  const folder = join(parent, name);
  if (!dryRun) await mkdir(folder);
  return folder;
}

function noCollection(name: string): CairnError {
  return new CairnError('not_found', `The collection ${name} holds no documents`, {
    suggestion: 'list_collections shows what there is.',
  });
}

async function writeAll(
  { store, config, signal, progress }: Context,
  files: readonly SnapshotFile[],
  folder: string,
  { dry_run, overwrite }: { dry_run: boolean; overwrite: boolean },
) {
  const destination = { folder, home: await realpath(config.home).catch(() => config.home) };
  const written = new Set<string>();
  const tally = { restored: 0, skipped: 0, bytes: 0, failed: 0 };
  const paths: string[] = [];
  const errors: { path: string; error: string }[] = [];
  for (const file of files) {
    signal.throwIfAborted();
    try {
      const done = dry_run
        ? await wouldWrite(destination, file.path, overwrite, written)
        : await writeContent(store.objects, file.hash, await placeBelow(destination, file.path), { overwrite, signal });
      if (!done) tally.skipped++;
      else {
        tally.restored++;
        if (dry_run) written.add(file.path);
        tally.bytes += file.size;
        if (paths.length < SHOWN) paths.push(file.path);
      }
    } catch (thrown) {
      signal.throwIfAborted();
      tally.failed++;
      if (errors.length < 20) errors.push({ path: file.path, error: reasonOf(thrown) });
    }
    progress({ done: tally.restored + tally.skipped + tally.failed, total: files.length, message: file.path });
  }
  return { ...tally, paths, errors };
}
