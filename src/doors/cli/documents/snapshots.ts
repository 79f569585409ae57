/** `cairn snapshot`, `snapshots`, `diff` and `restore`. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { CairnError } from '../../../errors.ts';
import { badUsage } from '../arguments.ts';
import { counted, numberText, sizeText, timeText } from '../figures.ts';
import { table } from '../table.ts';
import { type Line, toned } from '../terminal.ts';
import { type Failure, failureLines } from './add.ts';
import type { Order } from './verb.ts';

interface Snapshot {
  readonly id: string;
  readonly label: string;
  readonly collection: string;
  readonly created: string;
  readonly files: number;
  readonly bytes: number;
}

export async function takeSnapshot({ words, input, call, show }: Order): Promise<number> {
  if (words.length > 0 && input.label !== undefined) throw badUsage('Give the label once: as words, or with --label');
  const result = await call<Snapshot>('snapshot', { ...input, ...(words.length > 0 && { label: words.join(' ') }) });
  show(result, () => {
    const { id, collection, files, bytes } = result;
    return [[toned('strong', id), `: ${counted(files, 'file')} of ${collection}, ${sizeText(bytes)}`]];
  });
  return 0;
}

const columns = [
  { title: 'ID' },
  { title: 'TAKEN' },
  { title: 'COLLECTION' },
  { title: 'FILES', right: true },
  { title: 'SIZE', right: true },
  { title: 'LABEL', keep: 'start' },
] as const;

export async function listSnapshots({ words, input, width, call, show }: Order): Promise<number> {
  if (words.length > 0) throw badUsage(`${JSON.stringify(words[0])} is one word too many for snapshots`);
  const result = await call<{ snapshots: readonly Snapshot[] }>('list_snapshots', input);
  show(result, () => {
    if (result.snapshots.length === 0)
      return [['No snapshots. cairn snapshot LABEL takes one; adding a folder does too.']];
    const rows = result.snapshots.map(({ id, created, collection, files, bytes, label }) => [
      toned('name', id),
      timeText(created),
      collection,
      numberText(files),
      sizeText(bytes),
      label,
    ]);
    const full = result.snapshots.length >= Number(input.limit ?? 50);
    const next = Number(input.offset ?? 0) + result.snapshots.length;
    return [...table(columns, rows, width), ...(full ? [[toned('faint', `older ones: --offset ${next}`)]] : [])];
  });
  return 0;
}

interface Difference {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  readonly counts: Readonly<Record<'added' | 'changed' | 'removed' | 'same', number>>;
}

export async function compareSnapshots(order: Order): Promise<number> {
  const { words, input, call, show } = order;
  const [from = input.from, to = input.to, ...more] = words;
  if (from === undefined || more.length > 0)
    throw badUsage('diff needs a snapshot, and may take a second one, as in cairn diff latest');
  const result = await call<Difference>('snapshot_diff', {
    ...input,
    from: await snapshotMeant(order, String(from)),
    ...(to !== undefined && { to: await snapshotMeant(order, String(to)) }),
  });
  show(result, () => {
    const { added, changed, removed, counts } = result;
    const marked = [
      ...added.map((path) => ({ path, line: toned('good', `+ ${path}`) })),
      ...changed.map((path) => ({ path, line: toned('change', `~ ${path}`) })),
      ...removed.map((path) => ({ path, line: toned('bad', `- ${path}`) })),
    ].sort((a, b) => (a.path < b.path ? -1 : 1));
    const { added: plus, changed: tilde, removed: minus, same } = counts;
    return [
      ...marked.map(({ line }): Line => [line]),
      [toned('faint', `${plus} added, ${tilde} changed, ${minus} removed, ${numberText(same)} the same`)],
    ];
  });
  return 0;
}

const PAGE = 1000;
/** Less of an id than this is hardly meant as one. */
const SHORTEST = 5;

/** By its id, its label, the beginning of its id, or as the newest one. */
async function snapshotMeant(order: Order, given: string): Promise<string> {
  const found = await fitting(order, given);
  const [one, ...others] = found;
  if (one !== undefined && others.length === 0) return one.id;
  if (one === undefined)
    throw new CairnError('not_found', `There is no snapshot ${given}`, { suggestion: 'cairn snapshots lists them.' });
  throw badUsage(
    `${JSON.stringify(given)} means ${found.length} snapshots: ${found
      .slice(0, 5)
      .map(({ id }) => id)
      .join(', ')}${found.length > 5 ? ' …' : ''}`,
    'Give the id of the one that is meant.',
  );
}

async function fitting({ input, call }: Order, given: string): Promise<Snapshot[]> {
  const within = typeof input.collection === 'string' ? { collection: input.collection } : {};
  const labelled: Snapshot[] = [];
  const beginning: Snapshot[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const page = { ...within, limit: PAGE, offset };
    const { snapshots } = await call<{ snapshots: readonly Snapshot[] }>('list_snapshots', page);
    const exact = snapshots.find(({ id }) => id === given);
    if (exact !== undefined) return [exact];
    labelled.push(...snapshots.filter(({ label }) => label === given));
    beginning.push(...snapshots.filter(({ id }) => id.startsWith(given)));
    const [newest] = snapshots;
    if (given === 'latest' && offset === 0 && labelled.length === 0 && newest !== undefined) return [newest];
    if (snapshots.length < PAGE) return labelled.length > 0 ? labelled : beginning;
  }
}

interface Restored {
  readonly restored: number;
  readonly skipped: number;
  readonly bytes: number;
  readonly output_directory: string;
  readonly dry_run?: boolean;
  readonly paths: readonly string[];
  readonly failed: number;
  readonly errors: readonly Failure[];
}

export async function restoreFiles(order: Order): Promise<number> {
  const { call, show } = order;
  const { snapshot, folder } = restoreWords(order);
  if (snapshot === undefined && order.input.collection === undefined) await refuseSnapshotAlone(order);
  const { snapshot_id: _id, collection, ...how } = order.input;
  const source =
    snapshot === undefined
      ? { collection: collection ?? 'default' }
      : { snapshot_id: await snapshotMeant(order, snapshot) };
  const result = await call<Restored>('restore', { ...how, ...source, output_directory: folder });
  show(result, () => restoredLines(result));
  return result.failed > 0 ? 1 : 0;
}

/** The last word is the folder, the one before it the snapshot; flags may say either. */
function restoreWords({ words, input }: Order): { snapshot?: string; folder: string } {
  const left = [...words];
  const named = input.output_directory ?? left.pop();
  const snapshot = input.snapshot_id ?? left.pop();
  if (typeof named !== 'string' || left.length > 0)
    throw badUsage('restore needs a folder, as in cairn restore latest ./back');
  if (snapshot !== undefined && input.collection !== undefined && input.snapshot_id === undefined)
    throw badUsage('Say what to restore: either a snapshot or --collection');
  return { folder: resolve(named), ...(typeof snapshot === 'string' && { snapshot }) };
}

/** `restore latest` lacks its folder, and is no wish for a folder that is called so. */
async function refuseSnapshotAlone(order: Order): Promise<void> {
  const [word] = order.words;
  if (word === undefined || existsSync(word) || word.length < SHORTEST) return;
  if ((await fitting(order, word)).length > 0)
    throw badUsage(`${word} is a snapshot: say which folder to write it to`, `cairn restore ${word} ./back`);
}

function restoredLines({
  restored,
  skipped,
  bytes,
  output_directory,
  dry_run,
  paths,
  failed,
  errors,
}: Restored): Line[] {
  const verb = dry_run ? 'would be written' : 'written';
  const more = restored - paths.length;
  return [
    ...(dry_run ? paths.map((path): Line => ['  ', toned('good', path)]) : []),
    ...(dry_run && more > 0 ? [[`  and ${counted(more, 'other')}`]] : []),
    [toned('strong', `${counted(restored, 'file')} ${verb}`), ` to ${output_directory}: ${sizeText(bytes)}`],
    ...(skipped > 0 ? [[`${counted(skipped, 'file')} there already; --overwrite replaces what is there`]] : []),
    ...failureLines('not written', failed, errors),
  ];
}
