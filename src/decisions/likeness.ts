/**
 * Whether a new decision says what the active one says already. The same words settle it at once; else the meaning is
 * compared, for at most two seconds: a write does not wait for a model that does not come.
 */
import type { Embedder } from '../search/embed/embedder.ts';
import { cosine } from '../search/vector.ts';
import type { Decision } from './record.ts';
import { differInKind, textOf, wordSimilarity } from './similarity.ts';

/** Above it, one is taken for the other. */
export const SAME = 0.85;
/** Nearly the same words: no model would call that different. */
const SAME_WORDS = 0.95;
const WAIT_MS = 2000;

export interface Likeness {
  readonly value: number;
  /** Why the meaning could not be compared. */
  readonly why?: string;
}

/** The least alike of the old ones counts: a decision replaces all of them or none. */
export async function likeness(decision: Decision, old: readonly Decision[], embedder: Embedder): Promise<Likeness> {
  const text = textOf(decision);
  if (old.some((each) => differInKind(text, textOf(each)))) {
    return { value: 0, why: 'They differ in a negation or a number, which is never the same decision.' };
  }
  const byWords = Math.min(...old.map((each) => wordSimilarity(text, textOf(each))));
  if (byWords >= SAME_WORDS) return { value: round(byWords) };
  try {
    const signal = AbortSignal.timeout(WAIT_MS);
    const [own, ...others] = await embedder.embed([text, ...old.map(textOf)], { signal });
    const vectors = others.filter((vector) => vector !== undefined);
    if (own === undefined || vectors.length < old.length) {
      return { value: round(byWords), why: 'The text is not English enough to compare its meaning; its words differ.' };
    }
    return { value: round(Math.min(...vectors.map((vector) => cosine(own, vector)))) };
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return { value: round(byWords), why: `The meaning could not be compared (${reason}); the words differ.` };
  }
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
