/** Which lines belong to a private key, and are not shown: alone, none of them looks like part of a secret. */
import { keyLines } from '../excerpt.ts';

const MARK = 'PRIVATE KEY-----';
const BEGINNING = `-----BEGIN ${MARK}`;

interface Part {
  readonly low: number;
  readonly high: number;
  readonly insideKey: boolean;
}

/** Where they begin. */
export function hiddenLines(bytes: Buffer, { low, high, insideKey }: Part): ReadonlySet<number> {
  const hidden = new Set<number>();
  if (!insideKey && !holdsMark(bytes, low, high)) return hidden;
  const lines = bytes.toString('utf8', low, high).split('\n');
  const secret = keyLines(insideKey ? [BEGINNING, ...lines] : lines);
  let at = low;
  for (const [index, line] of lines.entries()) {
    if (secret.has(insideKey ? index + 1 : index)) hidden.add(at);
    at += Buffer.byteLength(line) + 1;
  }
  return hidden;
}

/** Whether a key that began in these lines, or before them, goes on after them. */
export function endsInsideKey(bytes: Buffer, insideKey: boolean): boolean {
  if (!insideKey && !holdsMark(bytes, 0, bytes.length)) return false;
  const lines = [...(insideKey ? [BEGINNING] : []), ...bytes.toString().split('\n')];
  // What follows the last line end is the beginning of what comes next.
  return keyLines(lines).has(lines.length - 1);
}

function holdsMark(bytes: Buffer, from: number, to: number): boolean {
  return bytes.subarray(from, to).includes(MARK, 0, 'latin1');
}
