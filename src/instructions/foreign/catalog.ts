/**
 * What a reading of foreign instructions answers: the entries, and an account of everything that was not taken as it
 * stood, so that a person can check an import line by line.
 */
import type { EntryFacts } from '../derive.ts';

export const MAX_FILE_BYTES = 5 * 1024 * 1024;

export const foreignKinds = ['index-server', 'markdown', 'agent-file'] as const;
export type ForeignKind = (typeof foreignKinds)[number];

export interface ForeignFile {
  /** Relative to the folder that is imported, with `/` or `\` between its parts. */
  readonly path: string;
  readonly text: string;
}

export interface ForeignOptions {
  /** Reads every file as this kind, and ignores what cannot be of it; without it the kind is recognised. */
  readonly kind?: ForeignKind | undefined;
}

export interface ForeignEntry {
  readonly facts: EntryFacts;
  /** The file, and the place in it where the file holds several entries. */
  readonly from: string;
}

/** One value that was not taken as it stood. `to` is null where it was dropped. */
export interface Change {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
  readonly why: string;
}

export interface Mapping extends Change {
  readonly path: string;
  readonly id: string;
}

export type ProblemCode =
  | 'file_too_large'
  | 'body_too_large'
  | 'invalid_json'
  | 'invalid_front_matter'
  | 'empty_body'
  | 'not_an_entry';

export interface ForeignProblem {
  readonly path: string;
  readonly error: string;
  readonly code: ProblemCode;
}

export interface IgnoredFile {
  readonly path: string;
  readonly why: string;
}

export interface ForeignCatalog {
  readonly entries: readonly ForeignEntry[];
  readonly mappings: readonly Mapping[];
  readonly problems: readonly ForeignProblem[];
  readonly ignored: readonly IgnoredFile[];
}

/** An entry before its id is settled: ids and references can only be put right when all files are read. */
export interface Draft {
  readonly path: string;
  readonly from: string;
  readonly facts: EntryFacts;
  readonly changes: readonly Change[];
}

/** What the reader of one kind makes of one file. */
export interface Reading {
  readonly drafts: readonly Draft[];
  readonly problems?: readonly ForeignProblem[];
  /** Why the file holds no instruction at all. */
  readonly ignored?: string;
}
