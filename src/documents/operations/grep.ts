import * as z from 'zod';
import { CairnError } from '../../errors.ts';
import { type Context, type Frozen, operation } from '../../operations/operation.ts';
import { requiredIn } from '../../search/grep/literals.ts';
import { compile, type LineMatch, type Wanted } from '../../search/grep/scan.ts';
import type { Candidate } from '../../store/document-index.ts';
import { followed } from '../follow.ts';
import { type GrepMark, type Searched, searchedIn } from '../grep.ts';
import { folderOf, placesShape, scopeOf, within } from './scope.ts';
import { documentRead, given } from './shape.ts';

/** How long an answer waits for documents that were added a moment ago; what is then still missing is said. */
const PATIENCE_MS = 20_000;

/** Documents without a text that are named in one answer, or counted. */
const UNREAD = 1000;

const match = z.object({
  path: z.string(),
  collection: z.string(),
  hash: z.string(),
  line: z.number().optional(),
  text: z.string(),
  before: z.array(z.string()).optional(),
  after: z.array(z.string()).optional(),
});

const input = z.strictObject({
  pattern: z.string().min(1).max(10_000).describe('Regular expression.'),
  ignore_case: z.boolean().default(false),
  line_numbers: z.boolean().default(false),
  context: z.int().min(0).max(20).default(0).describe('Lines around each match.'),
  word: z.boolean().default(false).describe('Whole words only.'),
  invert: z.boolean().default(false).describe('The lines that do not match.'),
  count: z.boolean().default(false).describe('Only how many lines match in each document.'),
  files_with_matches: z.boolean().default(false).describe('Only the paths.'),
  max_count: z.int().min(0).max(100_000).default(0).describe('Stop after so many lines of one document; 0 for all.'),
  limit: z.int().min(1).max(10_000).default(200).describe('Lines, or documents, of one answer.'),
  cursor: z.string().max(5000).optional().describe('Where the answer before ended.'),
  ...placesShape,
});
type Input = z.infer<typeof input>;

export const grep = operation({
  ...documentRead,
  name: 'grep',
  description:
    'Finds every line of the documents that matches a regular expression (RE2: linear time, no look-around). Complete; what does not fit in one answer follows with cursor.',
  positional: ['pattern'],
  rest: 'Narrow it with paths, or ask with a smaller limit and go on with cursor.',
  input,
  output: z.object({
    matches: z.array(match).optional(),
    counts: z.array(z.object({ path: z.string(), collection: z.string(), count: z.number() })).optional(),
    files: z.array(z.string()).optional(),
    total: z.number().describe('Lines that match, in this answer.'),
    files_matched: z.number(),
    files_searched: z.number().describe('The others cannot hold the pattern, as the index knows.'),
    searched: z.string(),
    next_cursor: z.string().optional().describe('There is more: ask again with it as cursor.'),
    left_out: z.array(z.string()).optional().describe('What was not looked at, and why.'),
  }),
  example: { given, input: { pattern: 'One\\s+store', line_numbers: true } },
  async run(input, context) {
    const wanted = wantedOf(input);
    await refuseBroken(context, wanted);
    const { pending } = await followed(context, PATIENCE_MS);
    const after = markOf(input.cursor);
    const answer = new Answer(input, after);
    const scope = {
      filter: await within(context, input),
      fits: folderOf(input),
      // A line that does not match may be anywhere.
      required: input.invert ? [[]] : requiredIn(wanted.pattern),
      after,
      most: input.files_with_matches ? 1 : input.max_count === 0 ? Number.MAX_SAFE_INTEGER : input.max_count,
      limit: input.limit,
    };
    if (input.cursor === undefined) {
      const unread = await context.store.documents.unreadable(scope.filter, UNREAD);
      for (const { path, collection, problem } of unread) if (scope.fits(path)) answer.lack(collection, path, problem);
    }
    for await (const searched of searchedIn(context, wanted, scope)) if (!answer.take(searched)) break;
    return { ...answer.result(pending), searched: `lines of documents in ${scopeOf(input)}` };
  },
});

function wantedOf({ pattern, ignore_case, word, invert, context, count, files_with_matches }: Input): Wanted {
  // A flag for all of it says what the parameter says, which the index understands.
  const flagged = /^\(\?i\)(?=.)/s.test(pattern);
  return {
    pattern: flagged ? pattern.slice(4) : pattern,
    ignoreCase: ignore_case || flagged,
    word,
    invert,
    context,
    show: !count && !files_with_matches,
  };
}

async function refuseBroken({ store, workers, signal }: Context, wanted: Wanted): Promise<void> {
  try {
    // Repetitions are written out: some patterns take seconds, in which other calls must be answered.
    const nothing = { place: store.textPlace, wanted, texts: [], most: 0, enough: 0 };
    if (/\{\d/.test(wanted.pattern)) await workers.run('grep', nothing, { signal });
    else compile(wanted);
  } catch (thrown) {
    signal.throwIfAborted();
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new CairnError('validation_failed', `The pattern is no regular expression of RE2: ${reason.slice(0, 300)}`, {
      suggestion: 'Escape signs such as ( [ { + * ? with a backslash; look-around and back-references do not exist.',
    });
  }
}

/** Gathers until the answer is full. It ends after a whole document, or within one by its line. */
class Answer {
  readonly #input: Input;
  readonly #matches: Frozen<z.infer<typeof match>>[] = [];
  readonly #counts: { path: string; collection: string; count: number }[] = [];
  readonly #leftOut: string[] = [];
  #searched = 0;
  #total = 0;
  #next: string | undefined;

  readonly #after: GrepMark | undefined;

  constructor(input: Input, after: GrepMark | undefined) {
    this.#input = input;
    this.#after = after;
  }

  /** `false` when there is room for no more. */
  take({ candidate, count, matches, problem }: Searched): boolean {
    if (this.#isFull) {
      this.#next ??= cursorOf(this.#lastTaken);
      return false;
    }
    this.#searched++;
    this.#lastTaken = candidate;
    if (problem !== undefined) this.lack(candidate.collection, candidate.path, problem);
    if (count === 0) return true;
    const kept = matches.slice(0, this.#input.limit - this.#matches.length);
    const counted = this.#isCounting ? count : kept.length;
    this.#total += counted;
    this.#counts.push({ path: candidate.path, collection: candidate.collection, count: counted });
    for (const each of kept) this.#matches.push(this.#shown(candidate, each));
    if (counted < count) this.#next = cursorOf(candidate, kept.at(-1)?.line, this.#foundBefore(candidate) + counted);
    return this.#next === undefined;
  }

  lack(collection: string, path: string, problem: string): void {
    this.#leftOut.push(`${collection}/${path}: ${problem}`);
  }

  #lastTaken: Candidate | undefined;

  get #isCounting(): boolean {
    return this.#input.count || this.#input.files_with_matches;
  }

  get #isFull(): boolean {
    return (this.#isCounting ? this.#counts.length : this.#matches.length) >= this.#input.limit;
  }

  /** In the document that the answer before ended in. */
  #foundBefore({ collection, path }: Candidate): number {
    const after = this.#after;
    return after?.collection === collection && after.path === path ? (after.found ?? 0) : 0;
  }

  result(pending: number) {
    const { count, files_with_matches } = this.#input;
    const leftOut = [
      ...this.#leftOut.slice(0, 20),
      ...(this.#leftOut.length > 20 ? [`${this.#leftOut.length - 20} more could not be read`] : []),
      ...(pending > 0 ? [`${pending} changes of documents are not indexed yet: ask again in a moment`] : []),
    ];
    return {
      ...(files_with_matches
        ? { files: this.#counts.map(({ path }) => path) }
        : count
          ? { counts: this.#counts }
          : { matches: this.#matches }),
      total: this.#total,
      files_matched: this.#counts.length,
      files_searched: this.#searched,
      ...(this.#next !== undefined && { next_cursor: this.#next }),
      ...(leftOut.length > 0 && { left_out: leftOut }),
    };
  }

  #shown({ path, collection, hash }: Candidate, { line, text, before, after }: LineMatch) {
    const { line_numbers, context } = this.#input;
    return {
      path,
      collection,
      hash,
      ...(line_numbers && { line }),
      text,
      ...(context > 0 && { before, after }),
    };
  }
}

function cursorOf(candidate: Candidate | undefined, line = 0, found = 0): string | undefined {
  if (candidate === undefined) return undefined;
  const { collection, path } = candidate;
  return Buffer.from(JSON.stringify([collection, path, line, found])).toString('base64url');
}

function markOf(cursor: string | undefined): GrepMark | undefined {
  if (cursor === undefined) return undefined;
  const parsed = mark.safeParse(partsOf(cursor));
  if (parsed.success) {
    const [collection, path, line, found] = parsed.data;
    return { collection, path, ...(line > 0 && { line, found }) };
  }
  throw new CairnError('validation_failed', 'The cursor is not one that grep gave', {
    suggestion: 'Ask without cursor to begin anew.',
  });
}

const mark = z.tuple([z.string(), z.string(), z.int().min(0), z.int().min(0)]);

function partsOf(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}
