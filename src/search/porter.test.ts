import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Database } from '../store/embedded/database.ts';
import { stemOf } from './porter.ts';
import { tokensOf } from './tokens.ts';

/** What SQLite makes of each text, in the order of its words. */
function asked(tokenizer: string, texts: readonly string[]): string[][] {
  const database = new Database(':memory:');
  database.exec(`CREATE VIRTUAL TABLE held USING fts5(text, tokenize='${tokenizer}');
    CREATE VIRTUAL TABLE vocabulary USING fts5vocab(held, 'instance'); BEGIN`);
  for (const [at, text] of texts.entries()) database.run('INSERT INTO held (rowid, text) VALUES (?, ?)', at + 1, text);
  database.exec('COMMIT');
  const found: string[][] = texts.map(() => []);
  for (const { term, doc, offset } of database.all('SELECT term, doc, offset FROM vocabulary')) {
    const own = found[Number(doc) - 1];
    if (own !== undefined) own[Number(offset)] = String(term);
  }
  database.close();
  return found;
}

function wordsToTry(): string[] {
  const endings =
    'ational tional enci anci izer logi bli abli alli entli eli ousli ization ation ator alism iveness fulness ousness aliti iviti ' +
    'biliti icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent sion tion ion ou ism ate iti ous ' +
    'ive ize s es sses ies ss ed eed ing y e ee ll lle ying ated bled ized';
  const stems =
    'a e y t b tr sky hop how fil fizz probat controll rat ceas vietnam oscill hesit argu sensib adopt sy yy oyo 3d x2';
  const made = stems
    .split(' ')
    .flatMap((stem) =>
      endings.split(' ').flatMap((ending) => [`${stem}${ending}`, `${stem}${ending}s`, `${stem}s${ending}`]),
    );
  const texts = ['src/search/words.ts', 'src/store/store.ts', 'README.md', 'CHANGELOG.md', 'docs/reliability.md'];
  const read = texts.flatMap(
    (path) =>
      readFileSync(path, 'utf8')
        .toLowerCase()
        .match(/[a-z0-9]+/g) ?? [],
  );
  return [...new Set([...made, ...read, 'a'.repeat(70), `${'b'.repeat(60)}ing`, 'стол', 'столing', '日本ing', 'ббed'])];
}

describe('the stem of a word', () => {
  it('is what SQLite makes of it', () => {
    const words = wordsToTry();
    expect(words.length).toBeGreaterThan(5000);
    const expected = asked('porter unicode61', words).map(([stem]) => stem);
    expect(words.map(stemOf)).toEqual(expected);
  });
});

describe('the words of a text', () => {
  it('are those of SQLite: letters and digits, lower case, without diacritics', () => {
    const texts = [
      'Ärger über Größe, naïve café!',
      'parseHTMLPage(x_1) → snake_case-name 3.14',
      'Привет МИР Ελλάδα 日本語 한국어',
      'e\u0301tude cafe\u0301s',
      'ﬁn ½ Ⅻ x² İstanbul ǅ',
      "don't 100% a\tb\nc",
      '',
    ];
    expect(texts.map(tokensOf)).toEqual(asked('unicode61', texts));
  });

  it('are the same for every letter of the scripts that people write in', () => {
    const ranges = [
      [0x20, 0x17f],
      [0x384, 0x3ff],
      [0x400, 0x481],
      [0x531, 0x587],
      [0x5d0, 0x5ea],
      [0x620, 0x64a],
      [0x904, 0x939],
      [0xe01, 0xe30],
      [0x1e00, 0x1e9b],
      [0x3041, 0x30fa],
      [0x4e00, 0x4fff],
      [0xac00, 0xadff],
    ] as const;
    const texts = ranges
      .flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, at) => String.fromCodePoint(from + at)))
      .filter((letter) => !/\p{Cn}/u.test(letter))
      .map((letter) => `x${letter}y`);
    expect(texts.map(tokensOf)).toEqual(asked('unicode61', texts));
  });
});
