/**
 * Finding decisions: a question is its telling words, any of which may match. `balanced` follows what it finds along the
 * chain to the truth and says from where; `strict` looks at truths only; `audit` at everything.
 */
import type { Ranked } from '../search/hybrid.ts';
import type { DecisionFacts, DecisionFilter, DecisionIndex } from '../store/store.ts';
import { type DecisionHead, headOf } from './ledger.ts';
import { wordsOf } from './similarity.ts';
import { stopWords } from './stop-words.ts';

export const modes = ['strict', 'balanced', 'audit'] as const;
export type Mode = (typeof modes)[number];

export interface Hit {
  readonly head: DecisionHead;
  /** 1 for the best of this answer. */
  readonly score: number;
  /** The score as other kinds of knowledge have it, and what it is made of. */
  readonly parts: Readonly<Record<string, number>>;
  /** The superseded decision whose text matched, where it was another. */
  readonly matched?: DecisionHead;
}

/** More than a page needs, because several of one chain become one truth; what is still missing is looked for further down. */
const WIDER = 4;
const LEAST = 50;

/** Best first, as many as there are of these statuses and no more than the limit. */
export type RankDecisions = (filter: DecisionFilter, limit: number) => Promise<readonly Ranked[]>;

export async function searchDecisions(
  index: DecisionIndex,
  rank: RankDecisions,
  { namespace, mode, wanted }: { namespace: string; mode: Mode; wanted: number },
): Promise<Hit[]> {
  const filter =
    mode === 'audit'
      ? { namespace }
      : { namespace, kind: 'decision', statuses: mode === 'strict' ? ['active'] : ['active', 'superseded'] };
  const hits = new Map<string, Hit>();
  const truths: Truths = new Map();
  let seen = 0;
  let limit = mode === 'balanced' ? Math.max(wanted * WIDER, LEAST) : wanted;
  for (let more = true; more; limit *= WIDER) {
    const matches = (await rank(filter, limit)).slice(0, limit);
    await collect(index, mode, matches, seen, hits, truths);
    more = hits.size < wanted && matches.length === limit;
    seen = matches.length;
  }
  return [...hits.values()];
}

/** Adds what the matches after the first `seen` lead to. */
async function collect(
  index: DecisionIndex,
  mode: Mode,
  matches: readonly Ranked[],
  seen: number,
  hits: Map<string, Hit>,
  truths: Truths,
): Promise<void> {
  const best = matches[0]?.score ?? 1;
  const found = await index.get(matches.slice(seen).map(({ id }) => id));
  for (const { id, score, parts } of matches.slice(seen)) {
    const facts = found.get(id);
    if (facts === undefined) continue;
    const head = headOf(facts);
    const truth = mode === 'balanced' ? await truthOf(index, head, truths) : head;
    if (truth === undefined) continue;
    const hit = {
      head: truth,
      score: score / best,
      parts: { score, ...parts },
      ...(truth.id !== id && { matched: head }),
    };
    const better = hits.get(truth.id);
    // Where the truth matches as well as what it replaced, it is the truth that was found.
    if (better === undefined || (truth.id === id && better.score === hit.score)) hits.set(truth.id, hit);
  }
}

/** All words where every one is a stop word: `the who` may be a target. */
export function tellingWords(query: string): string[] {
  const words = [...new Set(wordsOf(query))];
  const telling = words.filter((word) => !stopWords.has(word));
  return telling.length === 0 ? words : telling;
}

export type Truths = Map<string, DecisionHead | undefined>;

/**
 * Along `superseded_by` to the first decision that holds; `undefined` where the chain ends in none, or leads into another
 * namespace. Every decision on the way has the same truth: `known` keeps it, so that a long chain is walked once.
 */
export async function truthOf(
  index: DecisionIndex,
  from: DecisionHead,
  known: Truths = new Map(),
): Promise<DecisionHead | undefined> {
  const walked = new Set<string>();
  let head: DecisionHead | undefined = from;
  while (head?.supersededBy !== undefined && head.status !== 'active' && !walked.has(head.id) && !known.has(head.id)) {
    walked.add(head.id);
    const facts: DecisionFacts | undefined = (await index.get([head.supersededBy])).get(head.supersededBy);
    head = facts?.namespace === from.namespace ? headOf(facts) : undefined;
  }
  const truth =
    head !== undefined && known.has(head.id) ? known.get(head.id) : head?.status === 'active' ? head : undefined;
  for (const id of walked) known.set(id, truth);
  return truth;
}
