/** The other kinds of knowledge, through their own searches: one answer, one order, because all scores mean the same. */
import { CairnError } from '../../errors.ts';
import type { Stale } from '../../graph/stale.ts';
import type { Context } from '../../operations/operation.ts';
import type { Answer, SearchInput } from './search.ts';

export const searchKinds = ['document', 'instruction', 'decision', 'event', 'all'] as const;
type Kind = Exclude<(typeof searchKinds)[number], 'all'>;
type Beside = Exclude<Kind, 'document'>;

/** What each kind can be narrowed by: what a kind does not have, none of it fits. */
const filtersOf: Readonly<Record<Kind, readonly (keyof SearchInput)[]>> = {
  document: ['hash', 'collection', 'paths', 'extension', 'tag', 'session', 'modified_after', 'modified_before'],
  instruction: ['category', 'owner', 'status'],
  decision: ['namespace', 'status'],
  event: ['namespace'],
};
/** Those of decisions; instructions have others. */
const decisionStatuses = ['active', 'superseded'];

export interface KindHit {
  readonly kind: string;
  readonly key: string;
  readonly title: string;
  readonly score: number;
  readonly snippet: string;
  readonly hash?: string;
  readonly state?: string;
  readonly stale?: Stale;
  readonly explain?: Readonly<Record<string, number>>;
}

export function kindsOf(input: SearchInput): Kind[] {
  const { kind, status } = input;
  if (kind !== 'all') return [kind];
  const all = Object.keys(filtersOf) as Kind[];
  const given = [...new Set(Object.values(filtersOf).flat())].filter((name) => input[name] !== undefined);
  const foreign = status !== undefined && decisionStatuses.includes(status) ? 'instruction' : 'decision';
  return all.filter(
    (each) => given.every((name) => filtersOf[each].includes(name)) && !(status !== undefined && each === foreign),
  );
}

function isBeside(kind: Kind): kind is Beside {
  return kind !== 'document';
}

/** Pages of several kinds are merged from their beginnings: so far one goes no further. */
const DEEPEST = 1000;
const MOST = { instruction: 1000, decision: 50, event: 200 };

export async function searchedKinds(
  context: Context,
  input: SearchInput,
  kinds: readonly Kind[],
  documents: Answer | undefined,
): Promise<Answer> {
  const wanted = input.offset + input.limit;
  if (wanted > DEEPEST)
    throw new CairnError('limit_exceeded', `Only the first ${DEEPEST} of these can be paged through`, {
      suggestion: 'Narrow the question, or ask for kind document.',
    });
  const beside = kinds.filter(isBeside);
  const answers = await Promise.all(beside.map((kind) => searches[kind](context, input, Math.min(wanted, MOST[kind]))));
  const others = answers.flatMap(({ hits }) => hits);
  const found = [
    ...(documents?.found ?? []),
    ...others.map((other) => ({ other, score: other.score, boosts: {} })),
  ].sort((a, b) => b.score - a.score);
  const states = [documents?.indexes.vector, ...answers.map(({ vector: state }) => state)];
  // What is not complete is said, whichever kind it is of.
  const vector = states.find((state) => state !== undefined && state !== 'ready') ?? states.find(Boolean);
  return {
    total: answers.reduce((sum, { total }) => sum + total, documents?.total ?? 0),
    atLeast: documents?.atLeast === true || answers.some(({ atLeast }) => atLeast),
    type: vector === 'ready' ? input.type : (documents?.type ?? 'keyword'),
    found,
    words: documents?.words ?? [],
    spelling: documents?.spelling ?? {},
    indexes: { keyword: 'ready', ...(vector !== undefined && { vector }) },
    searched: [...(documents === undefined ? [] : [documents.searched]), ...beside.map((kind) => `${kind}s`)].join(
      '; ',
    ),
    pending: documents?.pending ?? 0,
  };
}

interface KindAnswer {
  readonly hits: readonly KindHit[];
  readonly total: number;
  readonly atLeast: boolean;
  readonly vector?: string | undefined;
}

type Search = (context: Context, input: SearchInput, limit: number) => Promise<KindAnswer>;

const searches: Readonly<Record<Beside, Search>> = {
  async instruction(context, { query = '', type, category, owner, status }, limit) {
    const answer = (await context.call('instructions_search', {
      q: query.slice(0, 1000),
      limit,
      type,
      mode: 'ranked',
      explain: true,
      highlight: true,
      ...(category !== undefined && { category }),
      ...(owner !== undefined && { owner }),
      ...(status !== undefined && { status }),
    })) as InstructionAnswer;
    return {
      hits: answer.items.map((item) => ({
        kind: 'instruction',
        key: `instruction:${item.id}`,
        title: item.title,
        score: item.score,
        snippet: answer.highlights?.find(({ id }) => id === item.id)?.snippet ?? firstLine(item.body),
        hash: item.sourceHash,
        state: item.status,
        ...(item.stale && { stale: item.stale }),
        explain: item.explain,
      })),
      total: answer.count,
      atLeast: false,
      vector: answer.searched.vector,
    };
  },
  async decision(context, { query = '', type, namespace, status }, limit) {
    const input = {
      query: query.slice(0, 2000),
      limit,
      type,
      explain: true,
      mode: status === undefined ? 'balanced' : status === 'active' ? 'strict' : 'audit',
      ...(namespace !== undefined && { namespace }),
    };
    const { results: all, indexes } = (await context.call('search_decisions', input)) as DecisionAnswer;
    const results = status === undefined ? all : all.filter((result) => result.status === status);
    return {
      hits: results.map((result) => ({
        kind: 'decision',
        key: `decision:${result.id}`,
        title: result.title,
        score: result.explain.score ?? 0,
        snippet: result.preview,
        state: result.status,
        ...(result.stale && { stale: result.stale }),
        explain: result.explain,
      })),
      total: results.length,
      atLeast: all.length === limit,
      vector: indexes.vector,
    };
  },
  async event(context, { query = '', namespace }, limit) {
    const input = { query: query.slice(0, 2000), limit, ...(namespace !== undefined && { namespace }) };
    const { events } = (await context.call('event_search', input)) as EventAnswer;
    return {
      hits: events.map((event) => ({
        kind: 'event',
        key: `event:${event.event_id}`,
        title: event.subject,
        score: event.score,
        snippet: event.preview,
        explain: { keyword: event.score },
      })),
      total: events.length,
      atLeast: events.length === limit,
    };
  },
};

interface InstructionAnswer {
  readonly count: number;
  readonly searched: { readonly vector?: string };
  readonly highlights?: readonly { readonly id: string; readonly snippet: string }[];
  readonly items: readonly {
    readonly id: string;
    readonly title: string;
    readonly body: string;
    readonly score: number;
    readonly sourceHash: string;
    readonly status: string;
    readonly stale?: Stale;
    readonly explain: Readonly<Record<string, number>>;
  }[];
}

interface DecisionAnswer {
  readonly indexes: { readonly vector?: string };
  readonly results: readonly {
    readonly id: string;
    readonly title: string;
    readonly score: number;
    readonly preview: string;
    readonly status: string;
    readonly stale?: Stale;
    readonly explain: Readonly<Record<string, number>>;
  }[];
}

interface EventAnswer {
  readonly events: readonly {
    readonly event_id: number;
    readonly subject: string;
    readonly preview: string;
    readonly score: number;
  }[];
}

function firstLine(text: string): string {
  return (text.split('\n').find((line) => line.trim() !== '') ?? '').slice(0, 240);
}
