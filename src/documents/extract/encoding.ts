/**
 * Bytes to letters, or the finding that they are none. A byte order mark decides; then UTF-16 where its zeros show; then
 * UTF-8, also when a few bytes of it are broken; then what the page says of itself; then Windows-1252, of which Latin-1
 * is a part. Bytes that would come out as control characters are not a text, whatever decodes them.
 */

export interface Decoded {
  readonly text: string;
  readonly encoding: string;
  /** There were more bytes than are looked at. */
  readonly cut: boolean;
}

type Utf16 = 'utf-16le' | 'utf-16be';

/** No text that anybody searches is longer, and its letters take twice the room of its bytes. */
const MAX_BYTES = 64 * 1024 * 1024;
const SAMPLE = 32 * 1024;

export function decode(bytes: Buffer): Decoded | undefined {
  const cut = bytes.length > MAX_BYTES;
  const data = cut ? bytes.subarray(0, MAX_BYTES) : bytes;
  const utf16 = utf16Of(data);
  if (utf16 !== undefined) return readable({ text: decodeAs(utf16, data), encoding: utf16, cut }, 0.02);
  const sample = sampleOf(data);
  if (sample.includes(0)) return undefined;
  const utf8 = decodeUtf8(data);
  if (utf8 !== undefined) return readable({ text: utf8, encoding: 'utf-8', cut }, 0.1);
  const declared = declaredEncoding(data);
  if (declared !== undefined) return readable({ text: decodeAs(declared, data), encoding: declared, cut }, 0.02);
  if (!isWesternText(sample)) return undefined;
  return { text: decodeAs('windows-1252', data), encoding: 'windows-1252', cut };
}

/** Little-endian English has a zero in every second byte and none between; other scripts need their mark. */
export function utf16Of(data: Buffer): Utf16 | undefined {
  const wide = data[2] === 0 && data[3] === 0;
  if (data[0] === 0xff && data[1] === 0xfe && !(wide && data.length % 4 === 0)) return 'utf-16le';
  if (data[0] === 0xfe && data[1] === 0xff) return 'utf-16be';
  if (data.length < 4 || data.length % 2 === 1) return undefined;
  const sample = data.subarray(0, Math.min(data.length, SAMPLE));
  const zeros = [0, 0];
  for (let at = 0; at < sample.length; at++) if (sample[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros.map((count) => count / (sample.length / 2));
  if (odd > 0.7 && even < 0.02) return 'utf-16le';
  if (even > 0.7 && odd < 0.02) return 'utf-16be';
  return undefined;
}

/** The beginning, the middle and the end: a program or an archive may begin with a page of text. */
function sampleOf(data: Buffer): Buffer {
  if (data.length <= 3 * SAMPLE) return data;
  const middle = Math.floor((data.length - SAMPLE) / 2);
  return Buffer.concat([
    data.subarray(0, SAMPLE),
    data.subarray(middle, middle + SAMPLE),
    data.subarray(data.length - SAMPLE),
  ]);
}

/** The letters of UTF-8; of a text with few broken bytes too, since another encoding would break all the others. */
function decodeUtf8(data: Buffer): string | undefined {
  try {
    // As a stream, so that a letter which the limit cut through is not an error.
    return new TextDecoder('utf-8', { fatal: true }).decode(data, { stream: true });
  } catch {
    const text = new TextDecoder('utf-8').decode(data);
    const sample = [text.slice(0, SAMPLE), text.slice(-SAMPLE)].join('');
    const broken = countOf(sample, /\ufffd/g);
    return broken * 10 < countOf(sample, /[^\0-\x7f\ufffd]/g) ? text : undefined;
  }
}

function decodeAs(encoding: string, data: Buffer): string {
  return encoding === 'windows-1252' ? decodeWestern(data) : new TextDecoder(encoding).decode(data);
}

/** Where Windows-1252 is not Latin-1: bytes 80 to 9f. Ours, because the decoder of Node 20 takes the one for the other. */
const western = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

function decodeWestern(data: Buffer): string {
  return data.toString('latin1').replace(/[\x80-\x9f]/g, (letter) => western[letter.charCodeAt(0) - 0x80] ?? letter);
}

/** What a page or an XML file says of its letters; names that nobody knows, and UTF-16, which it cannot be, count for nothing. */
function declaredEncoding(data: Buffer): string | undefined {
  const head = data.toString('latin1', 0, 2048);
  if (!/^\s*</.test(head)) return undefined;
  const [, label] = /(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]{3,40})/i.exec(head) ?? [];
  if (label === undefined) return undefined;
  try {
    const { encoding } = new TextDecoder(label);
    return /^utf-/.test(encoding) ? undefined : encoding;
  } catch {
    return undefined;
  }
}

function readable(decoded: Decoded, mostControls: number): Decoded | undefined {
  const { text } = decoded;
  const sample = [text.slice(0, SAMPLE), text.slice(-SAMPLE)].join('');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  const controls = countOf(sample, /[\0-\x07\x0e-\x1a\x1c-\x1f\x7f\ufffe\uffff]/g);
  return controls <= sample.length * mostControls ? decoded : undefined;
}

/** Western letters are mostly ASCII, with no control characters but those of lines, pages and terminals. */
function isWesternText(sample: Buffer): boolean {
  let high = 0;
  let controls = 0;
  for (const byte of sample) {
    if (byte >= 0x80) high += 1;
    else if ((byte < 0x20 && !(byte >= 8 && byte <= 13) && byte !== 0x1b) || byte === 0x7f) controls += 1;
    // Windows-1252 leaves these open: no text has them.
    if (byte === 0x81 || byte === 0x8d || byte === 0x8f || byte === 0x90 || byte === 0x9d) return false;
  }
  return high <= sample.length * 0.4 && controls <= sample.length * 0.01;
}

function countOf(text: string, pattern: RegExp): number {
  let count = 0;
  for (const _ of text.matchAll(pattern)) count += 1;
  return count;
}
