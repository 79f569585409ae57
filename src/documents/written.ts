/** A content that is letters, as grep looks at it: UTF-8 with every line ended by one sign, in parts of whole lines. */
import { isUtf8 } from 'node:buffer';
import { endsInsideKey } from '../search/grep/key-lines.ts';
import type { ObjectStore } from '../store/objects.ts';
import type { FreshPart } from '../store/texts.ts';
import { linesEnded } from './extract/shorten.ts';
import { blocksIn, LARGEST, lettersOf } from './letters.ts';

/** A thread looks through so much before it can say how far it is. */
const PART = 112 * 1024;

const NEWLINE = 10;
const RETURN = 13;
const MARK = Buffer.from('\ufeff');

export async function* writtenParts(objects: ObjectStore, hash: string): AsyncGenerator<FreshPart> {
  const size = (await objects.size(hash)) ?? 0;
  if (size <= LARGEST) yield* partsOf([writtenOf(await objects.readAll(hash, LARGEST))]);
  else yield* partsOf(blocksIn(objects, hash));
}

/** Of a text that is at hand. */
export function partsOfText(text: string): AsyncGenerator<FreshPart> {
  return partsOf([Buffer.from(linesEnded(text))]);
}

/** Most contents are such bytes already; whatever else they are is decoded. */
function writtenOf(bytes: Buffer): Buffer {
  if (!isUtf8(bytes) || bytes.includes(0)) return Buffer.from(lettersOf(bytes));
  const text = bytes.subarray(0, MARK.length).equals(MARK) ? bytes.subarray(MARK.length) : bytes;
  return text.includes(RETURN) ? Buffer.from(linesEnded(text.toString())) : text;
}

async function* partsOf(blocks: Iterable<Buffer> | AsyncIterable<string>): AsyncGenerator<FreshPart> {
  let [firstLine, insideKey] = [1, false];
  for await (const block of blocks) {
    for (const bytes of piecesOf(typeof block === 'string' ? Buffer.from(block) : block)) {
      yield { bytes, firstLine, insideKey };
      firstLine += linesIn(bytes);
      insideKey = endsInsideKey(bytes, insideKey);
    }
  }
}

/** A line is never cut. */
function* piecesOf(block: Buffer): Generator<Buffer> {
  let from = 0;
  while (block.length - from > PART) {
    const cut = block.lastIndexOf(NEWLINE, from + PART - 1);
    const end = cut < from ? block.indexOf(NEWLINE, from + PART) : cut;
    if (end < 0) break;
    yield block.subarray(from, end + 1);
    from = end + 1;
  }
  if (from < block.length) yield ended(block.subarray(from));
}

function ended(bytes: Buffer): Buffer {
  return bytes.at(-1) === NEWLINE ? bytes : Buffer.concat([bytes, Buffer.from('\n')]);
}

function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) lines++;
  return lines;
}
