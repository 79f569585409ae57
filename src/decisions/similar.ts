/** Decisions on other targets that say much the same: shown to whoever records one, never touched. */
import type { DecisionIndex } from '../store/store.ts';
import { headOf } from './ledger.ts';
import { type Decision, publicId } from './record.ts';
import { tellingWords } from './search.ts';
import { textOf, wordSimilarity } from './similarity.ts';
import { targetKey } from './target.ts';

const ALIKE = 0.8;
const SHOWN = 3;
const LOOKED_AT = 10;
/** Of the title alone, which names the matter, and its longest, which are mostly its rarest: a write must stay cheap. */
const WORDS = 4;

export interface Similar {
  readonly id: string;
  readonly title: string;
  readonly target: string;
  readonly similarity: number;
}

export async function alike(index: DecisionIndex, decision: Decision): Promise<Similar[]> {
  const key = targetKey(decision.target);
  const words = tellingWords(decision.title).sort((a, b) => b.length - a.length);
  const filter = { namespace: decision.namespace, kind: 'decision', statuses: ['active'] };
  const ids = await index.holding(words.slice(0, WORDS), filter, LOOKED_AT);
  const [facts, bodies] = [await index.get(ids), await index.bodies(ids)];
  const own = textOf(decision);
  return [...facts.values()]
    .map(headOf)
    .filter((head) => targetKey(head.target) !== key)
    .map((head) => ({ head, similarity: wordSimilarity(own, `${head.title}\n${bodies.get(head.id) ?? ''}`) }))
    .filter(({ similarity }) => similarity >= ALIKE)
    .sort((a, b) => b.similarity - a.similarity)
    .slice(0, SHOWN)
    .map(({ head, similarity }) => ({
      id: publicId(head.id),
      title: head.title,
      target: head.target,
      similarity: Math.round(similarity * 1000) / 1000,
    }));
}
