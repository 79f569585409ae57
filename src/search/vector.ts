/**
 * Unit vectors: how they are kept (one signed byte a dimension) and how the nearest are found (a scan of all of them).
 * A code keeps the direction only; because every vector has length 1, its own length gives the scale back.
 */

/** Codes one after the other, in the forms that a scan reads. */
export interface Codes {
  readonly dimensions: number;
  readonly count: number;
  readonly codes: Int8Array;
  /** What makes each a unit vector again. */
  readonly scales: Float32Array;
  /** The signs alone, 32 to a word. */
  readonly signs: Int32Array;
}

export interface Neighbour {
  readonly index: number;
  readonly similarity: number;
}

const LARGEST = 127;
/** How many are looked at closely for each one asked for, and at least: see `nearest`. */
const CLOSER = 20;
const CLOSER_AT_LEAST = 400;

/** The cosine, because both have length 1. */
export function cosine(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += (one[i] as number) * (other[i] as number);
  return sum;
}

/** The same direction with length 1; what has no direction stays as it is. */
export function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(cosine(vector, vector));
  return length === 0 ? vector : vector.map((value) => value / length);
}

export function encode(vector: Float32Array): Uint8Array {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  const factor = largest === 0 ? 0 : LARGEST / largest;
  return new Uint8Array(Int8Array.from(vector, (value) => Math.round(value * factor)).buffer);
}

export function decode(code: Uint8Array): Float32Array {
  const scale = scaleOf(signed(code));
  return Float32Array.from(signed(code), (value) => value * scale);
}

export function pack(codes: readonly Uint8Array[], dimensions: number): Codes {
  const words = wordsFor(dimensions);
  const packed = new Int8Array(codes.length * dimensions);
  const scales = new Float32Array(codes.length);
  const signs = new Int32Array(codes.length * words);
  for (const [index, code] of codes.entries()) {
    packed.set(signed(code), index * dimensions);
    scales[index] = scaleOf(signed(code));
    signs.set(signsOf(signed(code)), index * words);
  }
  return { dimensions, count: codes.length, codes: packed, scales, signs };
}

/**
 * The `k` most similar, the best first; of two alike the earlier. `accept` leaves out by index. Most are passed over by
 * their signs, an eighth of the work; those whose signs agree best, many times more than asked for, are compared fully.
 */
export function nearest(
  query: Float32Array,
  { dimensions, count, codes, scales, signs }: Codes,
  k: number,
  accept?: (index: number) => boolean,
): Neighbour[] {
  const probe = signed(encode(query));
  const scale = scaleOf(probe);
  const distances = signDistances(signsOf(probe), signs, count, accept);
  const furthest = cutoff(distances, dimensions, Math.max(CLOSER_AT_LEAST, k * CLOSER));
  const found: Neighbour[] = [];
  for (let index = 0; index < count; index++) {
    if ((distances[index] as number) > furthest) continue;
    const similarity = scale * (scales[index] as number) * product(probe, codes, index * dimensions);
    found.push({ index, similarity });
  }
  return found.sort((a, b) => b.similarity - a.similarity || a.index - b.index).slice(0, k);
}

/** Only these, in the order given. */
export function chosen({ dimensions, codes, scales, signs }: Codes, indexes: readonly number[]): Codes {
  const words = wordsFor(dimensions);
  const some: Codes = {
    dimensions,
    count: indexes.length,
    codes: new Int8Array(indexes.length * dimensions),
    scales: new Float32Array(indexes.length),
    signs: new Int32Array(indexes.length * words),
  };
  for (const [at, index] of indexes.entries()) {
    some.codes.set(codes.subarray(index * dimensions, (index + 1) * dimensions), at * dimensions);
    some.scales[at] = scales[index] as number;
    some.signs.set(signs.subarray(index * words, (index + 1) * words), at * words);
  }
  return some;
}

/** How near one of them is to a vector that is not coded. */
export function similarityAt({ dimensions, codes, scales }: Codes, index: number, vector: Float32Array): number {
  let sum = 0;
  for (let i = 0, at = index * dimensions; i < dimensions; i++, at++)
    sum += (vector[i] as number) * (codes[at] as number);
  return sum * (scales[index] as number);
}

export function vectorAt({ dimensions, codes, scales }: Codes, index: number): Float32Array {
  const scale = scales[index] as number;
  return Float32Array.from(codes.subarray(index * dimensions, (index + 1) * dimensions), (value) => value * scale);
}

const LEFT_OUT = 65_535;

/** In how many signs each differs from the probe. */
function signDistances(
  probe: Int32Array,
  signs: Int32Array,
  count: number,
  accept?: (index: number) => boolean,
): Uint16Array {
  const distances = new Uint16Array(count);
  const words = probe.length;
  for (let index = 0, at = 0; index < count; index++, at += words) {
    if (accept !== undefined && !accept(index)) {
      distances[index] = LEFT_OUT;
      continue;
    }
    let distance = 0;
    for (let word = 0; word < words; word++) distance += ones((probe[word] as number) ^ (signs[at + word] as number));
    distances[index] = distance;
  }
  return distances;
}

/** The distance within which at least `wanted` lie. */
function cutoff(distances: Uint16Array, largest: number, wanted: number): number {
  const counts = new Uint32Array(LEFT_OUT + 1);
  for (const distance of distances) counts[distance] = (counts[distance] as number) + 1;
  let within = 0;
  for (let distance = 0; distance < largest; distance++) {
    within += counts[distance] as number;
    if (within >= wanted) return distance;
  }
  return largest;
}

/** Counts the bits that are set: in pairs, in fours, in bytes, then the four bytes by one multiplication. */
function ones(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

function product(probe: Int8Array, codes: Int8Array, at: number): number {
  let sum = 0;
  for (let i = 0; i < probe.length; i++) sum += (probe[i] as number) * (codes[at + i] as number);
  return sum;
}

function signsOf(code: Int8Array): Int32Array {
  const signs = new Int32Array(wordsFor(code.length));
  for (const [i, value] of code.entries()) if (value > 0) signs[i >> 5] = (signs[i >> 5] as number) | (1 << (i & 31));
  return signs;
}

function wordsFor(dimensions: number): number {
  return Math.ceil(dimensions / 32);
}

function scaleOf(code: Int8Array): number {
  let sum = 0;
  for (const value of code) sum += value * value;
  return sum === 0 ? 0 : 1 / Math.sqrt(sum);
}

function signed(code: Uint8Array): Int8Array {
  return new Int8Array(code.buffer, code.byteOffset, code.byteLength);
}
