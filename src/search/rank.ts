/** The one way from a question to an order of texts, whatever kind they are of. */
import { lackOf, understand, vectorProgress } from './ask.ts';
import type { Embedder } from './embed/embedder.ts';
import { byMeaning, byWords, hybrid, type Ranked, type Worded } from './hybrid.ts';
import type { Meanings } from './meaning.ts';
import type { Question } from './question.ts';

export const searchTypes = ['keyword', 'semantic', 'hybrid'] as const;
export type SearchType = (typeof searchTypes)[number];

/** Nothing that is less like the question is found by its meaning alone: some text is always the nearest. */
const LEAST_SIMILAR = 0.25;
/** How long one waits for a model that is not loaded: a command is a process of its own, and somebody looks at it. */
const LOADING_MS = 4000;

export interface Ranking {
  readonly order: readonly Ranked[];
  /** How it was searched in the end. */
  readonly type: SearchType;
  /** What answered: `ready`, how much of it is, or why it did not. */
  readonly indexes: { readonly keyword: string; readonly vector?: string };
}

export interface Asking {
  readonly question: Question;
  readonly type: SearchType;
  readonly embedder: Embedder;
  readonly meanings: Meanings;
  /** Found by their words, best first. */
  readonly worded: readonly Worded[];
  /** Which others may be answered; asked for only where it matters. All without it. */
  readonly allowed: () => Promise<ReadonlySet<string> | undefined>;
  /** Whether to wait for a model that is not loaded yet. */
  readonly patient: boolean;
}

export async function rank(asking: Asking): Promise<Ranking> {
  const { question, type, embedder, meanings, worded } = asking;
  const words = (vector?: string): Ranking => ({
    order: byWords(worded),
    type: 'keyword',
    indexes: { keyword: 'ready', ...(vector !== undefined && { vector }) },
  });
  if (type === 'keyword') return words();
  // Before their progress: without a model there will be none.
  const lack = lackOf(embedder);
  if (lack !== undefined) return words(lack);
  const progress = await vectorProgress(meanings);
  // Without any there is nothing to ask the model for.
  if ((await meanings.progress()).done === 0) return words(progress);
  const { vector, reason } = await understand(question.text, embedder, asking.patient ? LOADING_MS : 0);
  if (vector === undefined) return words(reason);
  const allowed = await asking.allowed();
  const asked = { vector, meanings, ...(allowed && { accepts: (id: string) => allowed.has(id) }) };
  const order = type === 'semantic' ? await byMeaning(asked) : await hybrid(worded, asked, question.lean);
  return {
    order: order.filter(({ parts }) => parts.keyword > 0 || (parts.vector ?? 0) >= LEAST_SIMILAR),
    type,
    indexes: { keyword: 'ready', vector: progress },
  };
}
