/**
 * Misspelled words that few texts hold, each a search on its own with all parameters left as they are: is a text that holds
 * the word that was meant among the first five? The texts are abstracts of scifact and the documentation of this project.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { editsBetween } from '../../src/search/spelling.ts';
import { Database } from '../../src/store/embedded/database.ts';
import { answerOf } from '../documents/client.ts';
import { below, randomFrom } from '../documents/random.ts';
import { filesBelow } from '../documents/tree.ts';
import { type Server, withServers } from '../server.ts';
import { hasVectors, untilReady } from './ask.ts';
import { homeOf, idOf, quality } from './home.ts';
import { misspelled } from './misspelling.ts';
import { readSet, spread, type Text } from './sets.ts';

const TYPOS = 200;
const FIRST = 5;
const SHORTEST = 5;
/** A word that more texts hold says little about which of them is meant. */
const MOST_TEXTS = 3;
/** Of scifact: all of them would take minutes more to embed, and have no other words to speak of. */
const ABSTRACTS = 2000;
const SEED = 2026;

export interface Typo {
  readonly wrong: string;
  readonly meant: string;
  readonly edits: number;
  /** The texts that hold what was meant. */
  readonly right: readonly string[];
}

export interface Corrected extends Typo {
  readonly found: readonly string[];
  /** What the server took it for. */
  readonly takenFor: readonly string[];
  readonly hit: boolean;
  /** Whether the word itself finds one. */
  readonly hitSpelledRight: boolean;
  readonly ms: number;
}

export async function correctTypos(fresh: boolean, say: (line: string) => void): Promise<Corrected[]> {
  const texts = [...spread(readSet('scifact').texts, ABSTRACTS), ...(await documentation())];
  const hash = createHash('sha256')
    .update(JSON.stringify(texts.map(({ id }) => id)))
    .digest('hex');
  const home = await homeOf({ name: 'typos', texts, hash, changing: true }, 'markdown', fresh);
  return withServers([quality(home.path)], async ([server]) => {
    if (server === undefined) return [];
    await server.initialize();
    say(`typos: indexes ready after ${(await untilReady(server, await hasVectors(server))).toFixed(0)} s`);
    const corrected: Corrected[] = [];
    for (const typo of typosIn(texts, TYPOS)) {
      const spelledRight = (await firstOf(server, typo.meant)).found;
      const { found, takenFor, ms } = await firstOf(server, typo.wrong);
      const holds = (ids: readonly string[]) => ids.some((id) => typo.right.includes(id));
      corrected.push({ ...typo, found, takenFor, ms, hit: holds(found), hitSpelledRight: holds(spelledRight) });
    }
    return corrected;
  });
}

async function firstOf(server: Server, query: string) {
  const started = performance.now();
  const answer = await answerOf(server, 'search', { query });
  const ms = performance.now() - started;
  const results = (answer.results ?? []) as readonly { path: string }[];
  const spelling = (answer.spelling ?? {}) as Record<string, string[]>;
  return { found: results.slice(0, FIRST).map(({ path }) => idOf(path)), takenFor: Object.values(spelling).flat(), ms };
}

async function documentation(): Promise<Text[]> {
  const files = (await filesBelow('docs')).filter((file) => file.endsWith('.md'));
  return files.map((file) => ({
    id: `docs-${file.replace(/[^A-Za-z0-9]+/g, '-').replace(/-md$/, '')}`,
    title: '',
    text: readFileSync(`docs/${file}`, 'utf8'),
  }));
}

/** Half of them with one edit, half with two; the same for the same texts. */
export function typosIn(texts: readonly Text[], count: number): Typo[] {
  const possible = [...wordsOf(texts)].filter((word) => word.length >= SHORTEST && /^[a-z]+$/.test(word)).sort();
  const random = randomFrom(SEED);
  const typos: Typo[] = [];
  const holders = holdersIn(texts);
  try {
    while (typos.length < count && possible.length > 0) {
      const meant = possible.splice(below(random, possible.length), 1)[0] ?? '';
      const right = holders.of(meant);
      if (right.length > MOST_TEXTS) continue;
      const asked = 1 + (typos.length % 2);
      // What is another form of a word that exists is no mistake, and a swap whose halves are moved apart is two edits more.
      const isNone = (word: string) => holders.of(word).length > 0 || editsBetween(word, meant, asked) > asked;
      const wrong = misspelled(meant, asked, random, isNone);
      // Two edits may come to one.
      typos.push({ wrong, meant, edits: editsBetween(wrong, meant, asked), right });
    }
    return typos;
  } finally {
    holders.close();
  }
}

function wordsOf(texts: readonly Text[]): Set<string> {
  return new Set(texts.flatMap(({ title, text }) => `${title} ${text}`.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []));
}

/** Texts that hold a word in any of its forms: whoever asks for one of them is right to get the others. */
function holdersIn(texts: readonly Text[]) {
  const database = new Database(':memory:');
  database.exec("CREATE VIRTUAL TABLE text USING fts5(body, tokenize='porter unicode61')");
  for (const [at, { title, text }] of texts.entries())
    database.run('INSERT INTO text (rowid, body) VALUES (?, ?)', at + 1, `${title} ${text}`);
  const sql = 'SELECT rowid FROM text WHERE text MATCH ? LIMIT ?';
  return {
    of: (word: string) =>
      database.all(sql, `"${word}"`, MOST_TEXTS + 1).map(({ rowid }) => texts[Number(rowid) - 1]?.id ?? ''),
    close: () => database.close(),
  };
}
