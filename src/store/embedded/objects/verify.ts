/** Checks every chunk once and every content against them; what is damaged is marked, so that the next put mends it. */

import { setImmediate as breathe } from 'node:timers/promises';
import { CairnError } from '../../../errors.ts';
import type { Manifest, Verification, VerifyOptions } from '../../objects.ts';
import { type ObjectFile, ROWS_AT_ONCE } from './file.ts';
import { CHUNKS_AT_ONCE } from './put.ts';
import { manifestIn, sizeIn, stats } from './read.ts';
import { chunkRow, damage, EVER, keyOf, nameOf, naming, soundChunk } from './rows.ts';

export async function verify(
  file: ObjectFile,
  report: (done: number, total: number) => void,
  { signal, mark = true }: VerifyOptions = {},
): Promise<Verification> {
  const { chunks, contents } = await stats(file);
  let done = 0;
  const step = async (): Promise<void> => {
    report(++done, Math.max(chunks + contents, done));
    if (done % CHUNKS_AT_ONCE === 0) await breathe();
    signal?.throwIfAborted();
  };
  const faults = new Map<string, string>();
  for await (const page of file.pages('SELECT hash FROM chunk', EVER)) {
    for (const { hash } of page) {
      const fault = await faultOfChunk(file, hash as Uint8Array);
      if (fault !== undefined) faults.set(nameOf(hash), fault);
      await step();
    }
  }
  const unneeded = new Map(faults);
  const damaged: { hash: string; problem: string }[] = [];
  let checked = 0;
  for await (const page of file.pages('SELECT hash FROM content', EVER)) {
    for (const content of page) {
      const hash = nameOf(content.hash);
      const problem = await faultOfContent(file, hash, faults, unneeded);
      // What was removed while we looked is not damaged.
      if (problem !== undefined && (await sizeIn(file, hash)) !== undefined) damaged.push({ hash, problem });
      checked++;
      await step();
    }
  }
  for (const [hash, fault] of unneeded) damaged.push({ hash, problem: `A chunk that no content needs ${fault}` });
  if (mark) await distrust(file, [...faults.keys()]);
  return { checked, damaged };
}

async function faultOfChunk(file: ObjectFile, hash: Uint8Array): Promise<string | undefined> {
  try {
    const row = await file.look((database) => naming(nameOf(hash), () => chunkRow(database, hash)), undefined);
    // No row is a chunk that was collected since.
    return row === undefined || soundChunk(row, hash) !== undefined ? undefined : 'does not match its hash';
  } catch (thrown) {
    return `cannot be read (${faultIn(thrown)})`;
  }
}

async function faultOfContent(
  file: ObjectFile,
  hash: string,
  faults: ReadonlyMap<string, string>,
  unneeded: Map<string, string>,
): Promise<string | undefined> {
  try {
    const manifest = await manifestIn(file, hash);
    let problem: string | undefined;
    for (let index = 0; index < manifest.length; index++) {
      const chunk = nameOf(manifest.hashOf(index));
      unneeded.delete(chunk);
      const fault = faults.get(chunk) ?? (await absence(file, manifest, index));
      if (fault !== undefined) problem ??= damage(hash, `its chunk ${chunk} ${fault}`).message;
      if ((index + 1) % ROWS_AT_ONCE === 0) await breathe();
    }
    return problem;
  } catch (thrown) {
    return faultIn(thrown);
  }
}

async function absence(file: ObjectFile, manifest: Manifest, index: number): Promise<string | undefined> {
  const sql = 'SELECT size FROM chunk WHERE hash = ?';
  const row = await file.look((database) => database.get(sql, manifest.hashOf(index)), undefined);
  return Number(row?.size) === manifest.sizeOf(index) ? undefined : 'is missing';
}

/** So that the next `put` of the same bytes stores them anew, in whichever process. */
async function distrust(file: ObjectFile, hashes: readonly string[]): Promise<void> {
  if (hashes.length === 0) return;
  try {
    await file.write('soon', (database) => {
      for (const hash of hashes) database.run('UPDATE chunk SET damaged = 1 WHERE hash = ?', keyOf(hash));
    });
  } catch {
    // A file that cannot be written is no reason to keep the findings from anybody.
  }
}

/** What `verify` reports; that the store is busy or closed says nothing about a content. */
function faultIn(thrown: unknown): string {
  if (thrown instanceof CairnError && (thrown.kind === 'integrity_error' || thrown.kind === 'not_found')) {
    return thrown.message;
  }
  throw thrown;
}
