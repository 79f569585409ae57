/**
 * What the events of late suggest: several that say much the same about one target become a proposal, and what comes after
 * becomes further evidence for it. Nothing is decided here. Reflecting again on what came of it finds nothing new.
 */
import type { EventLink, EventRecord } from '../store/store.ts';
import {
  type Cluster,
  closeness,
  clustersOf,
  commonWords,
  isTelling,
  KnownTargets,
  mostCentral,
  type Worded,
  wordedEvents,
} from './cluster.ts';
import { wordSimilarity, wordsOf } from './similarity.ts';
import { targetKey } from './target.ts';

export interface ReflectionInput {
  /** Recent ones of one namespace, in any order. */
  readonly events: readonly EventRecord[];
  /** Which event is evidence for which decision or proposal. */
  readonly links: readonly EventLink[];
  /** The active decisions and all proposals. */
  readonly records: readonly ReflectionRecord[];
  /** The targets that are known. */
  readonly targets: readonly string[];
  readonly now: string;
}

export interface ReflectionRecord {
  readonly id: string;
  readonly kind: 'decision' | 'proposal';
  readonly status: string;
  readonly title: string;
  readonly target: string;
  readonly text: string;
}

export interface ProposalDraft {
  readonly title: string;
  readonly target: string;
  readonly rationale: string;
  readonly confidence: number;
  readonly evidence: readonly number[];
  readonly suggestedSupersedes: readonly string[];
}

/** New evidence for a proposal that is open. */
export interface ProposalGrowth {
  readonly proposal: string;
  readonly evidence: readonly number[];
  readonly confidence: number;
}

const LEAST_EVENTS = 3;

export function reflect(input: ReflectionInput): { drafts: ProposalDraft[]; growth: ProposalGrowth[] } {
  const worded = wordedEvents(input.events);
  const openings = gather(worded, input);
  return {
    drafts: openings
      .filter(({ proposal }) => proposal === undefined)
      .map((opening) => draftOf(opening, input))
      .sort((a, b) => b.confidence - a.confidence || (a.evidence[0] ?? 0) - (b.evidence[0] ?? 0)),
    growth: openings
      .flatMap(({ proposal, fresh }) => (proposal === undefined ? [] : [growthOf(proposal, fresh, worded, input)]))
      .sort((a, b) => compare(a.proposal, b.proposal)),
  };
}

// ── gathering evidence ───────────────────────────────────────────────────────────────────────────────────────────────

/** A proposal that takes evidence: an open one, or one that is being drafted. */
interface Opening {
  readonly proposal?: string;
  readonly target: string;
  readonly fresh: Worded[];
}

/**
 * A proposal makes its target known, and events may mention it: then they belong elsewhere than they seemed to. So this goes
 * on until no draft brings a new target, as reflecting again and again would.
 */
function gather(worded: readonly Worded[], input: ReflectionInput): Opening[] {
  const taken = new Set(input.links.map(({ event }) => event));
  const known = new KnownTargets();
  for (const target of [...input.targets, ...input.records.map((each) => each.target)]) known.learn(target);
  const speaking = openProposals(input);
  const openings = new Set<Opening>();
  for (let learning = true; learning; ) {
    learning = false;
    for (const cluster of clustersOf(worded, known)) {
      const fresh = cluster.members.filter(({ event }) => !taken.has(event.id));
      const opening = fresh.length === 0 ? undefined : (openFor(cluster, speaking) ?? newFor(cluster, fresh));
      if (opening === undefined) continue;
      openings.add(opening);
      for (const each of fresh) {
        opening.fresh.push(each);
        speaking.set(each.event.id, [opening]);
        taken.add(each.event.id);
      }
      learning = known.learn(opening.target) || learning;
    }
  }
  return [...openings];
}

/** By event, the open proposals that it is evidence for. */
function openProposals({ records, links }: ReflectionInput): Map<number, Opening[]> {
  const open = new Map<string, Opening>();
  for (const { id, kind, status, target } of records) {
    if (kind === 'proposal' && status === 'proposed') open.set(id, { proposal: id, target, fresh: [] });
  }
  const speaking = new Map<number, Opening[]>();
  for (const { event, decision } of links) {
    const opening = open.get(decision);
    if (opening !== undefined) speaking.set(event, [...(speaking.get(event) ?? []), opening]);
  }
  return speaking;
}

/** The one that most of the cluster speaks for already. */
function openFor({ members }: Cluster, speaking: ReadonlyMap<number, readonly Opening[]>): Opening | undefined {
  const shares = new Map<Opening, number>();
  for (const opening of members.flatMap(({ event }) => speaking.get(event.id) ?? [])) {
    shares.set(opening, (shares.get(opening) ?? 0) + 1);
  }
  const best = Math.max(...shares.values());
  const [first] = [...shares.keys()]
    .filter((opening) => shares.get(opening) === best)
    .sort((a, b) => compare(a.proposal ?? '', b.proposal ?? ''));
  return first;
}

function compare(a: string, b: string): number {
  return Number(a > b) - Number(a < b);
}

function newFor({ target }: Cluster, fresh: readonly Worded[]): Opening | undefined {
  const name = target ?? nameOf(fresh);
  return fresh.length < LEAST_EVENTS || name === undefined ? undefined : { target: name, fresh: [] };
}

// ── describing it ────────────────────────────────────────────────────────────────────────────────────────────────────

const LONGEST_TITLE = 120;
const LINES = 5;
const NAMED_WORDS = 6;

function draftOf({ target, fresh }: Opening, { records, now }: ReflectionInput): ProposalDraft {
  const members = fresh.toSorted((a, b) => a.event.id - b.event.id);
  const words = commonWords(members);
  return {
    title: titleOf(members) ?? words.join(' '),
    target,
    rationale: rationaleOf(members, words, now),
    confidence: confidenceOf(members),
    evidence: idsOf(members),
    suggestedSupersedes: nearDuplicates(records, target, words),
  };
}

function growthOf(
  proposal: string,
  fresh: readonly Worded[],
  worded: readonly Worded[],
  { links }: ReflectionInput,
): ProposalGrowth {
  const evidence = idsOf(fresh);
  const all = new Set([
    ...evidence,
    ...links.filter(({ decision }) => decision === proposal).map(({ event }) => event),
  ]);
  return { proposal, evidence, confidence: confidenceOf(worded.filter(({ event }) => all.has(event.id))) };
}

function idsOf(members: readonly Worded[]): number[] {
  return members.map(({ event }) => event.id).sort((a, b) => a - b);
}

/** A target out of two or three words, in the order in which the most central event has them. */
function nameOf(members: readonly Worded[]): string | undefined {
  const words = commonWords(members).slice(0, 3);
  const order = mostCentral(members)[0]?.said ?? [];
  const placeOf = (word: string) => (order.includes(word) ? order.indexOf(word) : order.length);
  return words.length < 2 ? undefined : words.toSorted((a, b) => placeOf(a) - placeOf(b)).join('_');
}

function titleOf(members: readonly Worded[]): string | undefined {
  const subjects = mostCentral(members).map(({ event }) => oneLine(event.subject, LONGEST_TITLE));
  return subjects.find((subject) => subject !== '');
}

function rationaleOf(members: readonly Worded[], words: readonly string[], now: string): string {
  const days = members.map(({ event }) => event.created.slice(0, 10)).sort();
  const [first = '', last = ''] = [days[0], days.at(-1)];
  const when = first === last ? `on ${first}` : `between ${first} and ${last}`;
  const failed = members.filter(({ event }) => !event.success).length;
  const shown = mostCentral(members).slice(0, LINES);
  const lines = shown.map(({ event }) => {
    return `- event ${event.id} (${event.kind}, ${event.created.slice(0, 10)}): ${oneLine(event.subject, LONGEST_TITLE)}`;
  });
  return [
    `${members.length} events ${when} say much the same, as seen on ${now.slice(0, 10)}.`,
    ...(words.length === 0 ? [] : [`Their common words: ${words.slice(0, NAMED_WORDS).join(', ')}.`]),
    ...(failed === 0 ? [] : [`${failed} of them failed.`]),
    `${members.length > LINES ? 'The most telling of them' : 'They are'}:\n\n${lines.join('\n')}`,
  ].join(' ');
}

/** More events, more of them successes, and closer in their wording: each makes it surer. */
function confidenceOf(members: readonly Worded[]): number {
  const size = members.length / (members.length + LEAST_EVENTS);
  const successes = members.filter(({ event }) => event.success).length / members.length;
  const value = 0.3 + 0.65 * size * successes * (0.5 + closeness(members) / 2);
  return Math.round(value * 1000) / 1000;
}

/** Half of the telling words in common. A long reason must not hide a title that says the same, so the nearer one counts. */
const NEAR = 0.5;

function nearDuplicates(records: readonly ReflectionRecord[], target: string, words: readonly string[]): string[] {
  const key = targetKey(target);
  const own = words.join(' ');
  return records
    .filter(({ kind, status, target: other }) => kind === 'decision' && status === 'active' && targetKey(other) === key)
    .filter(({ title, text }) =>
      [title, `${title}\n${text}`].some((each) => wordSimilarity(own, tellingText(each)) >= NEAR),
    )
    .map(({ id }) => id)
    .sort();
}

function tellingText(text: string): string {
  return [...new Set(wordsOf(text).filter(isTelling))].join(' ');
}

/** What others wrote, as one line that ends at a word: it can neither begin a heading nor hide behind control characters. */
function oneLine(text: string, most: number): string {
  const line = text
    .slice(0, most * 4)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim();
  if (line.length <= most) return line;
  const head = line.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '');
  const end = head.lastIndexOf(' ');
  return `${(end > most / 2 ? head.slice(0, end) : head).trimEnd()}…`;
}
