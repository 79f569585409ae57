/**
 * What is derived so that the graph can be asked without going through everything: the outlines of source files, with the
 * names they define, use and import, and the links that instructions and decisions name. Deleting it loses nothing.
 */
import type { Language, Outline } from '../graph/code/outline.ts';

/** A link that a file names: of an instruction to its category, of a decision to the one that replaced it. */
export interface Link {
  readonly source: string;
  readonly relation: string;
  readonly target: string;
}

/** A document that is written in a language we read, and whose outline or imports are not kept yet. */
export interface Unread {
  readonly id: number;
  readonly collection: string;
  readonly path: string;
  readonly hash: string;
  readonly language: Language;
  /** Its content was read already, under another path. */
  readonly outline?: Outline;
}

export interface ReadCode {
  readonly document: Pick<Unread, 'id' | 'hash' | 'language'>;
  readonly outline: Outline;
  /** What others can find its imports by. */
  readonly importKeys: readonly string[];
  /** Names of other symbols that its text holds. */
  readonly uses: readonly string[];
}

export interface CodePlace {
  readonly collection: string;
  readonly path: string;
}

export interface InstructionFacts {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly hash: string;
}

export interface GraphIndex {
  /** Grows with every outline that is kept. */
  version(): Promise<number>;
  unread(limit: number): Promise<Unread[]>;
  pending(): Promise<number>;
  /** Only what still fits: a document that changed meanwhile is read again. */
  keep(read: readonly ReadCode[]): Promise<void>;
  /** Lets one process at a time do the work: `true` where it is the caller's turn for so long. 0 ends the turn. */
  claim(forMs: number): Promise<boolean>;
  outline(hash: string, language: Language): Promise<Outline | undefined>;
  /** Documents with an import that is found by one of the keys. */
  importing(collection: string, keys: readonly string[], limit: number): Promise<string[]>;
  /** Documents whose text uses one of the names. */
  using(collection: string, names: readonly string[], limit: number): Promise<string[]>;
  /** Documents that define a symbol of this name, in the order of collections and paths. */
  defining(name: string, limit: number): Promise<CodePlace[]>;
  /** Documents with symbols and how many, in the order of collections and paths. */
  outlined(after: CodePlace | undefined, limit: number): Promise<(CodePlace & { readonly symbols: number })[]>;
  symbolCount(): Promise<number>;
  /** Links from or to a node. Each once, in order. */
  links(key: string, direction: 'out' | 'in', relation: string, limit: number): Promise<Link[]>;
  instruction(id: string): Promise<InstructionFacts | undefined>;
  instructions(limit: number, offset: number): Promise<InstructionFacts[]>;
  instructionCount(): Promise<number>;
  categories(limit: number, offset: number): Promise<string[]>;
  categoryCount(): Promise<number>;
}
