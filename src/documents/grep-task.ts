/**
 * Grep as a task of a worker thread, which reads what it looks at itself: other calls do not wait for it, and no text is
 * sent between threads. To end the thread is to cancel it.
 */
import { toCairnError } from '../errors.ts';
import { type Block, type Found, type LineMatch, type Stretch, scanner, type Wanted } from '../search/grep/scan.ts';
import type { Report } from '../service/tasks.ts';
import type { ObjectStore } from '../store/objects.ts';
import type { FreshPart, KeptTexts, TextCache, TextPart, TextPlace } from '../store/texts.ts';
import { LARGEST } from './letters.ts';
import { withLinesAround } from './lines-around.ts';
import { partsOfText, writtenParts } from './written.ts';

export interface SoughtText {
  readonly hash: string;
  /** Where it is not simply the letters of the content. */
  readonly text?: string;
  /** The lines before were looked at. */
  readonly afterLine?: number;
}

export interface GrepInput {
  readonly place: TextPlace;
  readonly wanted: Wanted;
  /** Most by their hash alone: that is sent between threads sooner. */
  readonly texts: readonly (SoughtText | string)[];
  /** Lines of one text. */
  readonly most: number;
  /** Lines, or texts where lines are only counted, that are found until the rest need not be looked at. */
  readonly enough: number;
}

/** For the texts in their order; those that need not be looked at any more are missing at the end. */
export interface GrepOutput {
  readonly counts: readonly number[];
  /** By the place of the text, where there are any. */
  readonly matches: Readonly<Record<number, readonly LineMatch[]>>;
  /** Why some could not be looked at. */
  readonly problems: Readonly<Record<number, string>>;
}

interface TextFound extends Found {
  readonly problem?: string;
}

/** What the thread reads from. */
export interface TextSource {
  readonly objects: ObjectStore;
  readonly cache: TextCache;
}

declare module '../service/tasks.ts' {
  interface Tasks {
    grep: (input: GrepInput, report: Report) => Promise<GrepOutput>;
  }
}

export function soughtOf(text: SoughtText | string): SoughtText {
  return typeof text === 'string' ? { hash: text } : text;
}

export async function grepTask(source: TextSource, input: GrepInput, report: Report): Promise<GrepOutput> {
  const search = new Search(source, input, report);
  const [counts, matches, problems]: [number[], GrepOutput['matches'], GrepOutput['problems']] = [[], {}, {}];
  let sum = 0;
  for (const text of input.texts) {
    if (sum >= input.enough) break;
    const found = await search.look(soughtOf(text));
    if (found.matches.length > 0) Object.assign(matches, { [counts.length]: found.matches });
    if (found.problem !== undefined) Object.assign(problems, { [counts.length]: found.problem });
    counts.push(found.count);
    sum += input.wanted.show ? found.count : Math.min(found.count, 1);
  }
  search.end();
  return { counts, matches, problems };
}

const nothing: Found = { count: 0, matches: [] };
/** Read and looked through at once: texts that lie together. */
const RUN = 128 * 1024;
/** Read in vain rather than in two. */
const GAP = 8 * 1024;
/** Runs at hand: texts that follow each other mostly lie together. */
const RUNS = 4;
/** Bytes that wait to be kept. */
const WAITING = 32 * 1024 * 1024;
/** How often it is said how far it is, at most; and how often that is thought of. */
const REPORT_MS = 250;
const REPORT_BYTES = 256 * 1024;

/** Used again and again, by one task at a time: fresh memory is slower than what is read into it. */
const memories: Buffer[] = [];
/** Parts of one text are at hand with the one before and the one after. */
const PARTS = 4;

interface Run {
  readonly from: number;
  to: number;
}

interface Held {
  readonly block: Block;
  readonly memory: number;
}

class Search {
  readonly #source: TextSource;
  readonly #input: GrepInput;
  readonly #report: Report;
  readonly #blockOf: (bytes: Buffer) => Block;
  readonly #kept: KeptTexts;
  readonly #parts = new Map<string, TextPart[]>();
  readonly #runOf = new Map<TextPart, Run>();
  readonly #held = new Map<Run, Held>();
  readonly #seen = new Map<string, TextFound>();
  readonly #fresh = new Map<string, readonly FreshPart[]>();
  #waiting = 0;
  #bytes = 0;
  #judged = 0;
  #reported = performance.now();

  constructor(source: TextSource, input: GrepInput, report: Report) {
    this.#source = source;
    this.#input = input;
    this.#report = report;
    this.#blockOf = scanner(input.wanted);
    const written = input.texts.map(soughtOf).filter(({ text }) => text === undefined);
    this.#kept = source.cache.find(written.map(({ hash }) => hash));
    let run: Run = { from: 0, to: 0 };
    for (const part of this.#kept.parts) {
      const others = this.#parts.get(part.hash);
      if (others === undefined) this.#parts.set(part.hash, [part]);
      else others.push(part);
      if (part.from > run.to + GAP || part.to > run.from + RUN) run = { from: part.from, to: part.to };
      run.to = part.to;
      this.#runOf.set(part, run);
    }
  }

  async look(text: SoughtText): Promise<TextFound> {
    const seen = text.afterLine === undefined ? this.#seen.get(text.hash) : undefined;
    if (seen !== undefined) return seen;
    let found: TextFound;
    try {
      found = this.#lookInRun(text) ?? (await this.#lookInParts(text));
    } catch (thrown) {
      found = { ...nothing, problem: toCairnError(thrown).message };
    }
    if (text.afterLine === undefined && found.problem === undefined) this.#seen.set(text.hash, found);
    return found;
  }

  end(): void {
    this.#source.cache.keep(this.#fresh);
    this.#fresh.clear();
    this.#waiting = 0;
  }

  /** A short text lies together with others. */
  #lookInRun({ hash, text, afterLine }: SoughtText): TextFound | undefined {
    const [part, another] = text === undefined ? (this.#parts.get(hash) ?? []) : [];
    const run = part && this.#runOf.get(part);
    if (part === undefined || run === undefined || another !== undefined) return undefined;
    const block = this.#blockIn(run);
    if (block === undefined) return undefined;
    const [from, to] = [part.from - run.from, part.to - run.from];
    this.#count(to - from);
    const { firstLine, insideKey } = part;
    const stretch = { from, to, low: from, high: to, firstLine, insideKey };
    return this.#scan(block, stretch, afterLine, this.#input.most);
  }

  async #lookInParts(sought: SoughtText): Promise<TextFound> {
    const { hash, text, afterLine } = sought;
    const { wanted, most } = this.#input;
    const fresh: FreshPart[] = [];
    const parts = text === undefined ? this.#partsOf(hash, fresh) : partsOfText(text);
    const matches: LineMatch[] = [];
    let count = 0;
    for await (const part of withLinesAround(parts, wanted.show ? wanted.context : 0)) {
      this.#count(part.to - part.from);
      if (count >= most) {
        // The rest is not looked at; what was read of it is not all there is.
        fresh.length = 0;
        break;
      }
      const found = this.#scan(this.#blockOf(part.bytes), part, afterLine, most - count);
      count += found.count;
      // One by one: as arguments of one call, a hundred thousand are too many.
      for (const match of found.matches) matches.push(match);
    }
    if (fresh.length > 0) this.#keep(hash, fresh);
    return { count, matches };
  }

  #scan(block: Block, part: Stretch, afterLine: number | undefined, most: number): Found {
    const first = (afterLine ?? 0) + 1;
    if (first <= part.firstLine) return block.scan(part, most);
    return block.scan({ ...part, ...block.lineIn(part, first) }, most);
  }

  /** The kept ones, as far as they are still there; then as they are read from the content, where they are cut alike. */
  async *#partsOf(hash: string, fresh: FreshPart[]): AsyncGenerator<FreshPart> {
    const kept = [...(this.#parts.get(hash) ?? [])].sort((one, other) => one.part - other.part);
    let given = 0;
    for (const { from, to, firstLine, insideKey } of kept) {
      const bytes = this.#kept.read(from, to, memoryNumber(RUNS + (given % PARTS)));
      if (bytes === undefined) break;
      yield { bytes, firstLine, insideKey };
      given++;
    }
    if (given > 0 && given === kept.length) return;
    let [at, size] = [0, 0];
    for await (const part of writtenParts(this.#source.objects, hash)) {
      size += part.bytes.length;
      if (size <= LARGEST) fresh.push(part);
      else fresh.length = 0;
      if (at++ >= given) yield part;
    }
  }

  #blockIn(run: Run): Block | undefined {
    const held = this.#held.get(run);
    if (held !== undefined) return held.block;
    const number = this.#freeMemory();
    const bytes = this.#kept.read(run.from, run.to, memoryNumber(number));
    if (bytes === undefined) return undefined;
    const block = this.#blockOf(bytes);
    this.#held.set(run, { block, memory: number });
    return block;
  }

  /** The number of one; that of the run that came first, where all are in use. */
  #freeMemory(): number {
    const [oldest] = this.#held.keys();
    if (oldest !== undefined && this.#held.size >= RUNS) this.#held.delete(oldest);
    const used = new Set([...this.#held.values()].map(({ memory }) => memory));
    return Array.from({ length: RUNS }, (_, number) => number).find((number) => !used.has(number)) ?? 0;
  }

  #keep(hash: string, parts: readonly FreshPart[]): void {
    this.#fresh.set(hash, parts);
    for (const { bytes } of parts) this.#waiting += bytes.length;
    if (this.#waiting > WAITING) this.end();
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes - this.#judged < REPORT_BYTES) return;
    this.#judged = this.#bytes;
    const now = performance.now();
    if (now - this.#reported < REPORT_MS) return;
    this.#reported = now;
    this.#report({ done: this.#bytes, unit: 'bytes' });
  }
}

function memoryNumber(number: number): Buffer {
  const memory = memories[number] ?? Buffer.allocUnsafeSlow(RUN);
  memories[number] = memory;
  return memory;
}
