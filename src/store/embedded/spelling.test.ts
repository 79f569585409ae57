import { describe, expect, it, onTestFinished } from 'vitest';
import { editsBetween } from '../../search/spelling.ts';
import { Database } from './database.ts';
import { Spellings, spellingTables, takeSpellings } from './spelling.ts';

function spellingsOf(...texts: readonly string[]): Database {
  const database = new Database(':memory:');
  onTestFinished(() => database.close());
  database.exec(spellingTables);
  for (const text of texts) takeSpellings(database, [{ text, parts: [] }]);
  return database;
}

function wordsOf(near: readonly { readonly word: string }[]): string[] {
  return near.map(({ word }) => word);
}

function spelledLike(database: Database, word: string, limit: number): string[] {
  return wordsOf(new Spellings().like(database, 1, word, limit));
}

describe('words as they are spelled', () => {
  const syllables = ['ba', 'ce', 'di', 'fo', 'gu', 'ra', 'ste', 'mil'];
  const words = syllables.flatMap((one) => syllables.flatMap((two) => syllables.map((three) => one + two + three)));

  it('are all found that are within two edits, however many there are', () => {
    const database = spellingsOf(words.join('\n'));
    for (const word of words.filter((_, at) => at % 13 === 0)) {
      const wrong = `${word.slice(0, 2)}x${word.slice(3)}`;
      const near = words.filter((each) => editsBetween(wrong, each, 2) <= 2);
      expect(near).toContain(word);
      expect(spelledLike(database, wrong, 10_000).sort()).toEqual(near.sort());
    }
  });

  it('come closest first, as many as asked for', () => {
    const database = spellingsOf('database databases debase\ndatabank');
    expect(spelledLike(database, 'databse', 10)).toEqual(['database', 'databases']);
    expect(spelledLike(database, 'databse', 1)).toEqual(['database']);
  });

  it('may have other letters than latin ones', () => {
    const database = spellingsOf('Größenwahn und Übermut, привет');
    expect(spelledLike(database, 'größenwan', 5)).toEqual(['größenwahn']);
    expect(spelledLike(database, 'превет', 5)).toEqual(['привет']);
  });

  it('are taken from a paragraph on one long line, not from what a program wrote', () => {
    const prose = `${'The committee met again and talked about the budget of the harbour. '.repeat(40)} Rhododendron.`;
    const packed = `var a=function(b){return b.elephantine};${'aa=bb(cc);dd.ee=ff||gg;'.repeat(200)}`;
    const database = spellingsOf(prose, packed);
    expect(spelledLike(database, 'rododendron', 5)).toEqual(['rhododendron']);
    expect(spelledLike(database, 'elefantine', 5)).toEqual([]);
  });

  it('are known as soon as they are there', () => {
    const database = spellingsOf('harbour');
    const spellings = new Spellings();
    expect(wordsOf(spellings.like(database, 1, 'harbur', 5))).toEqual(['harbour']);
    takeSpellings(database, [{ text: 'harbor', parts: [] }]);
    expect(wordsOf(spellings.like(database, 2, 'harbur', 5))).toEqual(['harbour', 'harbor']);
  });

  it('are kept once, whoever brings them again', () => {
    const database = spellingsOf('harbour', 'Harbour', 'HARBOUR harbour');
    expect(database.all('SELECT word FROM document_word')).toHaveLength(1);
  });
});
