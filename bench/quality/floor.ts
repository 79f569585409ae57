/**
 * What plain SQLite finds, without any of Cairn: FTS5 with the porter stemmer, BM25, titles counting twice, the words of a
 * question joined by OR. It has its own list of words that it leaves out, so that nothing done to Cairn moves the floor.
 */
import { Database } from '../../src/store/embedded/database.ts';
import type { JudgedSet } from './sets.ts';

const left = new Set(
  (
    'a about an and any are as at be been but by can could did do does for from had has have how i if in into is it its me ' +
    'my of on or our should so than that the their them then there these they this those to was we were what when where which ' +
    'who why will with would you your'
  ).split(' '),
);

/** The ids of the texts, best first, for each question. */
export function floorOf({ texts, queries }: JudgedSet, limit: number): string[][] {
  const database = new Database(':memory:');
  try {
    database.exec("CREATE VIRTUAL TABLE text USING fts5(title, body, tokenize='porter unicode61')");
    for (const [at, { title, text }] of texts.entries())
      database.run('INSERT INTO text (rowid, title, body) VALUES (?, ?, ?)', at + 1, title, text);
    const sql = 'SELECT rowid FROM text WHERE text MATCH ? ORDER BY bm25(text, 2.0, 1.0) LIMIT ?';
    return queries.map((query) => {
      const match = matchOf(query.text);
      if (match === '') return [];
      return database.all(sql, match, limit).map(({ rowid }) => texts[Number(rowid) - 1]?.id ?? '');
    });
  } finally {
    database.close();
  }
}

export function matchOf(question: string): string {
  const words = new Set(question.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []);
  return [...words]
    .filter((word) => !left.has(word))
    .map((word) => `"${word}"`)
    .join(' OR ');
}
