/** Outlines as both engines keep them. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Outline } from '../graph/code/outline.ts';

export function packedOutline(outline: Outline): Uint8Array {
  return deflateRawSync(JSON.stringify(outline), { level: 1 });
}

export function unpackedOutline(bytes: Uint8Array): Outline {
  return JSON.parse(inflateRawSync(bytes).toString()) as Outline;
}
