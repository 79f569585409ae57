import * as z from 'zod';
import { CairnError } from '../../errors.ts';
import type { Context } from '../../operations/operation.ts';
import { operation } from '../../operations/operation.ts';
import { sentence, violationsOf } from '../../operations/violations.ts';
import { scanForSecrets } from '../../service/secret-scan.ts';
import type { FileShelf } from '../../store/store.ts';
import { type AddOptions, type Decision, decideAdd, type Given } from '../change.ts';
import { derive } from '../derive.ts';
import { type Entry, fileOf, isId, serialize } from '../entry.ts';
import { readEntry } from '../file.ts';
import { type ForeignCatalog, foreignKinds } from '../foreign/catalog.ts';
import { addOptions, demoted, refreshed, textOf } from './add.ts';
import { catalogWrite, entryInput } from './shape.ts';
import { readSource } from './source.ts';

const MAX_ENTRIES = 50_000;

const modes = ['skip', 'overwrite', 'merge'] as const;
type Mode = (typeof modes)[number];

const issue = z.object({ index: z.number(), id: z.string().optional(), error: z.string(), code: z.string() });

export const importEntries = operation({
  ...catalogWrite,
  name: 'instructions_import',
  description:
    'Takes in many instructions: inline entries, or a folder or file of another tool (an index-server catalog, AGENTS.md, CLAUDE.md, Copilot or Cursor rules, a JSON backup). Reports everything it had to change; dryRun reports and changes nothing.',
  spellings: ['instructions/import'],
  verdict: 'ok',
  changesNothing: ({ dryRun }) => dryRun === true,
  rest: 'Import fewer files at a time to see every mapping.',
  input: z.strictObject({
    entries: z.array(z.record(z.string(), z.unknown())).max(50_000).optional(),
    source: z.string().min(1).max(4096).optional().describe('A folder or file inside the allowed roots.'),
    kind: z.enum(foreignKinds).optional().describe('Reads every file of the source as this kind. Absent: recognised.'),
    rules: z
      .boolean()
      .default(false)
      .describe(
        'Of a folder only the files that coding agents read (AGENTS.md, Copilot, Cursor, Windsurf, Cline…), without what .gitignore leaves out.',
      ),
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
    dryRun: z.boolean().default(false).describe('Report what would be done, and do nothing.'),
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
    dryRun: z.boolean().optional().describe('Nothing was changed.'),
    files: z
      .array(z.object({ path: z.string(), entries: z.number() }))
      .optional()
      .describe('Files of the source that hold instructions, and how many.'),
    mappings: z.array(z.record(z.string(), z.unknown())).optional(),
    ignored: z.array(z.record(z.string(), z.unknown())).optional(),
  }),
  example: { input: { entries: [{ id: 'commit-why', body: 'Say in each commit why, not only what.' }], mode: 'skip' } },
  async run({ entries, source, kind, rules, mode, validate, preserve, batchSize, dryRun }, context) {
    const started = performance.now();
    if ((entries === undefined) === (source === undefined)) {
      throw new CairnError('invalid_params', 'instructions_import needs either entries or source');
    }
    const foreign = source === undefined ? undefined : await readSource(source, context, { kind, rules });
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
    const rehearsal = rehearsed(context.store.files);
    for (let start = 0; start < given.length; start += batchSize) {
      context.signal.throwIfAborted();
      const batch = await checked(given.slice(start, start + batchSize), start, errors);
      const decide = (files: Reads, entry: Given) =>
        decideImport(files, entry, { ...options(entry.id), trusted }, mode, preserve, context);
      const account = { tally, errors, touched };
      if (dryRun) await take(batch, rehearsal, decide, account);
      else await writeBatch(context, batch, decide, account);
      context.progress({
        done: Math.min(start + batchSize, given.length),
        total: given.length,
        message: dryRun ? 'instructions looked at' : 'instructions imported',
      });
    }
    return {
      hash: await refreshed(context, dryRun ? [] : touched),
      ...tally,
      total: given.length,
      ok: errors.length === 0,
      errors,
      processingTimeMs: Math.round(performance.now() - started),
      ...(dryRun && { dryRun }),
      ...(foreign && { files: filesOf(foreign), mappings: foreign.mappings, ignored: foreign.ignored }),
    };
  },
});

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

type Reads = Pick<FileShelf, 'read'>;
type Decide = (files: Reads, entry: Given) => Promise<Decision>;

interface Files extends Reads {
  put(shelf: 'instructions', name: string, text: string): Promise<void>;
}

interface Account {
  readonly tally: { imported: number; skipped: number; overwritten: number };
  readonly errors: Issue[];
  readonly touched: string[];
}

/** What would be written is remembered, so that a second entry of the same id meets the first. */
function rehearsed(files: Reads): Files {
  const planned = new Map<string, string>();
  return {
    read: async (shelf, name) => planned.get(name) ?? files.read(shelf, name),
    async put(_shelf, name, text) {
      planned.set(name, text);
    },
  };
}

async function writeBatch(context: Context, batch: readonly Numbered[], decide: Decide, account: Account) {
  if (batch.length === 0) return;
  const { touched } = account;
  await context.write(async (change, audit) => {
    const before = touched.length;
    await take(batch, change.files, decide, account);
    if (touched.length === before) audit.skip();
    audit.subject(...touched.slice(before));
  });
}

async function take(batch: readonly Numbered[], files: Files, decide: Decide, account: Account): Promise<void> {
  const { tally, errors, touched } = account;
  for (const { index, entry } of batch) {
    const decision = await decide(files, entry);
    if (decision.kind === 'refuse') errors.push({ index, id: entry.id, error: decision.hint, code: decision.refused });
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
      await files.put('instructions', fileOf(entry.id), text);
      touched.push(entry.id);
    }
  }
}

function filesOf({ entries }: ForeignCatalog): { path: string; entries: number }[] {
  const counts = new Map<string, number>();
  // Where a file holds several, `from` says which after its path.
  for (const { from } of entries) {
    const path = from.replace(/(?:#.*|\[\d+\])$/s, '');
    counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  return [...counts].map(([path, count]) => ({ path, entries: count }));
}

async function decideImport(
  files: Reads,
  entry: Given,
  options: AddOptions,
  mode: Mode,
  preserve: boolean,
  { principal }: Context,
): Promise<Decision> {
  const text = isId(entry.id) ? await files.read('instructions', fileOf(entry.id)) : undefined;
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
