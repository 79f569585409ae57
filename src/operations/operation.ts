/**
 * What an operation is. Everything Cairn can do is one of these; every door, list, schema and page of the reference is
 * made from them, and from nothing else.
 */
import * as z from 'zod';
import type { Embedder } from '../search/embed/embedder.ts';
import type { Config } from '../service/config.ts';
import type { Connections } from '../service/connections.ts';
import type { Log } from '../service/log.ts';
import type { Metrics } from '../service/metrics.ts';
import type { Capability, Principal } from '../service/principal.ts';
import type { Toolset } from '../service/settings.ts';
import type { Progress, Workers } from '../service/workers.ts';
import type { Change, Store, View } from '../store/store.ts';
import type { Surface } from './surface.ts';

export const families = ['instructions', 'governance', 'usage', 'service', 'feedback', 'memory', 'documents'] as const;
export type Family = (typeof families)[number];

/** The facts of an operation that are plain data: what `surface.generated.json` holds, together with the schemas. */
export interface OperationFacts {
  /** Canonical id: `^[a-z][a-z0-9_]{0,39}$`. */
  readonly name: string;
  /** One sentence or a few: what it does and when to use it. Written for an agent that chooses among tools. */
  readonly description: string;
  readonly family: Family;
  /** The toolsets that list it, besides `all`. */
  readonly toolsets: readonly Exclude<Toolset, 'all'>[];
  /** Spellings that the seeds document, to show in `describe`; any spelling that folds to the name answers. */
  readonly spellings: readonly string[];
  readonly capability: Capability;
  readonly writes: boolean;
  /** Needs the mutation switch of the instruction catalog. */
  readonly mutation: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  /** Reaches beyond this machine. */
  readonly openWorld: boolean;
  /** `composite` operations run others and cannot be steps of each other; `step` ones are not listed as tools. */
  readonly kind: 'plain' | 'composite' | 'step';
  /** Parameters that the command line takes without a flag, in order. */
  readonly positional: readonly string[];
  /** The boolean field of the result that says whether all is well; when it is false, a command exits with 1. */
  readonly verdict?: string;
  /** The field of the result that is there only when the operation refused: then a tool error, and exit code 1. */
  readonly failure?: string;
  /** Answers `{status: "success", …}`, and what it refuses as `{status: "error", message, error}` instead of an error. */
  readonly envelope: boolean;
  /** The field of the result that is the text of the answer, where the others only say how it came about. */
  readonly text?: string;
  /** How to get what a capped answer left out. */
  readonly rest?: string;
  readonly example: Example;
}

/** Executed as a test. `given` calls come first; strings in `input` may refer to the last of them as `$prev`. */
export interface Example {
  readonly given?: readonly { readonly op: string; readonly params: Readonly<Record<string, unknown>> }[];
  readonly input: Readonly<Record<string, unknown>>;
}

export interface Operation<I = unknown, O = unknown> extends OperationFacts {
  readonly input: z.ZodType<I>;
  readonly output: z.ZodType<O>;
  /** Whether a call with these arguments changes nothing, so that neither switch stands in its way. */
  changesNothing?(raw: Readonly<Record<string, unknown>>): boolean;
  /** Fields of the arguments that become names which everybody sees: a secret in one of them is refused. */
  readonly shown?: readonly string[];
  /** Makes what older clients send wrongly recognisable before the arguments are parsed. */
  prepare?(raw: unknown): unknown;
  run(input: I, context: Context): Promise<Frozen<O>>;
}

/**
 * Results are handed out, never changed: readonly records of the domains are results as they are. What the schema leaves
 * open (`record of unknown`) may be any object, an interface too.
 */
export type Frozen<T> = T extends readonly (infer U)[]
  ? readonly Frozen<U>[]
  : T extends object
    ? string extends keyof T
      ? unknown extends T[keyof T]
        ? object
        : { readonly [K in keyof T]: Frozen<T[K]> }
      : { readonly [K in keyof T]: Frozen<T[K]> }
    : T;

/** What an operation may use while it runs. */
export interface Context {
  readonly principal: Principal;
  readonly config: Config;
  readonly surface: Surface;
  readonly store: Store;
  readonly metrics: Metrics;
  readonly workers: Workers;
  readonly embedder: Embedder;
  readonly connections: Connections;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** The same object for all calls of one batch or pipeline. */
  readonly batch: object;
  progress(progress: Progress): void;
  read<T>(work: (view: View) => Promise<T>): Promise<T>;
  /** One transaction that also appends the audit entry of this call: an acknowledged write is an audited one. */
  write<T>(work: (change: Change, audit: Audit) => Promise<T>): Promise<T>;
  /** A line of the trace besides the call's own. */
  trace(category: string, facts: Record<string, unknown>): void;
  /** Another operation, through the same gate, as the same principal. */
  call(operation: string, input: unknown): Promise<unknown>;
  /** Whether the call would be let in and its arguments fit, without running it. Throws what `call` would. */
  check(operation: string, input: unknown): Promise<void>;
  /** As `call`, also after this call was answered: with a time limit of its own, and ended when the process closes. */
  later(operation: string, input: unknown): Promise<unknown>;
}

/** What the audit entry of a write says besides who, when and which operation. */
export interface Audit {
  subject(...ids: string[]): void;
  hashes(before: string | undefined, after: string | undefined): void;
  note(text: string): void;
  /** Nothing was changed after all: no entry. */
  skip(): void;
}

type Defaults =
  | 'envelope'
  | 'spellings'
  | 'mutation'
  | 'destructive'
  | 'idempotent'
  | 'openWorld'
  | 'kind'
  | 'positional';
type Declaration<I, O> = Omit<Operation<I, O>, Defaults> & Partial<Pick<Operation<I, O>, Defaults>>;

export function operation<I, O>(declaration: Declaration<I, O>): Operation<I, O> {
  return {
    envelope: false,
    spellings: [],
    mutation: false,
    destructive: false,
    idempotent: !declaration.writes,
    openWorld: false,
    kind: 'plain',
    positional: [],
    ...(declaration.envelope && { failure: 'error' }),
    ...declaration,
  };
}

/** Arguments of operations that take none; like every input it refuses what it does not know. */
export const nothing = z.strictObject({});
