/**
 * Writing bundles: files in one tar.gz, in the form of POSIX (ustar, with pax headers for names that do not fit). The same
 * entries give the same bytes. tar-read.ts reads them.
 */
import { randomBytes } from 'node:crypto';
import { open, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { makeFolder, removeIfPresent, syncFolder } from './file.ts';
import { BLOCK, checksumOf, faultOf, paddingOf, refusal } from './tar-format.ts';

export interface TarEntry {
  /** Relative, with slashes. */
  readonly name: string;
  readonly data: Uint8Array | string;
  /** To the second. */
  readonly time?: Date;
}

/** For entries without a time. Readers complain about the beginning of time. */
const NO_TIME = new Date('1980-01-01T00:00:00Z');

/** Writes a bundle durably: it is there as a whole or not at all. Answers its size in bytes. */
export async function writeBundleFile(
  path: string,
  entries: Iterable<TarEntry> | AsyncIterable<TarEntry>,
): Promise<number> {
  await makeFolder(dirname(path));
  // Named as stageFile names its files, so that what a crash leaves behind is cleared away with them.
  const staged = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  const file = await open(staged, 'wx', 0o644);
  try {
    let size: number;
    try {
      await writeFile(file, packTar(entries));
      await file.sync();
      size = (await file.stat()).size;
    } finally {
      await file.close();
    }
    await rename(staged, path);
    await syncFolder(dirname(path));
    return size;
  } catch (thrown) {
    await removeIfPresent(staged);
    throw thrown;
  }
}

/** The bytes of a tar.gz, piece by piece. */
export async function* packTar(entries: Iterable<TarEntry> | AsyncIterable<TarEntry>): AsyncGenerator<Buffer> {
  const gzip = createGzip({ chunkSize: 64 * 1024 });
  // What goes wrong in the entries comes out of the loop below.
  pipeline(Readable.from(blocksOf(entries)), gzip, () => {});
  let first = true;
  for await (const chunk of gzip as AsyncIterable<Buffer>) {
    // The tenth byte is the operating system, and must not make a difference: 255 is unknown.
    if (first) chunk[9] = 255;
    first = false;
    yield chunk;
  }
}

async function* blocksOf(entries: Iterable<TarEntry> | AsyncIterable<TarEntry>): AsyncGenerator<Buffer> {
  const names = new Set<string>();
  for await (const { name, data, time = NO_TIME } of entries) {
    const fault = faultOf(name) ?? (names.has(name) ? 'comes twice' : undefined);
    if (fault !== undefined) {
      throw refusal(
        fault,
        { entry: names.size + 1, name },
        'Give it a relative name of its own, of plain parts and slashes.',
      );
    }
    names.add(name);
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    const seconds = Math.floor(time.getTime() / 1000);
    const short = splitName(name);
    if (short === undefined) {
      const record = Buffer.from(paxRecord('path', name));
      yield headerOf({ name: `PaxHeaders/${names.size}`, prefix: '' }, 'x', record.length, seconds);
      yield padded(record);
    }
    // A reader that does not know pax headers still gets a file.
    yield headerOf(short ?? { name: `LongNames/${names.size}`, prefix: '' }, '0', bytes.length, seconds);
    if (bytes.length > 0) yield padded(bytes);
  }
  yield Buffer.alloc(2 * BLOCK);
}

interface SplitName {
  readonly name: string;
  readonly prefix: string;
}

/** Into the two fields of a header; `undefined` for what does not fit there, or is more than ASCII. */
function splitName(name: string): SplitName | undefined {
  if (!/^[ -~]*$/.test(name)) return undefined;
  if (name.length <= 100) return { name, prefix: '' };
  const slash = name.indexOf('/', name.length - 101);
  if (slash < 1 || slash > 155) return undefined;
  return { name: name.slice(slash + 1), prefix: name.slice(0, slash) };
}

/** A record begins with its own length, the digits of that included. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const length = Buffer.byteLength(rest);
  let total = length;
  while (total !== length + String(total).length) total = length + String(total).length;
  return `${total}${rest}`;
}

function headerOf({ name, prefix }: SplitName, type: string, size: number, seconds: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, digits: number) =>
    block.write(value.toString(8).padStart(digits, '0'), at, 'latin1');
  block.write(name, 0, 'latin1');
  octal(0o644, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size, 124, 11);
  octal(Math.min(Math.max(seconds || 0, 0), 0o77777777777), 136, 11);
  block.write(`${type}`, 156, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  block.write(prefix, 345, 'latin1');
  octal(checksumOf(block), 148, 6);
  block[155] = 0x20;
  return block;
}

function padded(bytes: Uint8Array): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(paddingOf(bytes.length))]);
}
