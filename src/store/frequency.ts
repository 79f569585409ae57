/**
 * How common words are, so that a question is looked up by its telling ones. Ranking reads every text that holds a word: one
 * that half of all texts hold costs as much as all the others together, and says next to nothing. Pure.
 */

/** Texts that are few enough to be ranked whatever else is asked for. */
const FEW = 200;

export interface Telling {
  readonly words: readonly string[];
  /** The common ones that were left out. */
  readonly left: readonly string[];
  /** They narrow nothing: rank among the newest texts only, for an order among all would say no more and cost much. */
  readonly common: boolean;
  /** In how many texts each word occurs that is kept, or that none holds. */
  readonly known: readonly number[];
}

export interface CountedWord {
  readonly word: string;
  readonly texts: number;
}

/** So many texts are ranked for a question about few thousand: some milliseconds. */
export const RANKED = 4000;

/** How many of the newest are looked at then. */
export const NEWEST = 1000;

/** The words that narrow a search, rarest first, as long as they do not name more than `most` texts; else the two rarest. */
export function tellingOf(counted: readonly CountedWord[], most: number): Telling {
  const all = [...counted].sort((a, b) => a.texts - b.texts);
  const held = all.filter(({ texts }) => texts > 0);
  let named = 0;
  const rare = held.filter(({ texts }) => {
    named += texts;
    return texts <= FEW || named <= most;
  });
  const kept = rare.length > 0 ? rare : held.slice(0, 2);
  return {
    words: wordsOf(kept),
    left: wordsOf(held.filter((each) => !kept.includes(each))),
    common: held.length > 0 && rare.length === 0,
    known: all.filter((each) => each.texts === 0 || kept.includes(each)).map(({ texts }) => texts),
  };
}

/** How much a word says that so many of all texts hold: as the ranking of SQLite has it. */
export function rarity(holding: number, all: number): number {
  return Math.max(1e-6, Math.log((all - holding + 0.5) / (holding + 0.5)));
}

/**
 * What a text would score that held all of the words once or twice: so much is a score of 1. In a store of a few texts every
 * word is in most of them and says next to nothing, but a text that holds all of them is still all that was asked for.
 */
export function idealOf({ known }: Telling, all: number): number {
  const sum = known.reduce((total, holding) => total + rarity(holding, Math.max(all, 1)), 0);
  return sum > 0 ? sum : 1;
}

function wordsOf(known: readonly CountedWord[]): string[] {
  return known.map(({ word }) => word);
}
