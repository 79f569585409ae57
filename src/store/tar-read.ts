/**
 * Reading bundles. Threat: a bundle comes from elsewhere. It may unpack to a thousand times its size, name files outside of
 * where they belong, bring links and devices, say one thing to us and another to the next reader, or be damaged. Whatever is
 * not plainly a list of files is refused, with the entry that is wrong; nothing is unpacked beyond the limits. The checksum
 * of the whole stands at the end: what was read counts only when the reading has come to its end without an error.
 */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CairnError } from '../errors.ts';
import { isMissing } from './file.ts';
import { BLOCK, checksumOf, faultOf, type Place, paddingOf, refusal } from './tar-format.ts';

export interface TarFile {
  readonly name: string;
  readonly data: Buffer;
}

export interface TarLimits {
  /** Of everything unpacked, headers and padding included. */
  readonly maxBytes: number;
  readonly maxEntries: number;
  readonly maxEntryBytes: number;
}

const EXTENSION_BYTES = 64 * 1024;

/** The files of a tar.gz, given as its bytes or its path; folders are passed over. */
export async function* readTar(source: Uint8Array | string, limits: TarLimits): AsyncGenerator<TarFile> {
  const unpacked = await Unpacked.open(source, limits.maxBytes);
  try {
    const names = new Set<string>();
    for (let entry = 1; ; entry++) {
      const member = await readMember(unpacked, entry);
      if (member === undefined) break;
      if (entry > limits.maxEntries)
        throw refusal(`is one more than the ${limits.maxEntries} that are allowed`, member);
      const { name, size } = member;
      if (names.has(name)) throw refusal('comes twice', member);
      names.add(name);
      if (member.folder) continue;
      if (size > limits.maxEntryBytes) {
        throw refusal(`has ${size} bytes, and ${limits.maxEntryBytes} are allowed`, member);
      }
      yield { name, data: await readBody(unpacked, size, member) };
    }
    await expectEnd(unpacked);
  } finally {
    unpacked.close();
  }
}

interface Member extends Place {
  readonly name: string;
  readonly size: number;
  readonly folder: boolean;
}

/** Reads up to the content of the next file; `undefined` at the block of zeros that ends the archive. */
async function readMember(unpacked: Unpacked, entry: number): Promise<Member | undefined> {
  const extension: Extension = {};
  const seen = new Set<string>();
  for (;;) {
    const block = await unpacked.take(BLOCK, { entry });
    if (seen.size === 0 && isZero(block)) return undefined;
    const header = parseHeader(block, { entry });
    if (!'xgL'.includes(header.type)) return memberOf(header, extension, entry);
    // Each kind once: a chain of them would be work without an end, and two names are one too many.
    if (seen.has(header.type)) throw refusal('has the same extended header twice', { entry });
    if (header.size > EXTENSION_BYTES) throw refusal('has an extended header that is too long', { entry });
    seen.add(header.type);
    const body = await readBody(unpacked, header.size, { entry });
    if (header.type === 'L') setName(extension, body.at(-1) === 0 ? body.subarray(0, -1) : body, { entry });
    else readPax(body, header.type === 'g', extension, { entry });
  }
}

function memberOf({ type, name, size }: Header, extension: Extension, entry: number): Member {
  const stored = textOf(extension.name ?? name, { entry });
  const folder = type === '5';
  const place = { entry, name: stored };
  if (!folder && type !== '0' && type !== '\0')
    throw refusal(`is ${kinds[type] ?? 'of an unknown kind'}, not a file`, place);
  if (extension.size !== undefined && extension.size !== size) throw refusal('has two different sizes', place);
  if (folder && size > 0) throw refusal('is a folder with content', place);
  // tar calls what it packs from `.` by `./name`, and folders `name/`.
  const plain = (folder ? stored.replace(/\/$/, '') : stored).replace(/^\.\//, '');
  const fault = folder && plain === '.' ? undefined : faultOf(plain);
  if (fault !== undefined) throw refusal(fault, place);
  return { entry, name: plain, size, folder };
}

const kinds: Readonly<Record<string, string>> = {
  '1': 'a link',
  '2': 'a symbolic link',
  '3': 'a device',
  '4': 'a device',
  '6': 'a pipe',
  K: 'a link',
  S: 'a sparse file',
};

async function readBody(unpacked: Unpacked, size: number, place: Place): Promise<Buffer> {
  const body = await unpacked.take(size, place);
  const padding = await unpacked.take(paddingOf(size), place);
  if (!isZero(padding)) throw refusal('is longer than it says', place);
  return body;
}

async function expectEnd(unpacked: Unpacked): Promise<void> {
  let clean = isZero(await unpacked.take(BLOCK, {}));
  // Writers fill up their last record with zeros.
  for (let chunk = await unpacked.next(); clean && chunk !== undefined; chunk = await unpacked.next()) {
    clean = isZero(chunk);
  }
  if (!clean || !unpacked.complete) throw refusal('goes on after its end', {});
}

interface Header {
  readonly name: Buffer;
  readonly type: string;
  readonly size: number;
}

function parseHeader(block: Buffer, place: Place): Header {
  if (octalAt(block, 148, 8) !== checksumOf(block)) throw refusal('has a header that its checksum does not fit', place);
  const magic = block.toString('latin1', 257, 265);
  const posix = magic === 'ustar\x0000';
  if (!posix && magic !== 'ustar  \0') throw refusal('has a header of an unknown form', place);
  const size = octalAt(block, 124, 12);
  if (size === undefined) throw refusal('has a size that cannot be read', place);
  const name = fieldAt(block, 0, 100, place);
  const prefix = posix ? fieldAt(block, 345, 155, place) : name.subarray(0, 0);
  const whole = prefix.length > 0 ? Buffer.concat([prefix, Buffer.from('/'), name]) : name;
  return { name: whole, type: String.fromCharCode(block[156] ?? 0), size };
}

function octalAt(block: Buffer, at: number, length: number): number | undefined {
  const [, digits] = /^ *([0-7]+)[ \0]*$/.exec(block.toString('latin1', at, at + length)) ?? [];
  return digits === undefined ? undefined : Number.parseInt(digits, 8);
}

/** Up to the first NUL. What stands behind it would be part of the name for another reader. */
function fieldAt(block: Buffer, at: number, length: number, place: Place): Buffer {
  const field = block.subarray(at, at + length);
  const end = field.indexOf(0);
  if (end < 0) return field;
  if (!isZero(field.subarray(end))) throw refusal('has a NUL in its name', place);
  return field.subarray(0, end);
}

/** What an extended header says about the entry after it. */
interface Extension {
  name?: Buffer;
  size?: number;
}

function setName(extension: Extension, name: Buffer, place: Place): void {
  if (extension.name !== undefined) throw refusal('has two names', place);
  extension.name = name;
}

/** Records of times, owners and the like are passed over; those that change what the entry is are understood or refused. */
function readPax(body: Buffer, global: boolean, extension: Extension, place: Place): void {
  for (let at = 0; at < body.length; ) {
    const { key, value, end } = paxRecordAt(body, at, place);
    at = end;
    if (key === 'linkpath' || key.startsWith('GNU.sparse.')) throw refusal(`has a ${key}, which no file has`, place);
    if (key !== 'path' && key !== 'size') continue;
    if (global) throw refusal(`has a ${key} that counts for all entries`, place);
    if (key === 'path') setName(extension, value, place);
    else if (/^\d{1,15}$/.test(value.toString('latin1'))) extension.size = Number(value.toString('latin1'));
    else throw refusal('has a size that cannot be read', place);
  }
}

function paxRecordAt(body: Buffer, at: number, place: Place): { key: string; value: Buffer; end: number } {
  const [whole = '', digits] = /^(\d{1,6}) /.exec(body.toString('latin1', at, at + 7)) ?? [];
  const end = at + Number(digits);
  const equals = body.indexOf('=', at);
  // A length that is no number, or leads too far or too short, fails the comparison with the line end.
  if (body[end - 1] !== 0x0a || equals < 0 || equals >= end || end <= at + whole.length) {
    throw refusal('has an extended header that cannot be read', place);
  }
  return { key: body.toString('utf8', at + whole.length, equals), value: body.subarray(equals + 1, end - 1), end };
}

function textOf(name: Buffer, place: Place): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(name);
  } catch {
    throw refusal('has a name that is not UTF-8', place);
  }
}

const zeros = Buffer.alloc(64 * 1024);

/** In large pieces: this is what a bomb of zeros is defused with. */
function isZero(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at += zeros.length) {
    const piece = bytes.subarray(at, at + zeros.length);
    if (!piece.equals(zeros.subarray(0, piece.length))) return false;
  }
  return true;
}

/** The unpacked bytes in the order they come, never more of them in memory than are asked for. */
class Unpacked {
  readonly #source: Readable;
  readonly #gunzip = createGunzip({ chunkSize: 64 * 1024 });
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #packedBytes: number;
  #left: number;
  #rest: Buffer = Buffer.alloc(0);

  private constructor(source: Readable, packedBytes: number, maxBytes: number) {
    this.#source = source;
    this.#packedBytes = packedBytes;
    this.#left = maxBytes;
    // What goes wrong comes out of the iterator.
    pipeline(source, this.#gunzip, () => {});
    this.#chunks = this.#gunzip[Symbol.asyncIterator]();
  }

  static async open(source: Uint8Array | string, maxBytes: number): Promise<Unpacked> {
    if (typeof source !== 'string') return new Unpacked(Readable.from([source]), source.length, maxBytes);
    const file = await openPlain(source);
    return new Unpacked(file.handle.createReadStream(), file.size, maxBytes);
  }

  /** Whether all that was given belonged to the packed bytes: after them, gunzip passes over what begins with a zero. */
  get complete(): boolean {
    return this.#gunzip.bytesWritten === this.#packedBytes;
  }

  async take(length: number, place: Partial<Place>): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let missing = length; missing > 0; ) {
      const chunk = await this.next();
      if (chunk === undefined) throw refusal('is cut off', place);
      parts.push(chunk.subarray(0, missing));
      this.#rest = chunk.subarray(missing);
      missing -= Math.min(missing, chunk.length);
    }
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  }

  async next(): Promise<Buffer | undefined> {
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    if (rest.length > 0) return rest;
    const chunk = await this.#unpack();
    this.#left -= chunk?.length ?? 0;
    if (this.#left < 0) throw refusal('unpacks to more bytes than are allowed', {});
    return chunk;
  }

  async #unpack(): Promise<Buffer | undefined> {
    try {
      const { done, value } = await this.#chunks.next();
      return done ? undefined : value;
    } catch (thrown) {
      const { code, message } = thrown as NodeJS.ErrnoException;
      if (code?.startsWith('Z_')) throw refusal(`cannot be unpacked: ${message}`, {});
      throw thrown;
    }
  }

  close(): void {
    this.#source.destroy();
    this.#gunzip.destroy();
  }
}

async function openPlain(path: string): Promise<{ handle: FileHandle; size: number }> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await open(path, flags).catch((thrown: unknown) => {
    throw isMissing(thrown) ? new CairnError('not_found', `There is no bundle at ${path}`) : thrown;
  });
  const stat = await handle.stat();
  if (stat.isFile()) return { handle, size: stat.size };
  await handle.close();
  throw new CairnError('validation_failed', `${path} is not a file`, { suggestion: 'Name the file of a bundle.' });
}
