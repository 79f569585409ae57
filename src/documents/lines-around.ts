/** Parts of a text one after the other, each with a few lines of its neighbours, so that what is around a line can be shown. */

import { endsInsideKey } from '../search/grep/key-lines.ts';
import type { Stretch } from '../search/grep/scan.ts';
import type { FreshPart } from '../store/texts.ts';

export interface LinesPart extends Stretch {
  readonly bytes: Buffer;
}

const NEWLINE = 10;

export async function* withLinesAround(parts: AsyncIterable<FreshPart>, lines: number): AsyncGenerator<LinesPart> {
  let [before, part]: (FreshPart | undefined)[] = [];
  for await (const next of parts) {
    if (part !== undefined) yield joined(before, part, next, lines);
    [before, part] = [part, next];
  }
  if (part !== undefined) yield joined(before, part, undefined, lines);
}

function joined(before: FreshPart | undefined, part: FreshPart, next: FreshPart | undefined, lines: number): LinesPart {
  const { bytes, firstLine, insideKey } = part;
  if (lines === 0 || (before === undefined && next === undefined)) {
    return { bytes, from: 0, to: bytes.length, low: 0, high: bytes.length, firstLine, insideKey };
  }
  const cut = before === undefined ? 0 : startOfLast(before.bytes, lines);
  const tail = before?.bytes.subarray(cut) ?? Buffer.alloc(0);
  const head = next?.bytes.subarray(0, endOfFirst(next.bytes, lines)) ?? Buffer.alloc(0);
  const whole = Buffer.concat([tail, bytes, head]);
  const to = tail.length + bytes.length;
  return {
    bytes: whole,
    from: tail.length,
    to,
    low: 0,
    high: whole.length,
    firstLine,
    insideKey: before === undefined ? insideKey : endsInsideKey(before.bytes.subarray(0, cut), before.insideKey),
  };
}

function startOfLast(bytes: Buffer, lines: number): number {
  let start = bytes.length;
  for (let left = lines; left > 0 && start > 0; left--)
    start = start < 2 ? 0 : bytes.lastIndexOf(NEWLINE, start - 2) + 1;
  return start;
}

function endOfFirst(bytes: Buffer, lines: number): number {
  let end = 0;
  for (let left = lines; left > 0 && end < bytes.length; left--) {
    const found = bytes.indexOf(NEWLINE, end);
    end = found < 0 ? bytes.length : found + 1;
  }
  return end;
}
