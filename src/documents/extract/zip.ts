/**
 * Reading single parts out of a zip. Threat: a directory that lies. Sizes may be false, entries may overlap so that one
 * run of bytes unpacks a thousand times, or there may be millions of them. So the declared sizes are summed before
 * anything is unpacked, each part is unpacked to its declared size and no further, and all of it counts against one limit.
 */
import { inflateRawSync } from 'node:zlib';
import { CairnError } from '../../errors.ts';
import { endingOf } from './languages.ts';

export interface Zip {
  exists(name: string): boolean;
  /** Throws where the part is damaged, or the limit of the whole is reached. */
  read(name: string): Buffer;
}

export interface ZipLimits {
  /** Of everything that is read, unpacked. */
  readonly maxBytes: number;
  /** The parts that may be read; what else is in the zip counts for nothing. */
  readonly wanted: (name: string) => boolean;
}

interface Part {
  readonly method: number;
  readonly encrypted: boolean;
  readonly packedSize: number;
  readonly size: number;
  readonly at: number;
}

const DIRECTORY_END = Buffer.from('PK\x05\x06', 'latin1');
const END_SIZE = 22;
const LONGEST_COMMENT = 65_535;
const ENTRY = 0x02014b50;
const ENTRY_SIZE = 46;
const LOCAL = 0x04034b50;
const LOCAL_SIZE = 30;
const MAX_ENTRIES = 10_000;

export function openZip(data: Buffer, { maxBytes, wanted }: ZipLimits): Zip {
  const parts = new Map([...entriesOf(data)].filter(([name]) => wanted(name)));
  const declared = [...parts.values()].reduce((sum, { size }) => sum + size, 0);
  if (declared > maxBytes) throw tooLarge(maxBytes);
  let left = maxBytes;
  return {
    exists: (name) => parts.has(name),
    read(name) {
      const part = parts.get(name);
      if (part === undefined) throw fault(`has no ${name}`);
      if (part.size > left) throw tooLarge(maxBytes);
      const content = unpacked(data, part, name);
      left -= content.length;
      return content;
    },
  };
}

/** A Word document has one body, wherever its directory stands; a damaged one is known by its name. */
export function isDocx(name: string, data: Buffer): boolean {
  const named = /^do[ct][xm]$/.test(endingOf(name));
  try {
    for (const [entry] of entriesOf(data)) {
      if (entry === 'word/document.xml' || (named && entry === '[Content_Types].xml')) return true;
    }
    return false;
  } catch {
    return named;
  }
}

function* entriesOf(data: Buffer): Generator<[string, Part]> {
  const end = data.lastIndexOf(DIRECTORY_END);
  if (end < 0 || end < data.length - END_SIZE - LONGEST_COMMENT || end + END_SIZE > data.length) {
    throw fault('has no directory');
  }
  const count = data.readUInt16LE(end + 10);
  let at = data.readUInt32LE(end + 16);
  if (count > MAX_ENTRIES || at === 0xffffffff) throw fault(`has more than ${MAX_ENTRIES} parts`);
  for (let entry = 0; entry < count; entry++) {
    if (at + ENTRY_SIZE > end || data.readUInt32LE(at) !== ENTRY) throw fault('has a damaged directory');
    const nameEnd = at + ENTRY_SIZE + data.readUInt16LE(at + 28);
    yield [
      data.toString('utf8', at + ENTRY_SIZE, nameEnd).replaceAll('\\', '/'),
      {
        encrypted: (data.readUInt16LE(at + 8) & 1) === 1,
        method: data.readUInt16LE(at + 10),
        packedSize: data.readUInt32LE(at + 20),
        size: data.readUInt32LE(at + 24),
        at: data.readUInt32LE(at + 42),
      },
    ];
    at = nameEnd + data.readUInt16LE(at + 30) + data.readUInt16LE(at + 32);
  }
}

function unpacked(data: Buffer, { at, encrypted, method, packedSize, size }: Part, name: string): Buffer {
  if (encrypted) throw fault(`is locked with a password (${name})`);
  if (at + LOCAL_SIZE > data.length || data.readUInt32LE(at) !== LOCAL) throw fault(`is damaged at ${name}`);
  const start = at + LOCAL_SIZE + data.readUInt16LE(at + 26) + data.readUInt16LE(at + 28);
  const packed = data.subarray(start, start + packedSize);
  if (packed.length < packedSize) throw fault(`ends within ${name}`);
  const content = method === 0 ? packed : method === 8 ? inflated(packed, size, name) : undefined;
  if (content === undefined) throw fault(`packs ${name} in a way that is not read (${method})`);
  if (content.length !== size) throw fault(`says ${size} bytes of ${name}, which has ${content.length}`);
  return content;
}

function inflated(packed: Buffer, size: number, name: string): Buffer {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(size, 1) });
  } catch (thrown) {
    const larger = thrown instanceof RangeError;
    throw fault(larger ? `unpacks to more than the ${size} bytes it says of ${name}` : `is damaged at ${name}`);
  }
}

function fault(what: string): CairnError {
  return new CairnError('validation_failed', `the archive ${what}`);
}

function tooLarge(maxBytes: number): CairnError {
  return new CairnError('limit_exceeded', `the archive unpacks to more than ${maxBytes} bytes of text`);
}
