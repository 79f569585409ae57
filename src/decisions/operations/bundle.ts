import { basename, dirname, join, sep } from 'node:path';
import * as z from 'zod';
import { CairnError } from '../../errors.ts';
import { cite } from '../../graph/stale.ts';
import { type Context, operation } from '../../operations/operation.ts';
import { allowedPath } from '../../service/roots.ts';
import type { Change } from '../../store/store.ts';
import { writeBundleFile } from '../../store/tar.ts';
import { type Bundle, decisionsIn, entriesOf, gather, readBundle } from '../bundle.ts';
import { activeFor } from '../change.ts';
import { fileOf, idOfFile, plainId, publicId } from '../record.ts';
import { ALIAS_FILE, targetKey } from '../target.ts';
import { refuseSecrets } from './secrets.ts';
import { currentLedger, given, memoryWrite, success } from './shape.ts';

const filename = z
  .string()
  .min(1)
  .max(4096)
  .describe('A bare name lies in the backups folder of the home; a path must be within the allowed roots.');

export const exportMemoryBundle = operation({
  ...memoryWrite,
  name: 'export_memory_bundle',
  description:
    'Writes all decisions, events and links to one archive, with the hash of each file. import_memory_bundle reads it.',
  capability: 'purge',
  idempotent: true,
  positional: ['output_filename'],
  input: z.strictObject({ output_filename: filename.default('memory_export.tar.gz') }),
  output: success({ export_path: z.string(), decisions: z.number(), events: z.number(), bytes: z.number() }),
  example: { given, input: { output_filename: 'memory_export.tar.gz' } },
  async run({ output_filename }, context) {
    const path = await placeOf(output_filename, context);
    const bundle = await context.read((view) => gather(view, new Date().toISOString()));
    const bytes = await writeBundleFile(path, entriesOf(bundle));
    await context.write(async (_change, audit) => audit.subject(path));
    const { decisions, events } = bundle;
    return { status: 'success' as const, export_path: path, decisions: decisions.size, events: events.length, bytes };
  },
});

/** A file that need not exist yet; its folder must, and must be one that the caller may name. */
async function placeOf(given: string, context: Context): Promise<string> {
  if (isBare(given)) return inBackups(given, context);
  const name = checkedName(basename(given));
  const folder = await allowedPath(dirname(given), context.config, context.principal);
  return join(folder, name);
}

/** One that exists: a link is followed before it is judged. What an export or a guard was called is known again. */
async function bundleAt(given: string, context: Context): Promise<string> {
  const name = basename(given);
  if (isBare(given) || given === inBackups(name, context)) return inBackups(name, context);
  return allowedPath(given, context.config, context.principal);
}

function isBare(given: string): boolean {
  return !given.includes('/') && !given.includes(sep);
}

function inBackups(name: string, { config }: Context): string {
  return join(config.home, 'backups', checkedName(name));
}

function checkedName(name: string): string {
  const isOdd = name === '' || name === '.' || name === '..' || /\p{Cc}/u.test(name) || Buffer.byteLength(name) > 200;
  if (isOdd) throw new CairnError('validation_failed', `${JSON.stringify(name.slice(0, 100))} is no name of a file`);
  return name;
}

export const importMemoryBundle = operation({
  ...memoryWrite,
  name: 'import_memory_bundle',
  description:
    'Puts a memory bundle back: all of it or nothing. Refused where it contradicts what is there; with replace the present decisions give way, after a bundle of them was made.',
  capability: 'purge',
  destructive: true,
  positional: ['path'],
  input: z.strictObject({
    path: filename,
    replace: z.boolean().default(false).describe('Remove the present decisions first.'),
    confirm: z.boolean().default(false).describe('Needed with replace.'),
  }),
  output: success({
    decisions: z.number().describe('How many were new or changed.'),
    unchanged: z.number(),
    removed: z.number(),
    events: z.number().describe('How many were new.'),
    links: z.number(),
    guard: z.string().optional().describe('The bundle of what was there before.'),
  }),
  example: {
    given: [...given, { op: 'export_memory_bundle', params: { output_filename: 'memory_export.tar.gz' } }],
    input: { path: 'memory_export.tar.gz' },
  },
  async run({ path, replace, confirm }, context) {
    if (replace && !confirm) {
      throw new CairnError('validation_failed', 'Replacing all decisions needs confirm: true');
    }
    const ledger = await currentLedger(context);
    const place = await bundleAt(path, context);
    const bundle = await readBundle(place);
    for (const text of bundle.decisions.values()) await refuseSecrets(text);
    const guard = replace ? await guarded(context) : undefined;
    const done = await context.write(async (change, audit) => {
      audit.subject(place);
      const removed = replace ? await removeOthers(change, bundle) : [];
      if (!replace) await refuseContradictions(change, context, bundle);
      const written = await putFiles(change, bundle, replace);
      const evidence = await putEvents(change, bundle);
      await claimTruths(change, bundle, replace);
      return { removed, written, ...evidence };
    });
    const touched = [...done.removed, ...done.written].map((name) => idOfFile(name) ?? '');
    await ledger.refresh(touched);
    await cite(context, 'decision', touched, { by: context.principal.name });
    return {
      status: 'success' as const,
      decisions: done.written.length,
      unchanged: bundle.decisions.size - done.written.length,
      removed: done.removed.length,
      events: done.events,
      links: done.links,
      ...(guard !== undefined && { guard }),
    };
  },
});

async function guarded(context: Context): Promise<string> {
  const now = new Date().toISOString();
  const path = join(context.config.home, 'backups', `memory-${now.replace(/[:.]/g, '-')}.tar.gz`);
  await writeBundleFile(path, entriesOf(await context.read((view) => gather(view, now))));
  return path;
}

/** Two stores may each have gone on from the same bundle: which of them is right is for a person to say. */
async function refuseContradictions(change: Change, { store }: Context, bundle: Bundle): Promise<void> {
  const differing: string[] = [];
  for (const [name, text] of bundle.decisions) {
    const present = await change.files.read('decisions', name);
    if (present !== undefined && present !== text) differing.push(publicId(idOfFile(name) ?? name));
  }
  const aliases = await change.files.read('home', ALIAS_FILE);
  if (bundle.aliases !== undefined && aliases !== undefined && aliases !== bundle.aliases) differing.push(ALIAS_FILE);
  const rivals: string[] = [];
  for (const { id, kind, status, namespace, target } of decisionsIn(bundle)) {
    if (kind !== 'decision' || status !== 'active') continue;
    const active = await activeFor(change, store.decisions, namespace, targetKey(target));
    rivals.push(
      ...active
        .filter((each) => each.id !== id && !bundle.decisions.has(fileOf(each.id)))
        .map((each) => publicId(each.id)),
    );
  }
  if (differing.length + rivals.length === 0) return;
  throw new CairnError('conflict', 'CONFLICT: the bundle contradicts decisions that are here', {
    differing: differing.slice(0, 50),
    other_truths: rivals.slice(0, 50),
    suggestion: 'Export what is here, then import with replace: true and confirm: true, or into another home.',
  });
}

async function removeOthers(change: Change, bundle: Bundle): Promise<string[]> {
  const removed: string[] = [];
  for (const { name } of await change.files.list('decisions')) {
    const id = idOfFile(name);
    if (id === undefined) continue;
    // Those of the bundle come with links of their own.
    await change.events.unlink(id);
    if (bundle.decisions.has(name)) continue;
    await change.files.remove('decisions', name);
    removed.push(name);
  }
  return removed;
}

async function putFiles(change: Change, { decisions, aliases }: Bundle, replace: boolean): Promise<string[]> {
  const written: string[] = [];
  for (const [name, text] of decisions) {
    if ((await change.files.read('decisions', name)) === text) continue;
    await change.files.put('decisions', name, text);
    written.push(name);
  }
  const present = await change.files.read('home', ALIAS_FILE);
  if (aliases !== undefined && aliases !== present) await change.files.put('home', ALIAS_FILE, aliases);
  if (replace && aliases === undefined && present !== undefined) await change.files.remove('home', ALIAS_FILE);
  return written;
}

async function putEvents(change: Change, bundle: Bundle): Promise<{ events: number; links: number }> {
  const numbers = new Map<number, number>();
  let events = 0;
  for (const event of bundle.events) {
    const { id, added } = await change.events.add(event, event.id);
    numbers.set(event.id, id);
    if (added) events++;
  }
  let links = 0;
  for (const { event, decision, created } of bundle.links) {
    const id = numbers.get(event);
    const known = bundle.decisions.has(fileOf(plainId(decision)));
    if (id !== undefined && known && (await change.events.link(id, plainId(decision), created))) links++;
  }
  return { events, links };
}

async function claimTruths(change: Change, bundle: Bundle, replace: boolean): Promise<void> {
  const seen = new Set<string>();
  for (const { id, kind, status, namespace, target } of decisionsIn(bundle)) {
    const key = targetKey(target);
    if (kind !== 'decision' || status !== 'active' || seen.has(`${namespace} ${key}`)) continue;
    seen.add(`${namespace} ${key}`);
    if (replace || (await change.truths.of(namespace, key)) !== id) await change.truths.release(namespace, key);
    await change.truths.claim(namespace, key, id);
  }
}
