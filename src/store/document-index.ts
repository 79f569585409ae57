/**
 * What is derived from documents so that they can be searched: the words and letters of each content, once however many
 * paths name it, and where each path lies. Deleting it loses nothing: it follows `DocumentShelf.changes` from the first.
 */
import type { DocumentChange } from './documents.ts';
import type { VectorShelf } from './store.ts';
import type { Terms } from './terms.ts';

/** The readable text of a content. */
export interface ContentText {
  readonly hash: string;
  readonly title?: string;
  readonly text: string;
  /** The text is not simply the letters of the content, so it is kept here. */
  readonly extracted: boolean;
  /** What grep looks at, where that is not the text: a page as it is written. */
  readonly letters?: string;
  /** There is more of it than was looked at: letters that are not found may still be there. */
  readonly partial: boolean;
  readonly problem?: string;
}

export interface KeptText {
  readonly title?: string;
  /** Only of a text that was extracted; any other is read from the content. */
  readonly text?: string;
  readonly problem?: string;
}

export interface PlaceFilter {
  readonly collection?: string;
  readonly kind?: 'text' | 'binary';
  /** With its dot, in lower case. */
  readonly extension?: string;
  readonly tag?: string;
  /** The path itself, or a folder that holds it. */
  readonly below?: readonly string[];
  readonly ids?: readonly number[];
  /** When it was modified, as ISO dates; both included. */
  readonly after?: string;
  readonly before?: string;
  /** Any other comparison of the path. */
  readonly fits?: (path: string) => boolean;
}

export interface Sought extends Terms {
  /** Any of them. */
  readonly words: readonly string[];
  /** Two of them that stand side by side. */
  readonly pairs: readonly string[];
  /** How much it counts when a path holds the words. */
  readonly names: number;
}

export interface ContentMatch {
  readonly hash: string;
  /** 1 is what a text scores that holds everything once or twice. */
  readonly score: number;
  /** What it is made of. */
  readonly parts: { readonly words?: number; readonly pairs?: number; readonly path?: number };
  /** The sections of its text that hold most, best first. */
  readonly sections: readonly number[];
}

/** Where a content lies. */
export interface Place {
  readonly id: number;
  readonly hash: string;
  /** Of the content, where it has one. */
  readonly title?: string;
}

export interface Candidate {
  readonly id: number;
  readonly collection: string;
  readonly path: string;
  readonly kind: 'text' | 'binary';
  readonly hash: string;
}

export interface DocumentIndex {
  /** The last change that is in it. */
  seq(): Promise<number>;
  /** Contents whose text it does not have. */
  lacking(hashes: readonly string[]): Promise<string[]>;
  /** One step from `after`, which must be where it stands; `false` where another process was faster, or a text is lacking. */
  follow(after: number, changes: readonly DocumentChange[], texts: readonly ContentText[]): Promise<boolean>;
  /** Forgets everything: it is to be built again. */
  reset(): Promise<void>;
  kept(hash: string): Promise<KeptText | undefined>;
  /** Contents that hold what is sought, in their text, title or path, best first, and how many there are; `atLeast` where they were not counted to the end. */
  matching(
    sought: Sought,
    filter: PlaceFilter,
    limit: number,
  ): Promise<{ total: number; found: ContentMatch[]; atLeast?: boolean }>;
  /** Contents that may be answered at all; `undefined` where nothing narrows them. */
  allowed(sought: Sought, filter: PlaceFilter): Promise<ReadonlySet<string> | undefined>;
  /** Where these contents lie, in the order given and then of their ids, as far as the filter lets. */
  places(hashes: readonly string[], filter: PlaceFilter, limit: number): Promise<Place[]>;
  /** Vectors of the contents, by their hash. */
  readonly vectors: VectorShelf;
  /** Which of the words no document holds. */
  unknown(words: readonly string[]): Promise<string[]>;
  /** Words of the documents within two edits of this one; first those that more of them hold. */
  spelledLike(word: string, limit: number): Promise<string[]>;
  /**
   * Documents that may hold one of the alternatives, each a list of pieces that must all be there, whatever their case; in
   * the order of collections and paths, after one of them.
   */
  holding(
    alternatives: readonly (readonly string[])[],
    filter: PlaceFilter,
    after: CandidateMark | undefined,
    limit: number,
  ): Promise<Candidate[]>;
  /** Documents whose text could not be read, or not all of it, in the same order. */
  unreadable(filter: PlaceFilter, limit: number): Promise<(Candidate & { readonly problem: string })[]>;
  counts(): Promise<{ readonly contents: number; readonly problems: number }>;
}

export type CandidateMark = Pick<Candidate, 'collection' | 'path'>;
