/** `cairn collections`, `status`, `gc` and `verify`: what there is, and whether it is in order. */
import { badUsage } from '../arguments.ts';
import { counted, numberText, sizeText } from '../figures.ts';
import { table } from '../table.ts';
import { type Line, toned } from '../terminal.ts';
import type { Order } from './verb.ts';

function withoutWords({ words }: Order): void {
  if (words.length > 0) throw badUsage(`${JSON.stringify(words[0])} is one word too many`);
}

const collectionColumns = [
  { title: 'COLLECTION', keep: 'start' },
  { title: 'DOCUMENTS', right: true },
  { title: 'SIZE', right: true },
] as const;

interface Collection {
  readonly name: string;
  readonly documents: number;
  readonly bytes: number;
}

function collectionTable(collections: readonly Collection[], width: number): Line[] {
  const rows = collections.map(({ name, documents, bytes }) => [
    toned('name', name),
    numberText(documents),
    sizeText(bytes),
  ]);
  return table(collectionColumns, rows, width);
}

export async function listCollections(order: Order): Promise<number> {
  withoutWords(order);
  const result = await order.call<{ collections: readonly Collection[] }>('list_collections', order.input);
  order.show(result, () =>
    result.collections.length === 0
      ? [['No collections. cairn add PATH --collection NAME makes one.']]
      : collectionTable(result.collections, order.width),
  );
  return 0;
}

interface Status {
  readonly total_objects: number;
  readonly total_bytes: number;
  readonly unique_blocks: number;
  readonly deduplicated_bytes: number;
  readonly dedup_ratio: number;
  readonly stored_bytes?: number;
  readonly documents?: number;
  readonly collections?: readonly (Omit<Collection, 'name'> & { readonly collection: string })[];
  readonly pending?: number;
  readonly without_text?: number;
  readonly file_types?: readonly FileType[];
}

interface FileType {
  readonly extension: string;
  readonly kind: string;
  readonly documents: number;
  readonly bytes: number;
}

export async function showStatus(order: Order): Promise<number> {
  withoutWords(order);
  const { human, input, width, call, show } = order;
  const result = await call<Status>('status', { ...(human && { detailed: true }), ...input });
  show(result, () => statusLines(result, width));
  return 0;
}

function statusLines(status: Status, width: number): Line[] {
  const { collections = [], file_types = [], pending = 0, without_text = 0 } = status;
  const shared = `${sizeText(status.deduplicated_bytes)} (${Math.round(status.dedup_ratio * 100)} %)`;
  const facts: [string, string][] = [
    ['documents', numberText(status.documents ?? 0)],
    ['contents', `${numberText(status.total_objects)}, ${sizeText(status.total_bytes)}`],
    ['saved by sharing', shared],
    ['on disk', `${sizeText(status.stored_bytes ?? 0)} in ${counted(status.unique_blocks, 'block')}`],
    ...(without_text > 0
      ? [['without text', `${counted(without_text, 'content')}, found by name alone`] as [string, string]]
      : []),
    ...(pending > 0 ? [['not indexed yet', counted(pending, 'change')] as [string, string]] : []),
  ];
  const named = collections.map(({ collection: name, ...rest }) => ({ name, ...rest }));
  return [
    ...facts.map(([what, figure]): Line => [what.padEnd(18), toned('strong', figure)]),
    ...(named.length > 0 ? [[], ...collectionTable(named, width)] : []),
    ...(file_types.length > 0 ? [[], ...typeTable(file_types, width)] : []),
  ];
}

const typeColumns = [
  { title: 'TYPE', keep: 'start' },
  { title: 'KIND' },
  { title: 'DOCUMENTS', right: true },
  { title: 'SIZE', right: true },
] as const;

function typeTable(types: readonly FileType[], width: number): Line[] {
  const rows = types.map(({ extension, kind, documents, bytes }) => [
    extension || '(none)',
    kind,
    numberText(documents),
    sizeText(bytes),
  ]);
  return table(typeColumns, rows, width);
}

interface Collected {
  readonly contents: number;
  readonly blocks: number;
  readonly freed_bytes: number;
}

export async function collectGarbage(order: Order): Promise<number> {
  withoutWords(order);
  const result = await order.call<Collected>('gc', order.input);
  order.show(result, () => {
    const { contents, blocks, freed_bytes } = result;
    if (contents + blocks === 0) return [['Nothing to free: all contents are needed, or younger than an hour.']];
    return [
      [
        toned('strong', `${sizeText(freed_bytes)} freed`),
        `: ${counted(contents, 'content')}, ${counted(blocks, 'block')}`,
      ],
    ];
  });
  return 0;
}

interface Instructions {
  readonly ok: boolean;
  readonly count: number;
  readonly issues: readonly { readonly id: string }[];
  readonly unreadable: readonly { readonly file: string; readonly problem: string }[];
}

interface Contents {
  readonly ok: boolean;
  readonly checked: number;
  readonly damaged: readonly { readonly hash: string; readonly problem: string; readonly paths: readonly string[] }[];
}

interface Trail {
  readonly intact: boolean;
  readonly entries?: number;
  readonly brokenAt?: number;
  readonly reason?: string;
}

/** The instruction files, the contents of documents and the audit trail in one check, for CI. */
export async function verifyAll(order: Order): Promise<number> {
  withoutWords(order);
  const instructions = await order.call<Instructions>('integrity_verify', {});
  const contents = await order.call<Contents>('content_verify', {});
  const audit = await order.call<Trail>('audit_verify', {});
  const ok = instructions.ok && contents.ok && audit.intact;
  order.show({ ok, instructions, contents, audit }, () => [
    verdict(instructions.ok, 'instruction files', `${numberText(instructions.count)} checked`),
    ...instructions.issues.map(({ id }): Line => ['    ', `${id} is not what its hash says`]),
    ...instructions.unreadable.map(({ file, problem }): Line => ['    ', `${file}: ${problem}`]),
    verdict(contents.ok, 'stored contents', `${numberText(contents.checked)} checked`),
    ...contents.damaged.map(({ problem, paths, hash }): Line => ['    ', `${problem}: ${paths.join(', ') || hash}`]),
    verdict(audit.intact, 'audit trail', trailText(audit)),
  ]);
  return ok ? 0 : 1;
}

function trailText({ intact, entries = 0, brokenAt, reason = 'broken' }: Trail): string {
  if (intact) return `${numberText(entries)} entries`;
  return brokenAt === undefined ? reason : `${reason} (entry ${brokenAt})`;
}

function verdict(well: boolean, what: string, figure: string): Line {
  const words = [what, ...(figure === '' ? [] : [figure])].join(': ');
  return [well ? toned('good', '✓ ') : toned('bad', '✗ '), well ? words : toned('bad', words)];
}
