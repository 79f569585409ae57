/** What a verb of the documents is: a command that says more than the operation behind it. */
import type { App } from '../../../service/app.ts';
import type { FlagKind, Flags } from '../arguments.ts';
import type { Line } from '../terminal.ts';

export interface Verb {
  /** One word or two, as they are typed. */
  readonly name: string;
  /** What follows them. */
  readonly usage: string;
  readonly about: string;
  /** What is good to know besides, in the help of the verb. */
  readonly notes?: string;
  /** Its parameters are flags of the verb. */
  readonly operation?: string;
  /** Parameters that the words give; the help leaves their flags out. */
  readonly spoken?: readonly string[];
  /** Whether typing the name of the operation means the verb as well. */
  readonly answersForOperation?: boolean;
  /** The words are a text: none of them belongs to the name of a command. */
  readonly takesText?: boolean;
  /** Flags besides, each with what it does. */
  readonly flags?: Readonly<Record<string, readonly [FlagKind, string]>>;
  /** Other names of flags. */
  readonly aliases?: Readonly<Record<string, string>>;
  readonly letters?: Readonly<Record<string, string>>;
  /** What to type, and what it does. */
  readonly examples: readonly (readonly [string, string])[];
  load(): Promise<(order: Order) => Promise<number>>;
}

/** A verb as it was given: its words and flags, and how it reaches operations and the reader. */
export interface Order {
  readonly app: App;
  readonly words: readonly string[];
  readonly flags: Flags;
  /** The parameters of the operation that flags named. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Text for a person rather than JSON for a program. */
  readonly human: boolean;
  /** How wide the terminal is; without one there is no end to a line. */
  readonly width: number;
  call<T>(operation: string, input: object): Promise<T>;
  /** The result as JSON, or as the lines that a person reads. */
  show(result: unknown, lines: () => readonly Line[]): void;
  /** Lines on stdout that come before the result is whole. */
  say(lines: readonly Line[]): void;
  /** What is not the answer, on stderr. */
  warn(line: Line): void;
}
