/**
 * What the texts of instructions and decisions name: files, symbols and each other. Derived from their files by whoever
 * indexes them, so it is never older than the index; asking costs what is found, whichever end one begins from.
 */
import type { Mention, MentionType } from '../graph/mentions.ts';

export const mentioningKinds = ['instruction', 'decision'] as const;
export type MentioningKind = (typeof mentioningKinds)[number];

/** A mention as it is kept. */
export interface KeptMention extends Mention {
  /** Somebody gave it as an anchor; else it was found in the text. */
  readonly given: boolean;
}

export interface Naming {
  readonly kind: MentioningKind;
  readonly id: string;
  readonly value: string;
}

export interface CitingItem {
  readonly kind: MentioningKind;
  readonly id: string;
  readonly mentions: readonly KeptMention[];
}

export interface MentionIndex {
  /** In the order of the text, what was given as an anchor first. */
  of(kind: MentioningKind, id: string): Promise<KeptMention[]>;
  /** Who names one of the values. */
  naming(type: MentionType, values: readonly string[]): Promise<Naming[]>;
  /** Everything that names a file, with those mentions alone, in the order of kinds and ids. */
  citing(kind: MentioningKind | undefined): Promise<CitingItem[]>;
}
