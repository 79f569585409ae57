import { lstat, readdir, readFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import * as z from 'zod';
import { CairnError, toCairnError } from '../../errors.ts';
import type { Context } from '../../operations/operation.ts';
import { operation } from '../../operations/operation.ts';
import { sentence, violationsOf } from '../../operations/violations.ts';
import { allowedPath } from '../../service/roots.ts';
import { scanForSecrets } from '../../service/secret-scan.ts';
import type { Change } from '../../store/store.ts';
import { type AddOptions, type Decision, decideAdd, type Given } from '../change.ts';
import { derive } from '../derive.ts';
import { type Entry, fileOf, isId, serialize } from '../entry.ts';
import { readEntry } from '../file.ts';
import { addOptions, demoted, refreshed, textOf } from './add.ts';
import { catalogWrite, entryInput } from './shape.ts';

const MAX_ENTRIES = 50_000;

const modes = ['skip', 'overwrite', 'merge'] as const;
type Mode = (typeof modes)[number];

const issue = z.object({ index: z.number(), id: z.string().optional(), error: z.string(), code: z.string() });

export const importEntries = operation({
  ...catalogWrite,
  name: 'instructions_import',
  description:
    'Takes in many instructions: inline entries, or a folder or file of another tool (an index-server catalog, AGENTS.md, CLAUDE.md, Copilot or Cursor rules, a JSON backup). Reports everything it had to change.',
  spellings: ['instructions/import'],
  verdict: 'ok',
  rest: 'Import fewer files at a time to see every mapping.',
  input: z.strictObject({
    entries: z.array(z.record(z.string(), z.unknown())).max(50_000).optional(),
    source: z.string().min(1).max(4096).optional().describe('A folder or file inside the allowed roots.'),
    mode: z
      .enum(modes)
      .default('skip')
      .describe('What to do with ids that exist; merge joins categories and fills absent fields.'),
    validate: z
      .boolean()
      .default(true)
      .describe('false: the source is trusted about owners. Ids, types and secrets are always checked.'),
    preserve: z.boolean().default(false).describe('Keep times, versions and change logs as they are in the source.'),
    batchSize: z.int().min(1).max(1000).default(100),
  }),
  output: z.object({
    hash: z.string(),
    imported: z.number(),
    skipped: z.number(),
    overwritten: z.number(),
    total: z.number(),
    ok: z.boolean().describe('Whether every entry was taken or skipped as asked.'),
    errors: z.array(issue),
    processingTimeMs: z.number(),
    mappings: z.array(z.record(z.string(), z.unknown())).optional(),
    ignored: z.array(z.record(z.string(), z.unknown())).optional(),
  }),
  example: { input: { entries: [{ id: 'commit-why', body: 'Say in each commit why, not only what.' }], mode: 'skip' } },
  async run({ entries, source, mode, validate, preserve, batchSize }, context) {
    const started = performance.now();
    if ((entries === undefined) === (source === undefined)) {
      throw new CairnError('invalid_params', 'instructions_import needs either entries or source');
    }
    const foreign = source === undefined ? undefined : await readSource(source, context);
    const given: unknown[] = entries ?? foreign?.entries.map(({ facts }) => facts) ?? [];
    const errors = (foreign?.problems ?? []).map(({ path, error, code }) => ({
      index: -1,
      id: path,
      error,
      code: String(code),
    }));
    // What another tool calls mandatory need not have an owner there; it shows as unowned here.
    const trusted = !validate || source !== undefined;
    if (given.length > MAX_ENTRIES) throw new CairnError('limit_exceeded', `More than ${MAX_ENTRIES} entries at once`);
    const tally = { imported: 0, skipped: 0, overwritten: 0 };
    const options = await addOptions(context, { overwrite: mode !== 'skip', lax: true, expectedVersion: undefined });
    const touched: string[] = [];
    for (let start = 0; start < given.length; start += batchSize) {
      context.signal.throwIfAborted();
      const batch = await checked(given.slice(start, start + batchSize), start, errors);
      const decide = (change: Change, entry: Given) =>
        decideImport(change, entry, { ...options(entry.id), trusted }, mode, preserve, context);
      await writeBatch(context, batch, decide, tally, errors, touched);
      context.progress({
        done: Math.min(start + batchSize, given.length),
        total: given.length,
        message: 'instructions imported',
      });
    }
    return {
      hash: await refreshed(context, touched),
      ...tally,
      total: given.length,
      ok: errors.length === 0,
      errors,
      processingTimeMs: Math.round(performance.now() - started),
      ...(foreign && { mappings: foreign.mappings, ignored: foreign.ignored }),
    };
  },
});

/** The readers of other tools' files, with the YAML parser they need, load only when something is read. */
export async function readSource(source: string, { config, principal }: Context) {
  const { readForeign } = await import('../foreign/read.ts');
  return readForeign(await filesAt(await allowedPath(source, config, principal), resolve(config.home)));
}

type Issue = z.infer<typeof issue>;
interface Numbered {
  readonly index: number;
  readonly entry: Given;
}

/** Types and secrets first, outside the transaction; what is wrong with one entry says so in its place. */
async function checked(batch: readonly unknown[], start: number, errors: Issue[]): Promise<Numbered[]> {
  const sound: Numbered[] = [];
  for (const [offset, raw] of batch.entries()) {
    const index = start + offset;
    const parsed = entryInput.safeParse(raw);
    const id = String((raw as { id?: unknown } | null)?.id ?? '');
    if (!parsed.success) {
      errors.push({ index, id, error: sentence(violationsOf(parsed.error, raw)), code: 'invalid_entry' });
      continue;
    }
    const [secret] = await scanForSecrets(textOf(parsed.data));
    if (secret === undefined) sound.push({ index, entry: parsed.data });
    else errors.push({ index, id, error: `It holds a secret: ${secret.masked}`, code: `secret: ${secret.rule}` });
  }
  return sound;
}

type Decide = (change: Change, entry: Given) => Promise<Decision>;

async function writeBatch(
  context: Context,
  batch: readonly Numbered[],
  decide: Decide,
  tally: { imported: number; skipped: number; overwritten: number },
  errors: Issue[],
  touched: string[],
): Promise<void> {
  if (batch.length === 0) return;
  await context.write(async (change, audit) => {
    const before = touched.length;
    for (const { index, entry } of batch) {
      const decision = await decide(change, entry);
      if (decision.kind === 'refuse')
        errors.push({ index, id: entry.id, error: decision.hint, code: decision.refused });
      else if (decision.kind === 'skip') tally.skipped++;
      else {
        const text = serialize(decision.entry);
        const reading = readEntry(entry.id, text);
        if ('problem' in reading) {
          errors.push({ index, id: entry.id, error: `The entry ${reading.problem}`, code: 'invalid_entry' });
          continue;
        }
        if (decision.previous === undefined) tally.imported++;
        else tally.overwritten++;
        await change.files.put('instructions', fileOf(entry.id), text);
        touched.push(entry.id);
      }
    }
    if (touched.length === before) audit.skip();
    audit.subject(...touched.slice(before));
  });
}

async function decideImport(
  change: Change,
  entry: Given,
  options: AddOptions,
  mode: Mode,
  preserve: boolean,
  { principal }: Context,
): Promise<Decision> {
  const text = isId(entry.id) ? await change.files.read('instructions', fileOf(entry.id)) : undefined;
  const reading = text === undefined ? undefined : readEntry(entry.id, text);
  const present = reading === undefined || 'problem' in reading ? undefined : reading.entry;
  const status = principal.role === 'agent' ? options.status : entry.status;
  // The tier of an exported entry was derived, and is derived again: nobody asked for it.
  const { priorityTier: _tier, ...untiered } = entry;
  const { createdAt: _created, updatedAt: _updated, ...undated } = untiered;
  const wanted = { ...(preserve ? untiered : undated), status };
  const agent = principal.role === 'agent';
  if (present !== undefined && mode === 'merge')
    return demoted(decideAdd(merged(present, wanted), present, options), agent);
  const decision = decideAdd(wanted, present, options);
  if (!preserve || decision.kind !== 'write') return demoted(decision, agent);
  // To the letter: what an export gave comes back as it was, over what was there.
  const sent = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined)) as Given;
  const exact = derive(
    { ...decision.entry, ...sent, body: sent.body ?? decision.entry.body },
    { ...options, canonical: false },
  );
  return demoted({ kind: 'write', entry: exact, ...(present && { previous: present }) }, agent);
}

/** What is there wins; categories are joined, and what is absent is filled. */
function merged(present: Entry, entry: Given): Given {
  return { ...entry, ...present, categories: [...new Set([...present.categories, ...(entry.categories ?? [])])] };
}

const MAX_FILES = 20_000;
const MAX_BYTES = 5 * 1024 * 1024 + 1;

/** Files below a folder, links and what no importer reads left out; or the one file. */
async function filesAt(path: string, home: string): Promise<{ path: string; text: string }[]> {
  const stats = await lstat(path);
  if (!stats.isDirectory() && !stats.isFile())
    throw new CairnError('validation_failed', 'The source is neither a folder nor a file');
  const paths = stats.isDirectory() ? await below(path, home) : [path];
  const files: { path: string; text: string }[] = [];
  for (const file of paths) {
    const name = stats.isDirectory() ? relative(path, file) : basename(file);
    try {
      const { size } = await lstat(file);
      // An oversized file is not read, only reported: the reader names its limit.
      files.push({ path: name, text: size > MAX_BYTES ? ' '.repeat(MAX_BYTES) : await readFile(file, 'utf8') });
    } catch (thrown) {
      throw new CairnError('not_found', `${name} cannot be read: ${toCairnError(thrown).detail.message}`);
    }
  }
  return files;
}

/** Cairn's own home is no source: what is in it is here already. */
async function below(folder: string, home: string): Promise<string[]> {
  const found: string[] = [];
  const queue = [folder];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const entry of await readdir(next, { withFileTypes: true })) {
      if (
        entry.name === 'node_modules' ||
        entry.name === '.git' ||
        entry.name === '.cairn' ||
        join(next, entry.name) === home
      )
        continue;
      if (entry.isDirectory()) queue.push(join(next, entry.name));
      else if (entry.isFile() && /\.(json|md|mdc)$|^\.cursorrules$/i.test(entry.name))
        found.push(join(next, entry.name));
      if (found.length > MAX_FILES)
        throw new CairnError('limit_exceeded', `The folder holds more than ${MAX_FILES} files`);
    }
  }
  return found.sort();
}
