import { randomBytes } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { CairnError, toCairnError } from '../../errors.ts';
import { type Context, operation } from '../../operations/operation.ts';
import { allowedPath } from '../../service/roots.ts';
import type { DocumentDraft, SnapshotRecord } from '../../store/documents.ts';
import { selecting } from '../glob.ts';
import { checkedPath, faultOf, placeIn } from '../place.ts';
import { type Taken, takeFile, takeText } from '../take.ts';
import { filesIn } from '../walk.ts';
import { collection, documentWrite, metadata, path, patterns, tags } from './shape.ts';

const ERRORS_SHOWN = 20;
/** Files whose contents are in the store and that are then written as documents in one transaction. */
const BATCH = 100;

const input = z.strictObject({
  path: path.optional().describe('A file or folder within the allowed roots.'),
  content: z.string().max(10_000_000).optional().describe('A text to store instead; needs name.'),
  name: z.string().min(1).max(1024).optional().describe('The path of the text as a document.'),
  collection: collection.default('default'),
  recursive: z.boolean().default(true).describe('Whether folders below the folder are taken too.'),
  include_patterns: patterns.default([]),
  exclude_patterns: patterns.default([]),
  tags: tags.default([]),
  metadata: metadata.default({}),
  label: z.string().max(200).optional().describe('Label of the snapshot that a folder makes.'),
});
type Input = z.infer<typeof input>;

export const add = operation({
  ...documentWrite,
  name: 'add',
  description:
    'Stores a file, a folder (with what .gitignore leaves), or a text given as content and name. Unchanged files are not read again; a folder makes a snapshot.',
  idempotent: true,
  positional: ['path'],
  input,
  output: z.object({
    hash: z.string().optional(),
    path: z.string(),
    collection: z.string(),
    added: z.number(),
    updated: z.number(),
    unchanged: z.number(),
    bytes: z.number().describe('Of all files that were looked at.'),
    new_bytes: z.number().describe('That were not in the store yet.'),
    snapshot_id: z.string().optional(),
    failed: z.number(),
    errors: z.array(z.object({ path: z.string(), error: z.string() })),
  }),
  example: { input: { name: 'notes/design.md', content: '# Design\n\nOne store for everything.\n', tags: ['design'] } },
  async run(given, context) {
    const { path: named, content, name } = given;
    if ((named === undefined) === (content === undefined)) {
      throw new CairnError('validation_failed', 'add takes either path, or content with name');
    }
    if (named === undefined) return addText(context, given, name, content ?? '');
    const real = await allowedPath(named, context.config, context.principal);
    const stats = await lstat(real);
    if (!stats.isFile() && !stats.isDirectory())
      throw new CairnError('validation_failed', `${named} is no file or folder`);
    return stats.isFile() ? addFile(context, given, real) : addFolder(context, given, real);
  },
});

async function addText(context: Context, input: Input, name: string | undefined, content: string) {
  if (name === undefined) throw new CairnError('validation_failed', 'content needs a name: the path of the document');
  const run = new Run(context, input);
  const place = checkedPath(name);
  run.keep(place, await takeText(context.store.objects, name, content, run.options));
  return run.finish(place);
}

async function addFile(context: Context, input: Input, file: string) {
  const run = new Run(context, input);
  const place = checkedPath(placeIn(projectOf(context), file, file));
  run.keep(place, await takeFile(context.store.objects, file, run.options));
  return run.finish(place);
}

async function addFolder(context: Context, input: Input, folder: string) {
  const run = new Run(context, input);
  const wanted = selecting(input.include_patterns, input.exclude_patterns);
  for await (const found of filesIn(folder, context.signal)) {
    if (!input.recursive && found.path.includes('/')) continue;
    if (!wanted(found.path)) continue;
    await run.take(join(folder, found.path), placeIn(projectOf(context), folder, join(folder, found.path)));
  }
  await run.write();
  const snapshot = await run.snapshot();
  return { ...(await run.finish(placeIn(projectOf(context), folder, folder))), snapshot_id: snapshot.id };
}

/** The folder that paths are seen from: the one that holds the home. */
function projectOf({ store }: Context): string {
  return basename(store.location) === '.cairn' ? dirname(store.location) : process.cwd();
}

/** One call of add: gathers what it took in, and writes it in batches. */
class Run {
  readonly options: { signal: AbortSignal; maxBytes: number };
  readonly #context: Context;
  readonly #input: Input;
  #waiting: { place: string; taken: Taken }[] = [];
  readonly #tally = { added: 0, updated: 0, unchanged: 0, bytes: 0, new_bytes: 0, failed: 0 };
  readonly #errors: { path: string; error: string }[] = [];
  #last: string | undefined;

  constructor(context: Context, input: Input) {
    this.#context = context;
    this.#input = input;
    this.options = { signal: context.signal, maxBytes: context.config.maxDocument };
  }

  keep(place: string, taken: Taken): void {
    this.#waiting.push({ place, taken });
    this.#tally.bytes += taken.size;
    this.#tally.new_bytes += taken.added;
  }

  /** A file of a folder: one that cannot be taken is named, and the others are. */
  async take(file: string, place: string): Promise<void> {
    try {
      const fault = faultOf(place);
      if (fault !== undefined) throw new CairnError('validation_failed', fault);
      if (!(await this.#isUnchanged(file, place))) {
        this.keep(place, await takeFile(this.#context.store.objects, file, this.options));
      }
    } catch (thrown) {
      this.#context.signal.throwIfAborted();
      this.#tally.failed++;
      if (this.#errors.length < ERRORS_SHOWN) this.#errors.push({ path: place, error: toCairnError(thrown).message });
    }
    if (this.#waiting.length >= BATCH) await this.write();
  }

  /** By a look at the file alone, unless tags or metadata are to change. */
  async #isUnchanged(file: string, place: string): Promise<boolean> {
    const known = await this.#context.read((view) => view.documents.at(this.#input.collection, place));
    const stats = await lstat(file);
    const source = known?.source;
    if (source?.path !== file || source.size !== stats.size || source.modifiedMs !== stats.mtimeMs) return false;
    if (this.#input.tags.length > 0 || Object.keys(this.#input.metadata).length > 0) return false;
    this.#tally.unchanged++;
    this.#tally.bytes += stats.size;
    return true;
  }

  async write(): Promise<void> {
    const batch = this.#waiting;
    if (batch.length === 0) return;
    this.#waiting = [];
    const { collection: name, tags: own, metadata: facts } = this.#input;
    await this.#context.write(async (change, audit) => {
      const now = new Date().toISOString();
      for (const { place, taken } of batch) {
        const { added: _added, ...content } = taken;
        const known = await change.documents.at(name, place);
        const document: DocumentDraft = {
          ...content,
          collection: name,
          path: place,
          tags: [...new Set([...(known?.tags ?? []), ...own])],
          metadata: { ...known?.metadata, ...facts },
          created: known?.created ?? now,
          indexed: now,
        };
        await change.documents.put(document);
        this.#last = content.hash;
        if (known === undefined) this.#tally.added++;
        else if (known.hash === content.hash) this.#tally.unchanged++;
        else this.#tally.updated++;
      }
      audit.subject(...batch.slice(0, 10).map(({ place }) => `${name}/${place}`));
      if (batch.length > 10) audit.note(`${batch.length} documents`);
    });
    const { added, updated, unchanged } = this.#tally;
    this.#context.progress({ done: added + updated + unchanged, message: batch.at(-1)?.place ?? '' });
  }

  snapshot(): Promise<SnapshotRecord> {
    const { collection: name, label } = this.#input;
    return takeSnapshot(this.#context, name, label ?? '');
  }

  async finish(place: string) {
    await this.write();
    const single = this.#tally.added + this.#tally.updated + this.#tally.unchanged === 1;
    return {
      ...(single && this.#last !== undefined && { hash: this.#last }),
      path: place,
      collection: this.#input.collection,
      ...this.#tally,
      errors: this.#errors,
    };
  }
}

export async function takeSnapshot(context: Context, name: string, label: string): Promise<SnapshotRecord> {
  const created = new Date().toISOString();
  const id = `${created.slice(0, 19).replace(/[-:]/g, '')}-${randomBytes(4).toString('hex')}`;
  return context.write(async (change, audit) => {
    audit.subject(`snapshot ${id}`);
    return change.documents.takeSnapshot({ id, collection: name, label, created });
  });
}
