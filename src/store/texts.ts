/**
 * Texts of contents as grep reads them: UTF-8 with every line ended, one after the other, so that many are read and looked
 * through at once. A copy for speed: what is not in it is read from the contents, and deleting it loses nothing.
 */

import type { SharedPlace } from './shared/address.ts';

/** Where a thread finds the contents and the copy of their texts, with connections of its own. */
export interface TextPlace {
  /** The folder of the copy, and of the contents where no server has them. */
  readonly home: string;
  readonly server?: SharedPlace;
}

/** A run of whole lines; most texts are one part, long ones are several. */
export interface TextPart {
  readonly hash: string;
  /** Of its text: 0, 1, 2… */
  readonly part: number;
  /** Where it lies. */
  readonly from: number;
  readonly to: number;
  readonly firstLine: number;
  /** The lines before it began a private key that has not ended. */
  readonly insideKey: boolean;
}

export interface FreshPart {
  readonly bytes: Buffer;
  readonly firstLine: number;
  readonly insideKey: boolean;
}

/** Texts that are there, as they lay when they were asked for. */
export interface KeptTexts {
  /** In the order in which they lie. */
  readonly parts: readonly TextPart[];
  /** `undefined` where they were dropped since. Into `memory`, where that is large enough. */
  read(from: number, to: number, memory?: Buffer): Buffer | undefined;
}

export interface TextCache {
  find(hashes: readonly string[]): KeptTexts;
  /** As far as there is room. */
  keep(texts: ReadonlyMap<string, readonly FreshPart[]>): void;
  /** Of all texts in it. */
  hashes(): string[];
  drop(hashes: readonly string[]): void;
}
