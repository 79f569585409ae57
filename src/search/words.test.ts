import { describe, expect, it } from 'vitest';
import { soughtWords, splitWords, wordsIn } from './words.ts';

describe('words', () => {
  it('are runs of letters and digits, in lower case', () => {
    expect(wordsIn('The quick_brown fox-2, Über straße! 😀')).toEqual([
      'the',
      'quick',
      'brown',
      'fox',
      '2',
      'über',
      'straße',
    ]);
    expect(wordsIn('\0 . !')).toEqual([]);
  });

  it('are found in names', () => {
    expect(splitWords('parseHTMLPage')).toEqual(['parse', 'html', 'page']);
    expect(splitWords('XMLHttpRequest2 getById')).toEqual(['xml', 'http', 'request', 'get', 'by', 'id']);
    expect(splitWords('utf8ToUtf16 sha256sum md5 v2')).toEqual(['utf', 'to', 'sha', 'sum', 'md']);
    expect(splitWords('plain words, UPPER, Capital, snake_case')).toEqual([]);
    expect(splitWords('my_parseHTML')).toEqual(['parse', 'html']);
  });

  it('are split in linear time', () => {
    for (const text of [
      'aB'.repeat(500_000),
      'a'.repeat(1_000_000),
      'A'.repeat(1_000_000),
      '1'.repeat(1_000_000),
      'Ab1'.repeat(300_000),
    ]) {
      const started = performance.now();
      splitWords(text);
      expect(performance.now() - started).toBeLessThan(5000);
    }
  });

  it('of a question are those it is about', () => {
    expect(soughtWords('How do we parse the HTML page?')).toEqual(['parse', 'html', 'page']);
    expect(soughtWords('what is the')).toEqual(['what', 'is', 'the']);
    expect(soughtWords('parseHTML parse')).toEqual(['parsehtml', 'parse', 'html']);
    expect(soughtWords('?!')).toEqual([]);
    expect(soughtWords(Array.from({ length: 100 }, (_, at) => `w${at}`).join(' '))).toHaveLength(32);
  });
});
