/** How common words are, as SQLite counts them. */
import { type Telling, tellingOf } from '../frequency.ts';
import { Database, type Queries } from './database.ts';

export { idealOf, NEWEST, RANKED, type Telling } from '../frequency.ts';

const KEPT_STEMS = 10_000;

/** The words that narrow a search, as the vocabulary of an index counts them. */
export function telling(database: Queries, vocabulary: string, words: readonly string[], most: number): Telling {
  const counted = words.map((word) => ({ word, texts: textsWith(database, vocabulary, stemOf(word)) }));
  return tellingOf(counted, most);
}

/** A word of more texts than this takes milliseconds to count. It stays common, so that is done once in a while. */
const COMMON = 5000;
const COUNTED_MS = 30_000;
const MOST_COUNTED = 2000;
const counted = new WeakMap<Queries, Map<string, { readonly texts: number; readonly at: number }>>();

function textsWith(database: Queries, vocabulary: string, stem: string): number {
  const known = counted.get(database) ?? new Map();
  const key = `${vocabulary} ${stem}`;
  const before = known.get(key);
  if (before !== undefined && performance.now() - before.at < COUNTED_MS) return before.texts;
  const texts = Number(database.get(`SELECT doc FROM ${vocabulary} WHERE term = ?`, stem)?.doc ?? 0);
  if (known.size >= MOST_COUNTED) known.clear();
  if (texts > COMMON) counted.set(database, known.set(key, { texts, at: performance.now() }));
  else known.delete(key);
  return texts;
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
