/**
 * Events that say much the same about one target. What an event is about comes first, its wording second; both follow from
 * the events and the known targets alone, in the order of their ids, so the same events make the same clusters.
 */
import type { EventRecord } from '../store/store.ts';
import { wordsOf } from './similarity.ts';
import { stopWords } from './stop-words.ts';
import { targetKey } from './target.ts';

/** An event as it is compared: its telling words, weighed, as a vector of length 1. */
export interface Worded {
  readonly event: EventRecord;
  /** Every word of it, in order. */
  readonly said: readonly string[];
  readonly words: ReadonlyMap<string, number>;
}

export interface Cluster {
  /** Absent where only the wording holds it together. */
  readonly target: string | undefined;
  readonly members: readonly Worded[];
}

const MOST_EVENTS = 2000;
/** Logs and stack traces can be long; what an event is about stands at its beginning. */
const MOST_CHARACTERS = 500;
const MOST_WORDS = 24;
/** Fewer say nothing: `thanks`, `ok, do that`, `fix typo`. */
const LEAST_WORDS = 4;
/** How alike an event is to the average of its cluster. Without a common target only the wording speaks, and must say more. */
const ALIKE = 0.3;
const ALIKE_WITHOUT_TARGET = 0.45;

/** The events that can be compared, oldest first: the newest ones of those that have something to say. */
export function wordedEvents(events: readonly EventRecord[]): Worded[] {
  const byId = new Map(events.map((event) => [event.id, event]));
  const telling = [...byId.values()]
    .filter(({ kind, subject }) => kind !== 'decision' && !writtenByGit.test(subject))
    .sort((a, b) => a.id - b.id)
    .map((event) => ({ event, said: wordsOf(textOf(event)) }))
    .map((each) => ({ ...each, counts: countsOf(each.said.filter(isTelling)) }))
    .filter(({ counts }) => counts.size >= LEAST_WORDS)
    .slice(-MOST_EVENTS);
  const holders = new Map<string, number>();
  for (const { counts } of telling) for (const word of counts.keys()) holders.set(word, (holders.get(word) ?? 0) + 1);
  return telling.map(({ event, said, counts }) => ({ event, said, words: weighed(counts, holders, telling.length) }));
}

/** Nobody chose these words. */
const writtenByGit = /^Merge (?:branch|branches|tag|commit|pull request|remote-tracking branch) /;
/** `Signed-off-by: …` would make all that one person did alike. */
const trailer = /^[A-Z][A-Za-z]*(?:-[A-Za-z]+)+: .*$/gm;

function textOf({ subject, detail }: EventRecord): string {
  return `${subject}\n${detail}`.slice(0, MOST_CHARACTERS).replace(trailer, '');
}

function countsOf(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** No number and no hash or other blob: those name one thing once. */
export function isTelling(word: string): boolean {
  return word.length > 1 && word.length <= 40 && !stopWords.has(word) && !/^(?:\d+|(?=.*\d)[0-9a-f]{7,})$/.test(word);
}

function weighed(
  counts: ReadonlyMap<string, number>,
  holders: ReadonlyMap<string, number>,
  all: number,
): Map<string, number> {
  const weights = [...counts]
    .map(([word, count]) => [word, (1 + Math.log(count)) * Math.log(1 + all / (holders.get(word) ?? 1))] as const)
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, MOST_WORDS);
  const length = Math.hypot(...weights.map(([, weight]) => weight));
  return new Map(weights.map(([word, weight]) => [word, weight / length]));
}

export function clustersOf(worded: readonly Worded[], known: KnownTargets): Cluster[] {
  const uses = usesOf(worded);
  const shelves = new Map<string, { target: string | undefined; members: Worded[] }>();
  for (const each of worded) {
    const target = known.targetOf(each, uses);
    const key = target === undefined ? '' : targetKey(target);
    const shelf = shelves.get(key) ?? { target, members: [] };
    shelf.members.push(each);
    shelves.set(key, shelf);
  }
  return [...shelves.values()].flatMap(({ target, members }) =>
    byWording(members, target === undefined ? ALIKE_WITHOUT_TARGET : ALIKE).map((each) => ({ target, members: each })),
  );
}

/**
 * Each event joins the cluster that it is most like on average, or begins one. Who has a word is noted by word, so that an
 * event meets only those it shares one with.
 */
function byWording(members: readonly Worded[], least: number): Worded[][] {
  const clusters: Worded[][] = [];
  const holders = new Map<string, { readonly cluster: number[]; readonly weight: number[] }>();
  const products = new Float64Array(members.length);
  for (const each of members) {
    products.fill(0, 0, clusters.length);
    for (const [word, weight] of each.words) {
      const { cluster, weight: weights } = holders.get(word) ?? nobody;
      for (let at = 0; at < cluster.length; at++) {
        const place = cluster[at] as number;
        products[place] = (products[place] as number) + weight * (weights[at] as number);
      }
    }
    const best = mostAlike(clusters, products, least);
    clusters[best] ??= [];
    clusters[best].push(each);
    for (const [word, weight] of each.words) {
      const held = holders.get(word) ?? { cluster: [], weight: [] };
      held.cluster.push(best);
      held.weight.push(weight);
      holders.set(word, held);
    }
  }
  return clusters;
}

const nobody = { cluster: [], weight: [] };

/** The place behind the last where none is alike enough. */
function mostAlike(clusters: readonly (readonly Worded[])[], products: Float64Array, least: number): number {
  let best = clusters.length;
  let most = least;
  for (let at = 0; at < clusters.length; at++) {
    const likeness = (products[at] ?? 0) / (clusters[at]?.length ?? 1);
    if (likeness <= most) continue;
    best = at;
    most = likeness;
  }
  return best;
}

// ── what the members of a cluster have in common ─────────────────────────────────────────────────────────────────────

/** The words of half of the events or more, the most telling first. */
export function commonWords(members: readonly Worded[]): string[] {
  const holders = new Map<string, number>();
  for (const { words } of members) for (const word of words.keys()) holders.set(word, (holders.get(word) ?? 0) + 1);
  return [...sumOf(members)]
    .filter(([word]) => (holders.get(word) ?? 0) * 2 >= members.length)
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .map(([word]) => word);
}

/** Those that the others are most like come first. */
export function mostCentral(members: readonly Worded[]): Worded[] {
  const sum = sumOf(members);
  return members
    .map((each) => ({ each, score: product(each.words, sum) }))
    .sort((a, b) => b.score - a.score || a.each.event.id - b.each.event.id)
    .map(({ each }) => each);
}

/** The cosine of two of the events, on average: what the length of the sum of their vectors tells. */
export function closeness(members: readonly Worded[]): number {
  if (members.length < 2) return 1;
  const sum = sumOf(members);
  const pairs = members.length * (members.length - 1);
  return Math.min(1, Math.max(0, (product(sum, sum) - members.length) / pairs));
}

function sumOf(members: readonly Worded[]): Map<string, number> {
  const sum = new Map<string, number>();
  for (const { words } of members) {
    for (const [word, weight] of words) sum.set(word, (sum.get(word) ?? 0) + weight);
  }
  return sum;
}

function product(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let total = 0;
  for (const [word, weight] of a) total += weight * (b.get(word) ?? 0);
  return total;
}

// ── what an event is about ───────────────────────────────────────────────────────────────────────────────────────────

const LONGEST_TARGET = 200;
const LONGEST_PHRASE = 8;

/** How many events name a target, by its key. */
function usesOf(worded: readonly Worded[]): Map<string, number> {
  const uses = new Map<string, number>();
  for (const { event } of worded) {
    for (const key of new Set(namedBy(event).map(targetKey))) uses.set(key, (uses.get(key) ?? 0) + 1);
  }
  return uses;
}

function namedBy({ targets }: EventRecord): string[] {
  return targets.map((target) => target.trim()).filter((target) => target !== '' && target.length <= LONGEST_TARGET);
}

/** The targets that events can mention. Of two spellings the lesser one holds, in whichever order they come. */
export class KnownTargets {
  readonly #spelling = new Map<string, string>();
  readonly #phrases = new Map<string, string>();
  /** How many words the longest phrase has that begins with a word. */
  readonly #longest = new Map<string, number>();

  /** Whether it was new. */
  learn(target: string): boolean {
    const key = targetKey(target);
    const spelled = this.#spelling.get(key);
    if (spelled === undefined || target < spelled) this.#spelling.set(key, target);
    const words = wordsOf(target);
    // One made of stop words would be mentioned by all.
    if (words.length <= LONGEST_PHRASE && words.some(isTelling)) {
      const phrase = words.join(' ');
      const other = this.#phrases.get(phrase);
      if (other === undefined || key < other) this.#phrases.set(phrase, key);
      const [first = ''] = words;
      this.#longest.set(first, Math.max(words.length, this.#longest.get(first) ?? 0));
    }
    return spelled === undefined;
  }

  /** Named by the event, else mentioned in its text, else the folder of its files. */
  targetOf({ event, said }: Worded, uses: ReadonlyMap<string, number>): string | undefined {
    const named = mostUsed(namedBy(event), uses) ?? this.#mentionedIn(said) ?? folderOf(event.files);
    return named === undefined ? undefined : (this.#spelling.get(targetKey(named)) ?? named);
  }

  #mentionedIn(said: readonly string[]): string | undefined {
    let found = '';
    for (const [from, first] of said.entries()) {
      const most = this.#longest.get(first) ?? 0;
      let phrase = '';
      for (let at = from; at < Math.min(from + most, said.length); at++) {
        phrase = at === from ? first : `${phrase} ${said[at]}`;
        const better = phrase.length - found.length || (phrase < found ? 1 : -1);
        if (better > 0 && this.#phrases.has(phrase)) found = phrase;
      }
    }
    return this.#spelling.get(this.#phrases.get(found) ?? '');
  }
}

/** An event counts once: of several targets, for the one that most events name. */
function mostUsed(named: readonly string[], uses: ReadonlyMap<string, number>): string | undefined {
  if (named.length < 2) return named[0];
  const usesOfKey = (target: string) => uses.get(targetKey(target)) ?? 0;
  return named.toSorted((a, b) => usesOfKey(b) - usesOfKey(a) || (targetKey(a) < targetKey(b) ? -1 : 1))[0];
}

/** The deepest folder, of two names at most, that holds more than half of the files. */
function folderOf(files: readonly string[]): string | undefined {
  const folders = files.map((file) => file.replaceAll('\\', '/').split('/').slice(0, -1).filter(isFolderName));
  for (const depth of [2, 1]) {
    const counts = new Map<string, number>();
    for (const names of folders) {
      const folder = names.slice(0, depth).join('/');
      if (names.length >= depth && folder.length <= LONGEST_TARGET) counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
    for (const [folder, count] of counts) if (count > files.length / 2) return folder;
  }
  return undefined;
}

function isFolderName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..';
}
