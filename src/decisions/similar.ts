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
/** The title alone is looked for: it names the matter, and a long reason would make every write as slow as it is long. */
const WORDS = 12;

export interface Similar {
  readonly id: string;
  readonly title: string;
  readonly target: string;
  readonly similarity: number;
}

export async function alike(index: DecisionIndex, decision: Decision): Promise<Similar[]> {
  const key = targetKey(decision.target);
  const words = tellingWords(decision.title).slice(0, WORDS);
  const filter = { namespace: decision.namespace, kind: 'decision', statuses: ['active'] };
  const matches = await index.matching(words, filter, LOOKED_AT);
  const ids = matches.map(({ id }) => id);
  const [facts, bodies] = [await index.get(ids), await index.bodies(ids)];
  const own = [textOf(decision), ...decision.consequences].join('\n');
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
