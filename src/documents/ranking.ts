/** Which documents answer a question, best first: by their words, by their meaning, or by both. */
import type { Embedder } from '../search/embed/embedder.ts';
import type { Ranked } from '../search/hybrid.ts';
import type { Lean, Question } from '../search/question.ts';
import { type Ranking, rank, type SearchType } from '../search/rank.ts';
import type { PlaceFilter, Sought } from '../store/document-index.ts';
import type { Store } from '../store/store.ts';
import { documentMeanings } from './meanings.ts';

export interface ContentHit extends Ranked {
  /** The sections that hold most of the words, best first. */
  readonly sections: readonly number[];
}

export interface DocumentRanking extends Omit<Ranking, 'order'> {
  readonly hits: readonly ContentHit[];
  readonly total: number;
  readonly atLeast: boolean;
}

/** How much the words of a path count, where the question is no path itself. */
const NAMES: Readonly<Record<Lean, number>> = { letters: 2, words: 0.5, meaning: 0.25 };
/** Candidates by words: what the meaning may still bring to the top. The same for every page, or pages would not fit together. */
const CANDIDATES = 300;
/** What comes after them, for who pages that far, is in the order of its words. */
const DEEPEST = 10_100;

export interface DocumentQuestion {
  readonly question: Question;
  /** With what misspelled words were taken for. */
  readonly words: readonly string[];
  readonly type: SearchType;
  readonly filter: PlaceFilter;
  readonly wanted: number;
  readonly patient: boolean;
}

export async function rankDocuments(
  store: Store,
  embedder: Embedder,
  asked: DocumentQuestion,
): Promise<DocumentRanking> {
  const { question, words, type, filter, wanted, patient } = asked;
  const { pairs, required, excluded, lean } = question;
  const sought: Sought = { words, pairs, required, excluded, names: NAMES[lean] };
  const worded = await store.documents.matching(sought, filter, CANDIDATES);
  const sections = new Map(worded.found.map(({ hash, sections: best }) => [hash, best]));
  const { order, ...ranking } = await rank({
    question,
    type,
    embedder,
    meanings: documentMeanings(store, embedder),
    worded: worded.found.map(({ hash, score }) => ({ id: hash, score })),
    allowed: () => store.documents.allowed(sought, filter),
    patient,
  });
  const byMeaningAlone = order.filter(({ parts }) => parts.keyword === 0).length;
  const hits = order.map((each) => ({ ...each, sections: sections.get(each.id) ?? [] }));
  if (wanted > CANDIDATES && ranking.type !== 'semantic') {
    const known = new Set(order.map(({ id }) => id));
    const { found } = await store.documents.matching(sought, filter, DEEPEST);
    for (const { hash, score, sections: best } of found)
      if (!known.has(hash)) hits.push({ id: hash, score: 0, parts: { keyword: score }, sections: best });
  }
  return {
    ...ranking,
    hits,
    total: ranking.type === 'semantic' ? order.length : worded.total + byMeaningAlone,
    atLeast: ranking.type !== 'semantic' && worded.atLeast === true,
  };
}
