/**
 * How common words are, so that a question is looked up by its telling ones. Ranking reads every text that holds a word: one
 * that half of all texts hold costs as much as all the others together, and says next to nothing.
 */
import { Database, type Queries } from './database.ts';

/** Texts that are few enough to be ranked whatever their share. */
const FEW = 200;
const SHARE = 0.02;
const KEPT_STEMS = 10_000;

export interface Telling {
  readonly words: readonly string[];
  /** The common ones that were left out. */
  readonly left: readonly string[];
  /** They narrow nothing: rank among the newest texts only, for an order among all would say no more and cost much. */
  readonly common: boolean;
}

/** How many of the newest are looked at then. */
export const NEWEST = 1000;

/** The words that narrow a search, rarest first; where all are common, the two rarest. */
export function telling(database: Queries, vocabulary: string, words: readonly string[], texts: number): Telling {
  const sql = `SELECT doc FROM ${vocabulary} WHERE term = ?`;
  const known = words
    .map((word) => ({ word, texts: Number(database.get(sql, stemOf(word))?.doc ?? 0) }))
    .filter((each) => each.texts > 0)
    .sort((a, b) => a.texts - b.texts);
  const most = Math.max(FEW, texts * SHARE);
  const rare = known.filter((each) => each.texts <= most);
  const kept = rare.length > 0 ? rare : known.slice(0, 2);
  const left = known.filter((each) => !kept.includes(each));
  return { words: wordsOf(kept), left: wordsOf(left), common: rare.length === 0 };
}

function wordsOf(known: readonly { readonly word: string }[]): string[] {
  return known.map(({ word }) => word);
}

const stems = new Map<string, string>();
let scratch: Database | undefined;

/** As the index writes a word. Asked of SQLite itself, so that there is one definition of it. */
function stemOf(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  scratch ??= stemmer();
  scratch.exec('DELETE FROM stem');
  scratch.run('INSERT INTO stem VALUES (?)', word);
  const stem = String(scratch.get('SELECT term FROM stem_term')?.term ?? word);
  if (stems.size >= KEPT_STEMS) stems.clear();
  stems.set(word, stem);
  return stem;
}

function stemmer(): Database {
  const database = new Database(':memory:');
  database.exec(`CREATE VIRTUAL TABLE stem USING fts5(word, tokenize='porter unicode61');
    CREATE VIRTUAL TABLE stem_term USING fts5vocab(stem, 'row')`);
  return database;
}
