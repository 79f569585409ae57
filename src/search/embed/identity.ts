/** What identifies a model, for those who keep its vectors without loading it: those of two models are never compared. */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { EmbeddingChoice } from './choice.ts';

/** Changes with anything that changes vectors (weights, precision, pooling). */
export const MODEL = 'all-MiniLM-L6-v2/int8-1';
export const DIMENSIONS = 384;

/** `fingerprint` is that of the folder, and asked for only where there is one. */
export function modelOf(choice: EmbeddingChoice, fingerprint: () => string): string {
  if (choice.provider === 'none') return 'none';
  if (choice.provider === 'bundled') return MODEL;
  // A question is not kept, so what stands before it may change.
  const { text } = choice.prefixes;
  const prefix = text === '' ? '' : `+${short(createHash('sha256').update(text).digest('hex'))}`;
  return `${choice.provider}:${ownName(choice, fingerprint)}${prefix}`;
}

/** 0 where only the model knows. */
export function dimensionsOf(choice: EmbeddingChoice): number {
  if (choice.provider === 'bundled') return DIMENSIONS;
  return 'dimensions' in choice ? choice.dimensions : 0;
}

type OwnChoice = Exclude<EmbeddingChoice, { provider: 'none' | 'bundled' }>;

function ownName(choice: OwnChoice, fingerprint: () => string): string {
  if (choice.provider === 'onnx') return `${basename(choice.folder)}/${short(fingerprint())}`;
  const { url, model, dimensions } = choice;
  const place = url.host + url.pathname.replace(/\/+$/, '');
  return `${model}@${place}${dimensions === 0 ? '' : `#${dimensions}`}`;
}

function short(digest: string): string {
  return digest.slice(0, 16);
}
