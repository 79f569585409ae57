/** `cairn add` and `cairn download`. */
import { resolve } from 'node:path';
import { CairnError } from '../../../errors.ts';
import { badUsage } from '../arguments.ts';
import { counted, sizeText } from '../figures.ts';
import { type Line, toned } from '../terminal.ts';
import { sourcesOf } from './sources.ts';
import type { Order } from './verb.ts';

interface Added {
  readonly path?: string;
  readonly collection: string;
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly bytes: number;
  readonly new_bytes: number;
  readonly snapshot_id?: string;
  readonly pending?: number;
  readonly failed: number;
  readonly errors: readonly Failure[];
}

export interface Failure {
  readonly path: string;
  readonly error: string;
}

/** As many as the operation takes at once. */
const MOST_PATHS = 10_000;

export async function addFiles(order: Order): Promise<number> {
  const { words, input, show } = order;
  if (words.length === 0 && input.content === undefined && input.path === undefined && input.paths === undefined)
    throw badUsage('add needs a file or folder, as in cairn add docs');
  let result: Added | undefined;
  for (const each of ordersOf(order)) {
    const added = await order.call<Added>('add', each);
    if (isPattern(each) && looked(added) === 0) throw nothingFits(words);
    result = result === undefined ? added : together(result, added);
  }
  if (result === undefined) return 0;
  const { failed } = result;
  show(result, () => linesOf(result));
  return failed > 0 ? 1 : 0;
}

/** One call where one says it all: its answer is the answer. */
function ordersOf({ words, input }: Order): Record<string, unknown>[] {
  const base = typeof input.base === 'string' ? { base: resolve(input.base) } : {};
  if (words.length === 0) return [{ ...input, ...base }];
  const { paths, patterns } = sourcesOf(words, process.cwd());
  const orders: Record<string, unknown>[] = [];
  if (paths.length === 1) orders.push({ ...input, ...base, path: paths[0] });
  for (let at = 0; paths.length > 1 && at < paths.length; at += MOST_PATHS)
    orders.push({ ...input, ...base, paths: paths.slice(at, at + MOST_PATHS) });
  const more = (input.include_patterns ?? []) as string[];
  for (const [path, include] of patterns) orders.push({ ...input, path, include_patterns: [...include, ...more] });
  // A label names one snapshot: the last, which holds what all of them stored.
  return orders.map(({ label, ...order }, at) =>
    label === undefined || at < orders.length - 1 ? order : { ...order, label },
  );
}

function isPattern({ include_patterns }: Record<string, unknown>): boolean {
  return include_patterns !== undefined;
}

function looked({ added, updated, unchanged, failed }: Added): number {
  return added + updated + unchanged + failed;
}

function nothingFits(words: readonly string[]): CairnError {
  return new CairnError('not_found', `No file fits ${words.map((word) => JSON.stringify(word)).join(' ')}`, {
    suggestion: 'Patterns are looked for below the working folder, past what .gitignore leaves out.',
  });
}

function together(one: Added, other: Added): Added {
  const { path: _path, ...rest } = one;
  return {
    ...rest,
    ...(other.snapshot_id !== undefined && { snapshot_id: other.snapshot_id }),
    ...(other.pending !== undefined && { pending: other.pending }),
    added: one.added + other.added,
    updated: one.updated + other.updated,
    unchanged: one.unchanged + other.unchanged,
    bytes: one.bytes + other.bytes,
    new_bytes: one.new_bytes + other.new_bytes,
    failed: one.failed + other.failed,
    errors: [...one.errors, ...other.errors],
  };
}

function linesOf(result: Added): Line[] {
  const { added, updated, unchanged, bytes, new_bytes, collection, snapshot_id, pending, failed, errors } = result;
  const counts = [`${added} added`, `${updated} changed`, `${unchanged} as before`].join(', ');
  return [
    [toned('strong', counts), ` in ${collection}: ${sizeText(bytes)} looked at, ${sizeText(new_bytes)} new`],
    ...(snapshot_id === undefined ? [] : [[`snapshot ${snapshot_id}`]]),
    ...(pending === undefined ? [] : [[`${counted(pending, 'change')} cannot be found by search yet`]]),
    ...failureLines('not taken', failed, errors),
  ];
}

export function failureLines(what: string, failed: number, errors: readonly Failure[]): Line[] {
  if (failed === 0) return [];
  const more = failed - errors.length;
  return [
    [toned('bad', `${counted(failed, 'file')} ${what}`)],
    ...errors.map(({ path, error }): Line => ['  ', toned('name', path), `: ${error}`]),
    ...(more > 0 ? [[`  and ${counted(more, 'other')}`]] : []),
  ];
}

interface Downloaded {
  readonly path: string;
  readonly collection: string;
  readonly size: number;
  readonly mime: string;
  readonly unchanged: number;
  readonly checksum_verified: boolean;
  readonly flagged?: string;
}

export async function downloadOne({ words, input, call, show }: Order): Promise<number> {
  const [url = input.url, ...more] = words;
  if (url === undefined) throw badUsage('download needs a URL, as in cairn download https://example.com/data.csv');
  if (more.length > 0 || (words.length > 0 && input.url !== undefined)) throw badUsage('download takes one URL');
  const result = await call<Downloaded>('download', { ...input, url });
  show(result, () => {
    const { path, collection, size, mime, unchanged, checksum_verified, flagged } = result;
    const how = unchanged > 0 ? 'as before' : 'stored';
    return [
      [toned('name', path), ` ${how} in ${collection}: ${sizeText(size)}, ${mime}`],
      ...(checksum_verified ? [[toned('good', 'checksum verified')]] : []),
      ...(flagged === undefined ? [] : [[toned('bad', `it seems to hold a secret (${flagged})`)]]),
    ];
  });
  return 0;
}
