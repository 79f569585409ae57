/** `cairn grep`: all lines that match, page after page, as grep writes them. */
import { type CairnError, toCairnError } from '../../../errors.ts';
import { badUsage } from '../arguments.ts';
import { hasReader } from '../invocation.ts';
import { type Line, type Piece, toned } from '../terminal.ts';
import { highlighted } from './search.ts';
import type { Order } from './verb.ts';

interface Match {
  readonly path: string;
  readonly collection: string;
  readonly line?: number;
  readonly text: string;
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

interface Page {
  readonly matches?: readonly Match[];
  readonly counts?: readonly { readonly path: string; readonly collection: string; readonly count: number }[];
  readonly files?: readonly string[];
  readonly total: number;
  readonly files_matched: number;
  readonly files_searched: number;
  readonly next_cursor?: string;
  readonly left_out?: readonly string[];
}

/** As many as the operation gives at once: to go on within a large document reads it again. */
const PAGE_LINES = 10_000;
/** The signs of regular expressions. */
const signs = /[\\^$.|?*+()[\]{}]/;

export async function grepDocuments(order: Order): Promise<number> {
  const { words, input, human, show, warn } = order;
  const [first, ...others] = words;
  const pattern = input.pattern ?? first;
  const paths = input.pattern === undefined ? others : words;
  if (pattern === undefined) throw badUsage("grep needs a pattern, as in cairn grep 'TODO|FIXME' src");
  const asked = { ...input, pattern, ...(paths.length > 0 && { paths }), ...(human && { line_numbers: true }) };
  const writer = new GrepWriter(
    typeof pattern === 'string' ? literalIn(pattern, input.ignore_case === true) : undefined,
  );
  const whole = await allPages(order, asked, (page) => human && order.say(writer.linesOf(page)));
  show(whole, () => writer.end());
  if (human) for (const each of whole.left_out ?? []) warn([`cairn: not looked at: ${each}`]);
  if (human && whole.next_cursor !== undefined && hasReader())
    warn([`cairn: there is more; go on with --cursor ${whole.next_cursor}`]);
  return whole.total > 0 ? 0 : 1;
}

/** Whoever asks for a page by its limit or cursor gets that page. */
async function allPages(order: Order, asked: Record<string, unknown>, see: (page: Page) => void): Promise<Page> {
  const single = asked.limit !== undefined || asked.cursor !== undefined;
  let whole: Page | undefined;
  for (let cursor: string | undefined; ; ) {
    const page: Page = await order
      .call<Page>('grep', { limit: PAGE_LINES, ...asked, ...(cursor !== undefined && { cursor }) })
      .catch((thrown: unknown) => {
        throw asUsage(thrown);
      });
    see(page);
    const kept = order.human ? withoutLines(page) : page;
    whole = whole === undefined ? kept : together(whole, kept);
    cursor = page.next_cursor;
    if (single || cursor === undefined || !hasReader()) return whole;
  }
}

/** A pattern that is none is bad usage: grep exits with 2. */
function asUsage(thrown: unknown): CairnError {
  const error = toCairnError(thrown);
  return error.kind === 'validation_failed' ? badUsage(error.message, error.suggestion) : error;
}

function together(one: Page, other: Page): Page {
  const { next_cursor: _before, ...rest } = one;
  const sameFile = lastPath(one) !== undefined && lastPath(one) === firstPath(other) ? 1 : 0;
  const leftOut = [...new Set([...(one.left_out ?? []), ...(other.left_out ?? [])])];
  return {
    ...rest,
    ...(one.matches && { matches: [...one.matches, ...(other.matches ?? [])] }),
    ...(one.counts && { counts: [...one.counts, ...(other.counts ?? [])] }),
    ...(one.files && { files: [...one.files, ...(other.files ?? [])] }),
    total: one.total + other.total,
    files_matched: one.files_matched + other.files_matched - sameFile,
    files_searched: one.files_searched + other.files_searched - sameFile,
    ...(other.next_cursor !== undefined && { next_cursor: other.next_cursor }),
    ...(leftOut.length > 0 && { left_out: leftOut }),
  };
}

/** What was shown need not be kept. */
function withoutLines({ matches: _matches, counts: _counts, files: _files, ...figures }: Page): Page {
  return figures;
}

/** A page may end within a document. */
function lastPath({ matches }: Page): string | undefined {
  const last = matches?.at(-1);
  return last && `${last.collection}/${last.path}`;
}

function firstPath({ matches }: Page): string | undefined {
  const first = matches?.[0];
  return first && `${first.collection}/${first.path}`;
}

/** What can be shown in colour without understanding the pattern. */
function literalIn(pattern: string, ignoreCase: boolean): RegExp | undefined {
  return signs.test(pattern) || pattern === '' ? undefined : new RegExp(pattern, ignoreCase ? 'giu' : 'gu');
}

/** Lines of one document in a row, those around matches once; `--` between what is not in a row. */
class GrepWriter {
  readonly #sought: RegExp | undefined;
  #held: Match[] = [];
  #place = '';
  #line = 0;

  constructor(sought: RegExp | undefined) {
    this.#sought = sought;
  }

  linesOf({ matches = [], counts, files }: Page): Line[] {
    if (files !== undefined) return files.map((path): Line => [toned('name', path)]);
    if (counts !== undefined) return counts.map(({ path, count }): Line => [toned('name', path), `:${count}`]);
    const all = [...this.#held, ...matches];
    // What follows the last match may be a match of the next page.
    this.#held = all.slice(-1);
    return all.slice(0, -1).flatMap((match, at) => this.#around(match, all[at + 1]));
  }

  end(): Line[] {
    return this.#held.flatMap((match) => this.#around(match, undefined));
  }

  #around(match: Match, next: Match | undefined): Line[] {
    const { path, collection, line = 0, text, before, after } = match;
    const place = `${collection}/${path}`;
    const begins = line - (before?.length ?? 0);
    const follows = place === this.#place && begins <= this.#line + 1;
    const lines: Line[] = before !== undefined && this.#place !== '' && !follows ? [[toned('faint', '--')]] : [];
    if (place !== this.#place) this.#line = 0;
    this.#place = place;
    for (const [at, each] of (before ?? []).entries())
      if (begins + at > this.#line) lines.push(lineOf(path, begins + at, '-', [each]));
    lines.push(lineOf(path, line, ':', highlighted(text, this.#sought)));
    this.#line = line;
    for (const [at, each] of (after ?? []).entries()) {
      const own = line + 1 + at;
      // The next match shows itself.
      if (next !== undefined && next.path === path && next.collection === collection && own >= (next.line ?? 0)) break;
      lines.push(lineOf(path, own, '-', [each]));
      this.#line = own;
    }
    return lines;
  }
}

function lineOf(path: string, line: number, sign: string, text: readonly Piece[]): Line {
  return [toned('name', path), sign, toned('number', String(line)), sign, ...text];
}
