/**
 * What an instruction or decision cites, as it was when it was cited: the truth that staleness is measured by. Whoever reads it
 * compares the hash with that of what is there now.
 */
import type { MentioningKind } from './mentions.ts';

export interface AnchorRecord {
  readonly kind: MentioningKind;
  readonly id: string;
  /** As the item names it: `path`, `path#symbol`, `collection:path`. */
  readonly ref: string;
  /** Where it lay: `collection/path` of a document; empty for a file of the project. */
  readonly place: string;
  /** Of the whole content; empty where nothing was there, and somebody said that this is right. */
  readonly content: string;
  /** Of what is cited: the content, or the text of a symbol in it. */
  readonly hash: string;
  readonly citedAt: string;
  readonly by: string;
}

export interface AnchorShelf {
  of(kind: MentioningKind, id: string): Promise<AnchorRecord[]>;
  /** Those that cited this content. */
  citing(content: string): Promise<AnchorRecord[]>;
  /** All of them, in the order of kinds, ids and references. */
  all(kind: MentioningKind | undefined): Promise<AnchorRecord[]>;
}

export interface AnchorDesk extends AnchorShelf {
  /** In place of what was kept for the same reference. */
  put(anchor: AnchorRecord): Promise<void>;
  /** Where none is kept for the reference: what was cited first stays. */
  putNew(anchor: AnchorRecord): Promise<boolean>;
  /** Those of an item that it no longer names, or all of an item that is gone. */
  keepOnly(kind: MentioningKind, id: string, refs: readonly string[]): Promise<number>;
}
