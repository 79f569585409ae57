/**
 * Tensors out of a safetensors file: a length, a JSON table, then the numbers, here all in 16-bit floats. They are read
 * when asked for and stay in the system's file cache, which all processes share, instead of in the memory of each.
 */
import { readSync } from 'node:fs';

export interface Weights {
  /** Fills `into` with the numbers of a tensor from the one at `from` on, as they are stored. */
  read(name: string, from: number, into: Uint16Array): void;
  half(name: string): Uint16Array;
  single(name: string): Float32Array;
}

interface Place {
  readonly dtype: string;
  readonly data_offsets: readonly [number, number];
}

export function openWeights(file: number): Weights {
  const length = Number(readBytes(file, 0, 8).readBigUInt64LE());
  const places: Record<string, Place> = JSON.parse(readBytes(file, 8, length).toString('utf8'));

  function placeOf(name: string): readonly [number, number] {
    const place = places[name];
    if (place?.dtype !== 'F16') throw new Error(`The model has no 16-bit tensor ${name}`);
    return place.data_offsets;
  }

  function read(name: string, from: number, into: Uint16Array): void {
    fill(file, 8 + length + placeOf(name)[0] + 2 * from, into);
  }

  function half(name: string): Uint16Array {
    const [from, to] = placeOf(name);
    const halves = new Uint16Array((to - from) / 2);
    read(name, 0, halves);
    return halves;
  }

  return { read, half, single: (name) => widen(half(name)) };
}

function readBytes(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  fill(file, position, bytes);
  return bytes;
}

function fill(file: number, position: number, into: Uint8Array | Uint16Array): void {
  const read = readSync(file, into, 0, into.byteLength, position);
  if (read !== into.byteLength) throw new Error('The file of the model ends early');
}

/** What each of the 65,536 patterns of a 16-bit float means: a table is faster than taking them apart each time. */
const MEANINGS = new Float32Array(65_536).map((_, bits) => meaningOf(bits));

export function widen(halves: Uint16Array): Float32Array {
  return Float32Array.from(halves, (bits) => MEANINGS[bits] as number);
}

export function widenInto(singles: Float32Array, halves: Uint16Array): void {
  for (let i = 0; i < halves.length; i++) singles[i] = MEANINGS[halves[i] as number] as number;
}

function meaningOf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
